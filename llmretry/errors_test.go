package llmretry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// ending is a way a call can end: what errors.Is and errors.As find in its error. docs/errors.md shows this table.
type ending struct {
	name     string
	replies  []reply
	opts     []llmretry.Option
	ctx      func(context.Context) context.Context
	category llmretry.ErrorCategory
	is       []error // all of these, and none of the other sentinels
	as       string  // of structured, attempts, provider, panic: which types are found
}

var (
	errGone   = errors.New("client gone")
	errWords  = errors.New("no words")
	errLeft   = errors.New("the user left")
	sentinels = map[string]error{
		"ErrInvalidOption": llmretry.ErrInvalidOption, "ErrStructuredOutputInvalid": llmretry.ErrStructuredOutputInvalid,
		"ErrAttemptTimeout": llmretry.ErrAttemptTimeout, "ErrRetryAfter": llmretry.ErrRetryAfter, "ErrToolCalls": llmretry.ErrToolCalls,
		"ErrExhausted": llmretry.ErrExhausted, "ErrMaxAttempts": llmretry.ErrMaxAttempts, "ErrTokenBudget": llmretry.ErrTokenBudget,
		"ErrMaxModelCalls": llmretry.ErrMaxModelCalls, "context.Canceled": context.Canceled, "context.DeadlineExceeded": context.DeadlineExceeded,
		"errDown": errDown, "errBad": errBad, "errGone": errGone, "errWords": errWords, "errLeft": errLeft,
	}
)

func endings() []ending {
	parser, reask := llmretry.WithParser(want("good")), llmretry.WithReask(words)
	one := llmretry.WithMaxAttempts(1)
	cancelled := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errLeft)
		return ctx
	}
	exhausted := []error{llmretry.ErrExhausted, llmretry.ErrMaxAttempts}
	return []ending{
		{"the provider fails, one attempt allowed", []reply{fails(errDown)}, []llmretry.Option{one}, nil, llmretry.CategoryUnavailable, []error{errDown}, ""},
		{"a final provider error at once", []reply{fails(errBad)}, nil, nil, llmretry.CategoryInvalidRequest, []error{errBad}, ""},
		{"a final provider error later", []reply{fails(errDown), fails(errBad)}, nil, nil, llmretry.CategoryInvalidRequest, []error{errBad}, "attempts"},
		{"transient until exhausted", []reply{fails(errBad), fails(errBad), fails(errDown)},
			[]llmretry.Option{llmretry.WithClassifier(func(error, llmretry.State) bool { return true })}, nil, llmretry.CategoryUnavailable, append(exhausted, errDown), "attempts"},
		{"refused, no builder", []reply{says("bad")}, []llmretry.Option{parser}, nil, llmretry.CategoryStructuredOutputInvalid, []error{llmretry.ErrStructuredOutputInvalid}, "structured"},
		{"refused until exhausted", []reply{says("bad"), says("bad"), says("bad")}, []llmretry.Option{parser, reask}, nil,
			llmretry.CategoryStructuredOutputInvalid, append(exhausted, llmretry.ErrStructuredOutputInvalid), "structured attempts"},
		{"the builder fails", []reply{says("bad")}, []llmretry.Option{parser, llmretry.WithReask(func(context.Context, llmretry.Failure) (string, error) { return "", errWords })}, nil,
			llmretry.CategoryStructuredOutputInvalid, []error{llmretry.ErrStructuredOutputInvalid, errWords}, "structured attempts"},
		{"truncated, a stop entry", []reply{stops("go", "length")}, []llmretry.Option{parser, reask, llmretry.WithTruncationOverride(llmretry.Stop())}, nil,
			llmretry.CategoryTruncated, nil, "structured"},
		{"filtered", []reply{stops("good", "content_filter")}, []llmretry.Option{parser, reask}, nil, llmretry.CategoryContentFiltered, nil, "structured"},
		{"empty until exhausted", []reply{{}, {}, {}}, nil, nil, llmretry.CategoryEmptyResponse, exhausted, "attempts"},
		{"the model panics", []reply{{panics: errGone}}, nil, nil, llmretry.CategoryPanic, []error{errGone}, "panic"},
		{"the stream function fails", []reply{streams(says("good"), "good")},
			[]llmretry.Option{llmretry.WithCallOptions(llms.WithStreamingFunc(func(context.Context, []byte) error { return errGone }))}, nil,
			llmretry.CategoryCallerAborted, []error{errGone}, "provider"},
		{"a longer Retry-After than allowed", []reply{fails(limited{1000 * second})}, nil, nil, llmretry.CategoryRateLimit, []error{llmretry.ErrRetryAfter}, "attempts provider"},
		{"the token budget", []reply{says("bad")}, []llmretry.Option{parser, reask, llmretry.WithTokenBudget(5)}, nil,
			llmretry.CategoryStructuredOutputInvalid, []error{llmretry.ErrExhausted, llmretry.ErrTokenBudget, llmretry.ErrStructuredOutputInvalid}, "structured attempts"},
		{"the ceiling on model calls", []reply{fails(errDown)}, nil, func(ctx context.Context) context.Context { return llmretry.LimitModelCalls(ctx, 1) },
			llmretry.CategoryUnavailable, []error{llmretry.ErrExhausted, llmretry.ErrMaxModelCalls, errDown}, "attempts"},
		{"a stop entry in the schedule", []reply{fails(errDown)}, []llmretry.Option{llmretry.WithPerAttemptOverride(llmretry.Stop())}, nil,
			llmretry.CategoryUnavailable, append(exhausted, errDown), "attempts"},
		{"cancelled", nil, nil, cancelled, llmretry.CategoryCanceled, []error{context.Canceled, errLeft}, "attempts"},
		{"a wait beyond the deadline", []reply{fails(errDown)}, []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(1e6 * second))},
			func(ctx context.Context) context.Context { return withDeadline{ctx, time.Now().Add(1000 * second)} },
			llmretry.CategoryCanceled, []error{context.DeadlineExceeded, errDown}, "attempts"},
		{"the attempt timeout, exhausted", nil, []llmretry.Option{llmretry.WithAttemptTimeout(second)}, nil,
			llmretry.CategoryAttemptTimeout, append(exhausted, llmretry.ErrAttemptTimeout), "attempts provider"},
		{"a bad option", nil, nil, func(ctx context.Context) context.Context {
			return llmretry.NewContext(ctx, llmretry.WithMaxAttempts(0))
		}, "", []error{llmretry.ErrInvalidOption}, ""},
	}
}

