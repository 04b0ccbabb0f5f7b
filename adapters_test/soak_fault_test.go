package adapters_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// soakFault is one thing that the soak's server does to a request, and what the decorator must say of the attempt.
type soakFault struct {
	name     string
	weight   int                    // of all faults' sum
	category llmretry.ErrorCategory // "" = accepted
	streamed llmretry.ErrorCategory // the same for a caller who streams, where the client sees something else; "" = no difference
	play     func(e *soakExchange)
}

const (
	invalidOutput = llmretry.CategoryStructuredOutputInvalid
	unavailable   = llmretry.CategoryUnavailable
	noAnswer      = llmretry.CategoryEmptyResponse
)

var soakFaults = []*soakFault{
	{"answers", 150, "", "", func(e *soakExchange) { e.say(e.right(), "stop") }},
	{"wrong value", 24, invalidOutput, "", func(e *soakExchange) { e.say(e.scored(-1), "stop") }},
	{"prose", 12, invalidOutput, "", func(e *soakExchange) { e.say("I would rather not say, "+e.nonce(), "stop") }},
	{"token limit", 8, invalidOutput, "", func(e *soakExchange) { e.say(half(e.right()), "length") }},
	{"content filter", 2, llmretry.CategoryContentFiltered, "", func(e *soakExchange) { e.say(half(e.right()), "content_filter") }},
	{"blank", 6, noAnswer, "", func(e *soakExchange) { e.say("", "stop") }},
	{"no choices", 6, noAnswer, "", func(e *soakExchange) { e.send(`{"choices": []}`) }},
	{"status 400", 2, llmretry.CategoryInvalidRequest, "", func(e *soakExchange) { e.fail(400, "That was malformed") }},
	{"status 401", 2, llmretry.CategoryAuthentication, "", func(e *soakExchange) { e.fail(401, "Incorrect API key provided") }},
	{"status 404", 2, llmretry.CategoryInvalidModel, "", func(e *soakExchange) { e.fail(404, "The model does not exist") }},
	{"status 429", 12, llmretry.CategoryRateLimit, "", func(e *soakExchange) {
		e.demand = time.Duration(1+e.random.IntN(9)) * time.Millisecond
		e.w.Header().Set("Retry-After-Ms", strconv.FormatInt(e.demand.Milliseconds(), 10))
		e.fail(429, "Rate limit reached")
	}},
	{"status 429, long", 2, llmretry.CategoryRateLimit, "", func(e *soakExchange) {
		e.demand = 5 * time.Minute // more than the decorator may wait
		e.w.Header().Set("Retry-After", "300")
		e.fail(429, "Rate limit reached")
	}},
	{"status 429, quota", 2, llmretry.CategoryQuotaExceeded, "", func(e *soakExchange) {
		e.fail(429, "You exceeded your current quota")
	}},
	{"status 500", 12, unavailable, "", func(e *soakExchange) { e.fail(500, "The server had an error") }},
	{"status 503", 12, unavailable, "", func(e *soakExchange) { e.fail(503, "The engine is overloaded") }},
	// The caller leaves while it waits for the next attempt, by soak.hook.
	{callerLeaves, 3, unavailable, "", func(e *soakExchange) { e.fail(503, "The engine is overloaded") }},
	{"garbage", 4, llmretry.CategoryInvalidResponse, noAnswer, func(e *soakExchange) {
		e.send("<html>welcome to the hotel's network</html>")
	}},
	{"cut body", 10, unavailable, "", func(e *soakExchange) {
		e.begin()
		panic(http.ErrAbortHandler)
	}},
	// The client takes the end of a stream for the end of the answer.
	{"half, well ended", 6, unavailable, invalidOutput, func(e *soakExchange) { e.begin() }},
	{"closed", 6, unavailable, "", func(e *soakExchange) { hangUp(e.w, drop) }},
	{"reset", 6, unavailable, "", func(e *soakExchange) { hangUp(e.w, reset) }},
	{"stall", 5, llmretry.CategoryAttemptTimeout, "", func(e *soakExchange) { e.stall() }},
	{"stall in the body", 4, llmretry.CategoryAttemptTimeout, "", func(e *soakExchange) {
		e.begin()
		e.stall()
	}},
	{"caller leaves", 4, llmretry.CategoryCanceled, "", func(e *soakExchange) {
		e.leave()
		e.stall()
	}},
	{"body, caller leaves", 3, llmretry.CategoryCanceled, "", func(e *soakExchange) {
		e.begin()
		e.leave()
		e.stall()
	}},
}

