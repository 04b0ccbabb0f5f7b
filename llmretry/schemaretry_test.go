package llmretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// agent answers what a SchemaRetry asks, one answer after the other, and keeps the questions.
type agent struct {
	t       testing.TB
	answers []string
	asked   []string
}

func (a *agent) ask(_ context.Context, prompt string) (string, error) {
	a.asked = append(a.asked, prompt)
	if len(a.asked) > len(a.answers) {
		a.t.Errorf("asked %d times, has %d answers", len(a.asked), len(a.answers))
		return "", io.EOF
	}
	return a.answers[len(a.asked)-1], nil
}

// number refuses by an error that names the text.
func number(raw string) (int, error) {
	n, err := strconv.Atoi(raw)
	if err != nil {
		return 0, errors.New(raw + " is no number")
	}
	return n, nil
}

// decode is a SchemaRetry with everything it needs.
func decode(a *agent) llmretry.SchemaRetry[int] {
	return llmretry.SchemaRetry[int]{Prompt: "A number.", Validate: number, AskAgain: a.ask, Compose: llmretry.PreviousErrors("")}
}

// Semantics K1: a function, a parser's method and a schema of JSON all are validators.
func TestSchemaRetryValidators(t *testing.T) {
	run := func(validate func(string) (int, error)) (int, error) {
		s := decode(&agent{t: t, answers: []string{"7"}})
		s.Validate = validate
		return s.Run(t.Context(), "seven")
	}
	for name, validate := range map[string]func(string) (int, error){
		"a function": number,
		"a parser":   llmretry.ParserFunc[int](number).Parse,
		"JSON": func(raw string) (n int, err error) {
			err = json.Unmarshal([]byte(raw), &n)
			return n, err
		},
	} {
		n, err := run(validate)
		require.NoError(t, err, name)
		assert.Equal(t, 7, n, name)
	}
}

// Semantics K2, K6, K8: attempts are validations, the first text is the caller's, and the last refusal is exhaustion.
func TestSchemaRetryBudget(t *testing.T) {
	for _, tt := range []struct {
		name     string
		attempts int
		texts    []string // the first is the caller's
		outcomes string
		fails    bool
	}{
		{"valid at once", 3, []string{"7"}, "success", false},
		{"valid at once, one attempt", 1, []string{"7"}, "success", false},
		{"one attempt", 1, []string{"a"}, "exhausted", true},
		{"two attempts, the second is valid", 2, []string{"a", "7"}, "retry success", false},
		{"two attempts", 2, []string{"a", "b"}, "retry exhausted", true},
		{"three by default, the last is valid", 0, []string{"a", "b", "7"}, "retry retry success", false},
		{"three by default", 0, []string{"a", "b", "c"}, "retry retry exhausted", true},
		{"four", 4, []string{"a", "b", "c", "d"}, "retry retry retry exhausted", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &agent{t: t, answers: tt.texts[1:]}
			var outcomes, validated []string
			s := decode(a)
			s.MaxAttempts, s.Step = tt.attempts, "plan"
			s.Outcome = func(_ context.Context, o llmretry.Outcome) { outcomes = append(outcomes, string(o)) }
			s.Validate = func(raw string) (int, error) {
				validated = append(validated, raw)
				return number(raw)
			}
			n, err := s.Run(t.Context(), tt.texts[0])
			assert.Equal(t, tt.texts, validated)
			assert.Len(t, a.asked, len(tt.texts)-1)
			assert.Equal(t, tt.outcomes, strings.Join(outcomes, " "))
			if !tt.fails {
				require.NoError(t, err)
				assert.Equal(t, 7, n)
				return
			}
			assert.Zero(t, n)
			require.ErrorIs(t, err, llmretry.ErrExhausted)
			var exhausted *llmretry.ExhaustedError
			require.ErrorAs(t, err, &exhausted)
			assert.Equal(t, "plan", exhausted.Step)
			require.Len(t, exhausted.Trail, len(tt.texts))
			last := exhausted.Trail[len(tt.texts)-1]
			assert.Equal(t, llmretry.TrailEntry{Step: "plan", Attempt: len(tt.texts) - 1, Error: last.Raw + " is no number", Raw: tt.texts[len(tt.texts)-1], Count: 1}, last)
			assert.EqualError(t, exhausted.Err, last.Error)
		})
	}
}

