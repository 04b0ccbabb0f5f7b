package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"go.uber.org/goleak"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

const (
	soakCalls    = 2000 // SOAK=n makes n
	soakSeed     = 1    // SOAK_SEED=n draws other faults
	soakInFlight = 256
	soakAttempts = 4
	soakTimeout  = 3 * time.Second // of an attempt; a loaded machine must not reach it by itself
	soakPrompt   = "call %d: how many points?"
)

// soakValue is the answer that is wanted. It says whose it is.
type soakValue struct {
	Call    int `json:"call"`
	Attempt int `json:"attempt"`
	Score   int `json:"score" jsonschema:"minimum=0"`
}

// errGone is why callers leave, errReader why those stop whose stream is read no further.
var (
	errGone   = errors.New("the caller is gone")
	errReader = errors.New("the reader is gone")
)

// TestSoak keeps one decorator busy with a provider that fails in every way it can: calls of a random fate, side by side,
// over real connections. The provider remembers what it did to each attempt, and every attempt of every call must say
// just that; every call ends with its own value or with the true cause, within its budget. Nothing is left behind: no
// goroutine, no connection, no memory. (Semantics A3 to A6, B3, B7, C3, C5, C6, D2, E4 to E6, F2, F5, I2, J1.)
//
//	SOAK=100000 go test ./adapters_test -run Soak -v -timeout 20m
func TestSoak(t *testing.T) {
	calls, seed := soakNumber(t, "SOAK", soakCalls), soakNumber(t, "SOAK_SEED", soakSeed)
	before := goleak.IgnoreCurrent()
	problems := new(soakProblems)
	s := &soak{problems: problems, tally: newSoakTally(), server: newSoakServer(uint64(seed), problems)}
	base := &http.Transport{MaxIdleConns: soakInFlight, MaxIdleConnsPerHost: soakInFlight}
	s.open(t, base)

	memory := watchMemory()
	begin := time.Now()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range soakInFlight {
		workers.Go(func() {
			for id := int(next.Add(1)); id <= calls; id = int(next.Add(1)) {
				s.call(t.Context(), id)
			}
		})
	}
	workers.Wait()
	elapsed := time.Since(begin)
	base.CloseIdleConnections()
	closed := func() bool { return s.server.connections() == 0 }
	assert.Eventually(t, closed, 10*time.Second, time.Millisecond, "connections are left")
	s.server.close()
	memory.stop()

	t.Logf("seed %d: %d calls in %v, %d side by side, at most %d at the server, over %d connections",
		seed, calls, elapsed.Round(time.Millisecond), soakInFlight, s.server.maxInFlight, s.server.opened)
	s.tally.log(t, s.server.faults)
	s.tally.account(t, s.server, calls)
	memory.check(t)
	problems.tell(t)
	goleak.VerifyNone(t, before)
}

func soakNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	require.Positive(t, n, name)
	return n
}

// soak is what the workers share.
type soak struct {
	model    *llmretry.Model
	parser   *outputparser.JSONParser[soakValue]
	server   *soakServer
	tally    *soakTally
	problems *soakProblems
}

// soakCaller is one call, as its own hook finds it in the context.
type soakCaller struct {
	id    int
	leave func()
}

type soakCallerKey struct{}

// open makes the one decorator of all calls.
func (s *soak) open(t *testing.T, base http.RoundTripper) {
	t.Helper()
	client, err := openai.New(openai.WithBaseURL(s.server.http.URL), openai.WithToken(secret), openai.WithModel("gpt-4o"),
		openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(base)}))
	require.NoError(t, err)
	s.parser, err = outputparser.JSON[soakValue]()
	require.NoError(t, err)
	var schedule []llmretry.Override // the attempt's number reaches the server as the seed
	for attempt := 1; attempt < soakAttempts; attempt++ {
		schedule = append(schedule, llmretry.Set(llms.WithSeed(attempt+1)))
	}
	s.model, err = llmretry.New(client,
		llmretry.WithMaxAttempts(soakAttempts),
		llmretry.WithAttemptTimeout(soakTimeout),
		llmretry.WithBackoff(llmretry.FullJitter(100*time.Microsecond, 2*time.Millisecond)),
		llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return soakCorrection(f.Attempt), nil }),
		llmretry.WithPerAttemptOverride(schedule...),
		llmretry.WithOnRetry(s.hook),
	)
	require.NoError(t, err)
}

func soakCorrection(attempt int) string {
	return fmt.Sprintf("attempt %d was refused, try again", attempt)
}

// hook is where some callers leave: a retry is scheduled, and nothing may be sent any more.
func (s *soak) hook(ctx context.Context, _ error, attempt int) {
	caller := ctx.Value(soakCallerKey{}).(*soakCaller)
	if f, _ := drawFault(s.server.seed, caller.id, attempt); f.name == callerLeaves {
		caller.leave()
	}
}

// call makes a call and holds what came of it against what was done to it. Every second one streams, and some of those
// who stream do not want to hear the answer.
func (s *soak) call(ctx context.Context, id int) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	leave := func() { cancel(errGone) }
	ctx = context.WithValue(ctx, soakCallerKey{}, &soakCaller{id, leave})
	c := &soakResult{id: id, streams: id%2 == 1, aborts: id%51 == 0}
	c.streams = c.streams || c.aborts
	options := []llms.CallOption{llms.WithSeed(1)}
	var heard strings.Builder
	if c.streams {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			if c.aborts {
				return errReader
			}
			heard.Write(chunk)
			return nil
		}))
	}
	s.server.expect(id, leave)
	prompt := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, fmt.Sprintf(soakPrompt, id))}
	c.Result, c.err = llmretry.Generate(ctx, s.model, s.parser, prompt, options...)
	c.cause, c.heard = context.Cause(ctx), heard.String()
	c.seen = s.server.settle(id)
	c.check(s.problems)
	s.tally.add(c)
}