// Semantics A3, A5, B2, G1: for each way a call can end, exactly what its error matches.
func TestEndings(t *testing.T) {
	for _, e := range endings() {
		t.Run(e.name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				ctx := t.Context()
				if e.ctx != nil {
					ctx = e.ctx(ctx)
				}
				var model llms.Model = newScript(t, e.replies...)
				if strings.HasPrefix(e.name, "the attempt timeout") {
					model = blocking(3)
				}
				_, err := decorate(t, model, e.opts...).GenerateContent(ctx, hello)
				require.Error(t, err)
				assert.Equal(t, e.category, llmretry.Category(err))
				for name, sentinel := range sentinels {
					expected := false
					for _, is := range e.is {
						expected = expected || is == sentinel
					}
					assert.Equal(t, expected, errors.Is(err, sentinel), "Is %s: %v", name, err)
				}
				assert.Equal(t, e.as, types(err))
				assert.Less(t, len(err.Error()), 1000)
			})
		})
	}
}

// withDeadline has a deadline that nobody must cancel.
type withDeadline struct {
	context.Context
	at time.Time
}

func (c withDeadline) Deadline() (time.Time, bool) { return c.at, true }

// types names which of the package's error types errors.As finds.
func types(err error) string {
	var found []string
	var structured *llmretry.StructuredOutputError
	var attempts *llmretry.AttemptsError
	var provider *llmretry.ProviderError
	var panicked *llmretry.PanicError
	for _, t := range []struct {
		name   string
		target any
	}{{"structured", &structured}, {"attempts", &attempts}, {"provider", &provider}, {"panic", &panicked}} {
		if errors.As(err, t.target) {
			found = append(found, t.name)
		}
	}
	return strings.Join(found, " ")
}

// Error texts are short and leave the model's text out, whatever a parser puts into its own.
func TestErrorTexts(t *testing.T) {
	output := strings.TrimSpace(strings.Repeat("secret output ", 1000))
	quoting := llmretry.ParserFunc[int](func(text string) (int, error) { return 0, fmt.Errorf("cannot parse %s as JSON", text) })
	_, err := decorate(t, newScript(t, says(output), says(output)), llmretry.WithMaxAttempts(2), llmretry.WithParser(quoting), llmretry.WithReask(words)).GenerateContent(t.Context(), hello)
	assert.Equal(t, "llmretry: failed after 2 attempts (llmretry: exhausted: no attempts left): structured output invalid: cannot parse [output] as JSON (no correction changed the output; a provider that reads only the first message needs WithFlattenedTranscript)", err.Error())
	_, err = decorate(t, newScript(t, says("a"), says("b")), llmretry.WithMaxAttempts(2), llmretry.WithParser(quoting), llmretry.WithReask(words)).GenerateContent(t.Context(), hello)
	assert.NotContains(t, err.Error(), "WithFlattenedTranscript")
	_, err = decorate(t, newScript(t, says(output), says(output)), llmretry.WithMaxAttempts(2), llmretry.WithParser(quoting), llmretry.WithReask(words), llmretry.WithFlattenedTranscript(nil)).GenerateContent(t.Context(), hello)
	assert.NotContains(t, err.Error(), "WithFlattenedTranscript")
	var refusal *llmretry.StructuredOutputError
	require.ErrorAs(t, err, &refusal)
	assert.Contains(t, refusal.ErrorMessage, output, "the surface has it all")

	issues := make(llmretry.Issues, 8)
	for i := range issues {
		issues[i] = llmretry.Issue{Path: fmt.Sprintf("/items/%d", i), Code: "type", Want: "integer", Got: `"secret"`, Message: "secret"}
	}
	err = &llmretry.StructuredOutputError{Failure: llmretry.Failure{Issues: issues, ErrorMessage: issues.Error()}}
	assert.Equal(t, "structured output invalid: /items/0: type, want integer; /items/1: type, want integer; /items/2: type, want integer; /items/3: type, want integer; /items/4: type, want integer; and 3 more issues", err.Error())
	assert.ErrorIs(t, err, llmretry.ErrStructuredOutputInvalid, "a literal is a refusal")

	assert.Equal(t, "output: refused", llmretry.Issue{}.String())
	assert.Equal(t, "no issues", llmretry.Issues{}.Error())
	assert.Equal(t, "llmretry: failed after 0 attempts", (&llmretry.AttemptsError{}).Error())
	assert.Equal(t, "structured output invalid", (&llmretry.StructuredOutputError{}).Error())
	assert.Equal(t, "provider_rate_limit (status 429) (retry after 7s): slow", (&llmretry.ProviderError{Category: llmretry.CategoryRateLimit, Status: 429, RetryAfter: 7 * second, Err: errors.New("slow")}).Error())
	long := &llmretry.PanicError{Value: strings.Repeat("é", 1000)}
	assert.Less(t, len(long.Error()), 500)
	assert.NoError(t, long.Unwrap())
}