// Semantics K3: what is recorded, and when: before the question, and nothing for a success.
func TestSchemaRetryRecords(t *testing.T) {
	trail := llmretry.NewTrail(0)
	s := decode(nil)
	s.Trail, s.Step = trail, "plan"
	s.AskAgain = func(context.Context, string) (string, error) {
		assert.Len(t, trail.Entries(), 1, "recorded before it is asked about")
		return "7", nil
	}
	_, err := s.Run(t.Context(), "seven")
	require.NoError(t, err)
	assert.Equal(t, []llmretry.TrailEntry{{Step: "plan", Error: "seven is no number", Raw: "seven", Count: 1}}, trail.Entries())
	_, err = s.Run(t.Context(), "8")
	require.NoError(t, err)
	assert.Len(t, trail.Entries(), 1)
}

// Semantics K4: prompt, blank line, heading, errors in order, one a line; a wording of one's own has the same material.
func TestSchemaRetryQuestions(t *testing.T) {
	a := &agent{t: t, answers: []string{"b", "7"}}
	_, err := decode(a).Run(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"A number.\n\nyou previously got these errors: a is no number",
		"A number.\n\nyou previously got these errors: a is no number\nb is no number",
	}, a.asked)

	a = &agent{t: t, answers: []string{"7"}}
	s := decode(a)
	s.Compose = func(prompt string, earlier []llmretry.TrailEntry) string {
		return fmt.Sprint(prompt, " ", earlier[0].Raw, " ", len(earlier))
	}
	_, err = s.Run(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, []string{"A number. a 1"}, a.asked)
}

func TestPreviousErrors(t *testing.T) {
	two := []llmretry.TrailEntry{{Error: "a\r\nb\nc\rd", Count: 3}, {Error: "e", Count: 1}}
	for name, tt := range map[string]struct {
		heading, prompt string
		earlier         []llmretry.TrailEntry
		want            string
	}{
		"the document's":         {"", "p", two, "p\n\nyou previously got these errors: a b c d\ne"}, // semantics K4
		"a heading of one's own": {"Wrong so far:\n", "p", two, "p\n\nWrong so far:\na b c d\ne"},
		"no prompt":              {"Wrong: ", "", two, "Wrong: a b c d\ne"},
		"no errors":              {"Wrong: ", "p", nil, "p"},
		"nothing":                {"Wrong: ", "", nil, ""},
		"a prompt's own breaks":  {"Wrong: ", "p\n\n", two[1:], "p\n\n\n\nWrong: e"},
	} {
		assert.Equal(t, tt.want, llmretry.PreviousErrors(tt.heading)(tt.prompt, tt.earlier), name)
	}
}

// Semantics K5: the steps of a pipeline share a trail and not a budget; a success leaves it as it is.
func TestSchemaRetryPipeline(t *testing.T) {
	trail := llmretry.NewTrail(0)
	step := func(name, prompt string, texts ...string) []string {
		a := &agent{t: t, answers: texts[1:]}
		s := decode(a)
		s.Prompt, s.Trail, s.Step = prompt, trail, name
		_, err := s.Run(t.Context(), texts[0])
		require.NoError(t, err)
		return a.asked
	}
	step("one", "First.", "a", "b", "1")
	assert.Empty(t, step("two", "Second.", "2"), "nobody is asked, so nobody is told")
	assert.Equal(t, []string{
		"Third.\n\nyou previously got these errors: a is no number\nb is no number\nc is no number",
		"Third.\n\nyou previously got these errors: a is no number\nb is no number\nc is no number\nd is no number",
	}, step("three", "Third.", "c", "d", "3"))
	assert.Equal(t, []llmretry.TrailEntry{
		{Step: "one", Attempt: 0, Error: "a is no number", Raw: "a", Count: 1},
		{Step: "one", Attempt: 1, Error: "b is no number", Raw: "b", Count: 1},
		{Step: "three", Attempt: 0, Error: "c is no number", Raw: "c", Count: 1},
		{Step: "three", Attempt: 1, Error: "d is no number", Raw: "d", Count: 1},
	}, trail.Entries())
}

