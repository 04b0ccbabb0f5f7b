package adapters_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tmc/langchaingo/llms"
	"go.yaml.in/yaml/v3"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/llmretry/langchaingo-llmretry/reaskprompt"
)

// categories are those a classifier may list. (Semantics B2.)
var categories = []llmretry.ErrorCategory{
	llmretry.CategoryAuthentication, llmretry.CategoryUnavailable, llmretry.CategoryInvalidModel,
	llmretry.CategoryModelNotLoaded, llmretry.CategoryRateLimit, llmretry.CategoryInvalidResponse,
	llmretry.CategoryInvalidRequest, llmretry.CategoryUnsupportedContentBlock, llmretry.CategoryStructuredOutputInvalid,
	llmretry.CategoryQuotaExceeded, llmretry.CategoryContentFiltered, llmretry.CategoryContextTooLong,
	llmretry.CategoryTruncated, llmretry.CategoryEmptyResponse, llmretry.CategoryCanceled,
	llmretry.CategoryAttemptTimeout, llmretry.CategoryPanic, llmretry.CategoryCallerAborted,
}

// classifierOf reads a classifier: default (also null, transient, default_transient), never, always, a category, or a list of categories,
// each of which is then transient and nothing else is. nil = the default, left to llmretry.
func classifierOf(n yaml.Node) (llmretry.Classifier, error) {
	var names []any
	switch v := valueOf(n).(type) {
	case nil:
		return nil, nil
	case string:
		switch v {
		case "default", "transient", "default_transient":
			return nil, nil
		case "never":
			return func(error, llmretry.State) bool { return false }, nil
		case "always":
			return func(error, llmretry.State) bool { return true }, nil
		}
		names = []any{v}
	case []any:
		names = v
	default:
		return nil, fmt.Errorf("%v is neither a name nor a list of categories", v)
	}
	var list []llmretry.ErrorCategory
	for _, name := range names {
		text, _ := name.(string)
		category := llmretry.ErrorCategory(text)
		if !slices.Contains(categories, category) {
			return nil, fmt.Errorf("%v is not one of: default, never, always, a category, a list of categories", name)
		}
		list = append(list, category)
	}
	return func(err error, _ llmretry.State) bool { return slices.Contains(list, llmretry.Category(err)) }, nil
}

// options are the decorator's, of a call with this record. Without a record a call is one attempt. A record without
// a backoff waits 0: the cases are not about the default curve, which is random.
func (r *retryRecord) options(schedule [][]llms.CallOption, wrap func(llmretry.Builder) llmretry.Builder) ([]llmretry.Option, error) {
	if r == nil {
		return []llmretry.Option{llmretry.WithMaxAttempts(1)}, nil
	}
	opts := []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(r.wait()))}
	if r.MaxAttempts != nil {
		opts = append(opts, llmretry.WithMaxAttempts(*r.MaxAttempts))
	}
	classifier, err := classifierOf(r.Classifier)
	if classifier != nil {
		opts = append(opts, llmretry.WithClassifier(classifier))
	}
	overrides := make([]llmretry.Override, len(schedule))
	for i, set := range schedule {
		overrides[i] = llmretry.Set(set...)
	}
	opts = append(opts, llmretry.WithPerAttemptOverride(overrides...))
	if r.Reask != nil {
		builder, errTemplate := reaskprompt.Format(r.Reask.Template)
		err = errors.Join(err, errTemplate)
		if builder != nil {
			opts = append(opts, llmretry.WithReask(wrap(builder)))
		}
	}
	return opts, err
}

// wait is what each transient failure is followed by.
func (r *retryRecord) wait() time.Duration {
	if r == nil || r.Backoff == nil {
		return 0
	}
	return time.Duration(r.Backoff.Seconds * float64(time.Second))
}

// attempts is the budget; the record's default is 3. (Semantics A1.)
func (r *retryRecord) attempts() int {
	switch {
	case r == nil:
		return 1
	case r.MaxAttempts == nil:
		return 3
	}
	return *r.MaxAttempts
}

// entry is the schedule's for an attempt: the last one carries forward. (Semantics D2.)
func (r *retryRecord) entry(attempt int) config {
	if r == nil || attempt == 0 || len(r.PerAttemptOverride) == 0 {
		return nil
	}
	return r.PerAttemptOverride[min(attempt, len(r.PerAttemptOverride))-1]
}

func (m *retryMiddleware) options() ([]llmretry.Option, error) {
	opts := []llmretry.Option{llmretry.WithBackoff(llmretry.Constant(0))}
	if m.MaxAttempts != nil {
		opts = append(opts, llmretry.WithMaxAttempts(*m.MaxAttempts))
	}
	classifier, err := classifierOf(m.Classifier)
	if classifier != nil {
		opts = append(opts, llmretry.WithClassifier(classifier))
	}
	return opts, err
}

// parser is the call's, of its response_schema; nil without one. Strict, as the proposal parses: the cases are about what
// happens to a refused output, and a lenient parser would heal some of them.
func (c *fixtureCall) parser() (*outputparser.JSONParser[any], error) {
	if c.ResponseSchema == nil {
		return nil, nil
	}
	schema, err := json.Marshal(c.ResponseSchema)
	if err != nil {
		return nil, err
	}
	return outputparser.FromSchema(schema, outputparser.Strict())
}