// callerLeaves is the fault during whose wait the caller's hook cancels the call.
const callerLeaves = "503, caller leaves"

// drawFault decides what happens to an attempt: by the seed alone, so that a run can be repeated.
func drawFault(seed uint64, call, attempt int) (*soakFault, *rand.Rand) {
	random := rand.New(rand.NewPCG(seed, uint64(call)<<8|uint64(attempt)))
	sum := 0
	for _, f := range soakFaults {
		sum += f.weight
	}
	n := random.IntN(sum)
	for _, f := range soakFaults {
		if n -= f.weight; n < 0 {
			return f, random
		}
	}
	panic("unreachable: n was below the sum")
}

// expected is the category of an attempt that this was done to.
func (f *soakFault) expected(streams bool) llmretry.ErrorCategory {
	if streams && f.streamed != "" {
		return f.streamed
	}
	return f.category
}

// soakExchange is one request, while and after it is answered.
type soakExchange struct {
	call, attempt int
	stream        bool
	messages      []wireMessage
	fault         *soakFault
	random        *rand.Rand
	leave         func() // cancels the caller's context

	w    http.ResponseWriter
	r    *http.Request
	over <-chan struct{}

	arrived time.Time
	said    string        // the model's words
	stop    string        // why they ended
	demand  time.Duration // before which it should not be asked again
	status  int           // of a failure
}

// nonce is in everything that is said, so that no attempt can pass for another.
func (e *soakExchange) nonce() string { return fmt.Sprintf("call %d attempt %d", e.call, e.attempt) }

func (e *soakExchange) right() string { return e.scored(e.random.IntN(100)) }

func (e *soakExchange) scored(n int) string {
	return jsonOf(soakValue{Call: e.call, Attempt: e.attempt, Score: n})
}

func half(text string) string { return text[:len(text)/2] }

func (e *soakExchange) answer() answer {
	return answer{text: e.said, parts: []string{half(e.said), e.said[len(e.said)/2:]}, stop: e.stop, in: e.call, out: e.attempt + 1}
}

// say answers in full.
func (e *soakExchange) say(text, stop string) {
	e.said, e.stop = text, stop
	if !e.stream {
		e.send(chatCompletion(nil, e.answer()))
		return
	}
	for _, frame := range chatCompletionChunks(e.answer()) {
		e.send(frame)
	}
}

// begin sends the first half of a right answer.
func (e *soakExchange) begin() {
	e.said, e.stop = e.right(), "stop"
	if e.stream {
		e.said = half(e.said)
		e.send(chatCompletionChunks(answer{parts: []string{e.said}})[0])
		return
	}
	e.send(half(chatCompletion(nil, e.answer())))
}

// send writes at once; whether anybody still reads is the caller's affair.
func (e *soakExchange) send(text string) {
	_, _ = io.WriteString(e.w, text)
	_ = http.NewResponseController(e.w).Flush()
}

func (e *soakExchange) fail(status int, message string) {
	e.status = status
	e.w.WriteHeader(status)
	e.send(jsonOf(openaiError(status, message+": "+e.nonce())))
}

// stall says no more until the client has left.
func (e *soakExchange) stall() {
	select {
	case <-e.r.Context().Done():
	case <-e.over:
	}
	panic(http.ErrAbortHandler)
}