// Semantics K6: the whole trail is in the error, that of a long decode without a trail of its own too.
func TestSchemaRetryExhausted(t *testing.T) {
	cause := errors.New("cause")
	s := decode(nil)
	s.MaxAttempts = 150
	n := 0
	s.Validate = func(string) (int, error) { return 0, fmt.Errorf("%d: %w", n, cause) }
	s.AskAgain = func(context.Context, string) (string, error) { n++; return strconv.Itoa(n), nil }
	_, err := s.Run(t.Context(), "0")
	var exhausted *llmretry.ExhaustedError
	require.ErrorAs(t, err, &exhausted)
	assert.Len(t, exhausted.Trail, 150)
	assert.Equal(t, 0, exhausted.Trail[0].Attempt)
	assert.ErrorIs(t, err, cause, "it unwraps to the last error")
	assert.Equal(t, exhausted.Err, errors.Unwrap(exhausted))
	assert.NotErrorIs(t, err, llmretry.ErrMaxAttempts, "that is the decorator's")
	assert.Equal(t, llmretry.CategoryStructuredOutputInvalid, llmretry.Category(err))

	_, err = s.Run(t.Context(), "0")
	var second *llmretry.ExhaustedError
	require.ErrorAs(t, err, &second)
	assert.Len(t, second.Trail, 150, "a trail of nobody's is of one run")
}

// The texts of the model are in the fields and not in the message.
func TestSchemaRetryErrorText(t *testing.T) {
	secret := "the model's whole output"
	quoting := func(raw string) (int, error) { return 0, errors.New("cannot read " + raw + strings.Repeat("!", 1000)) }
	s := decode(&agent{t: t, answers: []string{secret}})
	s.Validate, s.Step, s.MaxAttempts = quoting, "plan", 2
	_, err := s.Run(t.Context(), "the first output")
	assert.True(t, strings.HasPrefix(err.Error(), `llmretry: exhausted: step "plan": cannot read [output]!!!`), err.Error())
	assert.Less(t, len(err.Error()), 500)

	issues := llmretry.Issues{{Path: "/a", Code: "type", Want: "string", Got: secret, Message: secret}}
	assert.EqualError(t, &llmretry.ExhaustedError{Err: issues}, "llmretry: exhausted: /a: type, want string")
	assert.EqualError(t, &llmretry.ExhaustedError{}, "llmretry: exhausted", "a literal made elsewhere")

	// What encoding/json says is not the provider's fault.
	_, err = llmretry.SchemaRetry[int]{Validate: func(raw string) (n int, err error) { return n, json.Unmarshal([]byte(raw), &n) },
		AskAgain: s.AskAgain, Compose: s.Compose, MaxAttempts: 1}.Run(t.Context(), "{")
	assert.Equal(t, llmretry.CategoryStructuredOutputInvalid, llmretry.Category(err))
}

// Semantics K7: the error of a question is the caller's own value; neither recorded nor retried.
func TestSchemaRetryAskFails(t *testing.T) {
	trail := llmretry.NewTrail(0)
	var outcomes []llmretry.Outcome
	s := decode(nil)
	s.Trail = trail
	s.Outcome = func(_ context.Context, o llmretry.Outcome) { outcomes = append(outcomes, o) }
	asked := 0
	s.AskAgain = func(context.Context, string) (string, error) {
		asked++
		return "ignored", errDown
	}
	_, err := s.Run(t.Context(), "a")
	assert.Same(t, errDown, err)
	assert.Equal(t, 1, asked)
	assert.Len(t, trail.Entries(), 1)
	assert.Equal(t, []llmretry.Outcome{llmretry.OutcomeRetry}, outcomes, "semantics K8: it was going to be asked again")
}

