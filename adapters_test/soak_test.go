package adapters_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

const (
	soakCalls    = 1500
	soakInFlight = 256
	soakAttempts = 4
)

// TestSoak makes many calls through the real openai client while the server fails them by a plan, 256 in flight: each
// ends with its value or with the error of what the server did, attempt by attempt, and nothing is left behind.
// SOAK=100000 makes so many calls. (Semantics A1, B, C, J.)
func TestSoak(t *testing.T) {
	calls := soakCalls
	if text := os.Getenv("SOAK"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, "SOAK")
		calls = n
	}
	s := &soakServer{calls: make(map[int]*soakCall)}
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = s.connState
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would tell of every connection that is cut on purpose
	server.Start()
	pool := &http.Transport{MaxIdleConnsPerHost: soakInFlight}
	client, err := openai.New(openai.WithToken("key"), openai.WithBaseURL(server.URL), openai.WithModel("small"),
		openai.WithHTTPClient(&http.Client{Transport: llmretry.NewTransport(pool)}))
	require.NoError(t, err)
	type answer struct {
		ID int `json:"id"`
	}
	parser, err := outputparser.JSON[answer]()
	require.NoError(t, err)
	model, err := llmretry.New(client, llmretry.WithMaxAttempts(soakAttempts), llmretry.WithAttemptTimeout(soakAttemptTimeout),
		llmretry.WithBackoff(llmretry.Constant(time.Millisecond)),
		llmretry.WithReask(func(_ context.Context, f llmretry.Failure) (string, error) { return "Again: " + f.ErrorMessage, nil }))
	require.NoError(t, err)

	before := heapInUse()
	var (
		group  sync.WaitGroup
		places = make(chan struct{}, soakInFlight)
		tally  = soakTally{faults: make(map[string]int), ends: make(map[string]int)}
	)
	for id := range calls {
		places <- struct{}{}
		if id%1000 == 0 {
			tally.peak = max(tally.peak, heapInUse())
		}
		group.Go(func() {
			defer func() { <-places }()
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			s.begin(id, leave)
			var opts []llms.CallOption
			if id%3 == 0 {
				opts = append(opts, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
			}
			result, err := llmretry.Generate(ctx, model, parser,
				[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, fmt.Sprintf("call %d. Its id as JSON, please.", id))}, opts...)
			if problem := tally.add(s.end(id), result.Report, err, result.Value.ID == id); problem != "" {
				t.Errorf("call %d: %s (%v)", id, problem, err)
			}
		})
	}
	group.Wait()
	pool.CloseIdleConnections()
	server.Close()
	assert.Eventually(t, func() bool { return s.open.Load() == 0 }, 5*time.Second, 10*time.Millisecond, "connections are left")
	after := heapInUse()
	t.Log(tally.String(calls))
	t.Logf("heap: %d KB before, %d KB at its highest, %d KB after", before>>10, tally.peak>>10, after>>10)
	assert.Less(t, after, before+(8<<20), "memory is left")
	ends := 0
	for _, n := range tally.ends {
		ends += n
	}
	assert.Equal(t, calls, ends, "every call is accounted for")
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