// Semantics K2: a context that is done asks nothing, and its error is found beside the last refusal. What needs no
// question does not need the context either.
func TestSchemaRetryContext(t *testing.T) {
	cause := errors.New("shutting down")
	canceled := func() context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	var outcomes []llmretry.Outcome
	s := decode(&agent{t: t})
	s.Step = "plan"
	s.Outcome = func(_ context.Context, o llmretry.Outcome) { outcomes = append(outcomes, o) }
	refusal := errors.New("no number in here")
	s.Validate = func(raw string) (int, error) {
		if n, err := strconv.Atoi(raw); err == nil {
			return n, nil
		}
		return 0, refusal
	}
	n, err := s.Run(canceled(), "7")
	require.NoError(t, err)
	assert.Equal(t, 7, n)

	outcomes = nil
	_, err = s.Run(canceled(), "a")
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, cause)
	assert.ErrorIs(t, err, refusal)
	assert.NotErrorIs(t, err, llmretry.ErrExhausted)
	assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(err))
	assert.EqualError(t, err, `llmretry: context canceled: shutting down: step "plan": no number in here`)
	assert.Empty(t, outcomes, "semantics K8: it is not asked again")

	s.MaxAttempts = 1
	_, err = s.Run(canceled(), "a")
	assert.ErrorIs(t, err, llmretry.ErrExhausted, "the last validation failed, whatever the context is")
	assert.NotErrorIs(t, err, context.Canceled)

	// A caller's function may be what ends it.
	outcomes, s.MaxAttempts = nil, 2
	ctx, cancel := context.WithCancel(t.Context())
	s.Compose = func(string, []llmretry.TrailEntry) string { cancel(); return "never asked" }
	_, err = s.Run(ctx, "a")
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, outcomes)

	ctx, cancel = context.WithCancel(t.Context())
	s.Compose = llmretry.PreviousErrors("")
	s.Outcome = func(context.Context, llmretry.Outcome) { cancel() }
	_, err = s.Run(ctx, "a")
	assert.ErrorIs(t, err, context.Canceled)
}

// Semantics K9: nothing is done to a text on its way to the validator, and none to the trail.
func TestSchemaRetryVerbatim(t *testing.T) {
	texts := []string{" \n```json\n{\"a\":1,}\n```\n ", "", "\x00\xff\xfe", "<think>"}
	a := &agent{t: t, answers: texts[1:]}
	var validated []string
	s := decode(a)
	s.MaxAttempts = len(texts)
	s.Validate = func(raw string) (int, error) {
		validated = append(validated, raw)
		return 0, errors.New("no")
	}
	_, err := s.Run(t.Context(), texts[0])
	var exhausted *llmretry.ExhaustedError
	require.ErrorAs(t, err, &exhausted)
	assert.Equal(t, texts, validated)
	for i, e := range exhausted.Trail {
		assert.Equal(t, texts[i], e.Raw)
	}
}

// Semantics J2: a validator's panic is a refusal, anybody else's is the caller's.
func TestSchemaRetryPanics(t *testing.T) {
	a := &agent{t: t, answers: []string{"7"}}
	s := decode(a)
	s.Validate = func(raw string) (int, error) {
		if raw == "" {
			panic(io.ErrUnexpectedEOF)
		}
		return number(raw)
	}
	n, err := s.Run(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	assert.Equal(t, []string{"A number.\n\nyou previously got these errors: llmretry: panic: unexpected EOF"}, a.asked)

	s.MaxAttempts = 1
	_, err = s.Run(t.Context(), "")
	var panicked *llmretry.PanicError
	require.ErrorAs(t, err, &panicked)
	assert.NotEmpty(t, panicked.Stack)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.ErrorIs(t, err, llmretry.ErrExhausted)
	assert.Equal(t, llmretry.CategoryStructuredOutputInvalid, llmretry.Category(err))

	for _, broken := range []error{(*nilError)(nil), brokenIssues{}} { // whose own methods panic
		s.Validate = func(string) (int, error) { return 0, broken }
		_, err = s.Run(t.Context(), "")
		assert.ErrorIs(t, err, llmretry.ErrExhausted)
		assert.ErrorAs(t, err, &panicked)
		assert.ErrorContains(t, err, "panic")
	}

	s = decode(a)
	s.Compose = func(string, []llmretry.TrailEntry) string { panic("mine") }
	assert.PanicsWithValue(t, "mine", func() { _, _ = s.Run(t.Context(), "a") })
}

// Semantics K2, K4: everything that is wrong is said at once, before anything is validated.
func TestSchemaRetryInvalid(t *testing.T) {
	_, err := llmretry.SchemaRetry[int]{MaxAttempts: -1, Trail: llmretry.NewTrail(-1)}.Run(t.Context(), "7")
	require.ErrorIs(t, err, llmretry.ErrInvalidOption)
	assert.Equal(t, []string{
		"llmretry: invalid option: SchemaRetry: nil Validate",
		"llmretry: invalid option: SchemaRetry: nil AskAgain",
		"llmretry: invalid option: SchemaRetry: nil Compose; PreviousErrors makes one",
		"llmretry: invalid option: SchemaRetry: MaxAttempts -1: want at least 1, or 0 for 3",
		"llmretry: invalid option: SchemaRetry: a Trail with a negative limit",
	}, strings.Split(err.Error(), "\n"))

	s := decode(&agent{t: t})
	s.Validate = func(string) (int, error) { t.Error("validated"); return 0, nil }
	s.Compose = nil
	_, err = s.Run(t.Context(), "7")
	assert.EqualError(t, err, "llmretry: invalid option: SchemaRetry: nil Compose; PreviousErrors makes one")
}

// One SchemaRetry and one trail serve any number of goroutines. (Semantics K10, J1.)
func TestSchemaRetryConcurrently(t *testing.T) {
	trail := llmretry.NewTrail(1000)
	s := llmretry.SchemaRetry[int]{Validate: number, Trail: trail, Compose: llmretry.PreviousErrors(""),
		AskAgain: func(_ context.Context, prompt string) (string, error) {
			if !strings.Contains(prompt, "is no number") {
				return "", errors.New("the question does not name its own error")
			}
			return "7", nil
		}}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			n, err := s.Run(context.Background(), "x"+strconv.Itoa(i))
			assert.NoError(t, err)
			assert.Equal(t, 7, n)
		})
	}
	wg.Wait()
	assert.Len(t, trail.Entries(), 200)
}

func FuzzPreviousErrors(f *testing.F) {
	f.Add("p", "", "a\nb", "c")
	f.Add("", "h", "", "\r\n")
	f.Add("p\n\n", "\n", "\xff", "\r\r")
	f.Fuzz(func(t *testing.T, prompt, heading, first, second string) { // semantics K4
		earlier := []llmretry.TrailEntry{{Error: first, Count: 1}, {Error: second, Count: 2}}
		got := llmretry.PreviousErrors(heading)(prompt, earlier)
		if heading == "" {
			heading = "you previously got these errors: "
		}
		if prompt != "" {
			heading = prompt + "\n\n" + heading
		}
		errs, ok := strings.CutPrefix(got, heading)
		require.True(t, ok, "%q", got)
		lines := strings.Split(errs, "\n")
		require.Len(t, lines, 2, "%q", errs)
		assert.NotContains(t, errs, "\r")
		unbroken := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\r' || r == '\n' }), "")
		}
		assert.Equal(t, unbroken(first), unbroken(lines[0]))
		assert.Equal(t, unbroken(second), unbroken(lines[1]))
		assert.Equal(t, prompt, llmretry.PreviousErrors(heading)(prompt, nil))
	})
}
