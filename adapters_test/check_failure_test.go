package adapters_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// failureChecks are about what goes wrong. A Transport is there where one can be; the tables of
// TestProviderClassification have both.
func failureChecks() []matrixCheck {
	return []matrixCheck{
		{statuses, checkStatuses}, {gone, checkGone}, {cutBody, checkCut}, {page, checkPage}, {bare, checkBare}, {nothing, checkNothing},
		{cancel, checkCancel}, {deadline, checkDeadline},
	}
}

func checkStatuses(t *testing.T, d *dialect) mark {
	place := d.stand(true)
	for _, f := range failures {
		if f.name[0] < '1' || f.name[0] > '9' || f.name == "429 quota" {
			continue
		}
		c := place.rig(t, f.script(d)).observe(t)
		assert.Equal(t, f.category, c.category, f.name)
		assert.Equal(t, f.category == llmretry.CategoryUnavailable || f.category == llmretry.CategoryRateLimit, c.retried, f.name)
	}
	c := observe(t, d, failureNamed("429 quota"), true)
	if d.cells[statuses] != "" {
		assert.Equal(t, llmretry.CategoryRateLimit, c.category, "429 quota")
		return deviates
	}
	assert.Equal(t, llmretry.CategoryQuotaExceeded, c.category, "429 quota")
	return passed
}

func checkGone(t *testing.T, d *dialect) mark {
	for _, name := range []string{"refused", "dropped"} {
		c := observe(t, d, failureNamed(name), true)
		assert.Equal(t, llmretry.CategoryUnavailable, c.category, name)
		assert.True(t, c.retried, name)
	}
	return passed
}

func checkCut(t *testing.T, d *dialect) mark {
	c := observe(t, d, failureNamed("cut"), true)
	if d.cells[cutBody] != "" {
		assert.NotEqual(t, llmretry.CategoryUnavailable, c.category)
		return deviates
	}
	assert.Equal(t, llmretry.CategoryUnavailable, c.category)
	assert.True(t, c.retried)
	return passed
}

func checkPage(t *testing.T, d *dialect) mark {
	c := observe(t, d, failureNamed("no JSON"), true)
	if d.cells[page] != "" {
		return deviates
	}
	assert.Equal(t, llmretry.CategoryInvalidResponse, c.category)
	assert.False(t, c.retried)
	return passed
}

// checkBare: a 200 without a body is retried, whatever the client makes of it.
func checkBare(t *testing.T, d *dialect) mark {
	c := observe(t, d, failureNamed("empty body"), true)
	if d.cells[bare] == "" {
		assert.True(t, c.retried)
		return passed
	}
	return d.accepts(t, reply{}, c)
}

// checkNothing: an answer without content is an empty response, and retried. (Semantics F8.)
func checkNothing(t *testing.T, d *dialect) mark {
	c := observe(t, d, failureNamed("no answer"), true)
	if d.cells[nothing] == "" {
		assert.Equal(t, llmretry.CategoryEmptyResponse, c.category)
		assert.True(t, c.retried)
		return passed
	}
	return d.accepts(t, reply{body: d.empty}, c)
}

// accepts: the client takes the reply for a success. With a parser it is an empty response or final, as c has it;
// without one it is what the client says it is. (Semantics F4, F8.)
func (d *dialect) accepts(t *testing.T, a reply, c classified) mark {
	r := newRig(t, d, true, inOrder(a))
	inBubble(t, func(t *testing.T) {
		response, err := r.wrap(t, llmretry.WithMaxAttempts(1)).GenerateContent(t.Context(), question)
		if err != nil {
			assert.False(t, c.retried)
			return
		}
		assert.Equal(t, llmretry.CategoryEmptyResponse, c.category)
		require.Len(t, response.Choices, 1)
		assert.Empty(t, response.Choices[0].Content)
	})
	return deviates
}

// checkCancel: the caller's cancellation ends the call, whatever the client makes of it, and matches the cause.
// (Semantics C6.)
func checkCancel(t *testing.T, d *dialect) mark {
	gate, cause := make(chan struct{}), errors.New("the user left")
	r := newRig(t, d, true, func(_ int, got *received) reply {
		a := d.says(right)(got)
		a.gate = gate
		return a
	})
	m := r.wrap(t, correcting())
	ctx, stop := context.WithCancelCause(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := llmretry.Generate(ctx, m, personParser, question)
		errs <- err
	}()
	select {
	case <-r.arrived:
	case err := <-errs:
		require.NoError(t, err, "the call ended before it was cancelled")
	}
	stop(cause)
	result := passed
	if d.cells[cancel] != "" {
		close(gate)
		result = deviates
	}
	err := <-errs
	assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(err), "%v", err)
	assert.ErrorIs(t, err, cause)
	assert.Len(t, r.received(), 1)
	return result
}

// checkDeadline: the same for the caller's deadline, which a client may report as a failure of the network.
func checkDeadline(t *testing.T, d *dialect) mark {
	r := newRig(t, d, true, func(n int, got *received) reply {
		if n == 0 {
			return reply{fault: hang}
		}
		return d.says(right)(got)
	})
	if d.cells[deadline] != "" {
		m := r.wrap(t, byParser, llmretry.WithAttemptTimeout(500*time.Millisecond))
		ctx, reports := llmretry.CaptureReports(t.Context())
		_, err := m.GenerateContent(ctx, question)
		require.NoError(t, err)
		assert.Equal(t, llmretry.CategoryAttemptTimeout, reports()[0].Attempts[0].Category)
		return deviates
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	_, err := r.wrap(t, byParser).GenerateContent(ctx, question)
	assert.Equal(t, llmretry.CategoryCanceled, llmretry.Category(err), "%v", err)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.LessOrEqual(t, len(r.received()), 1) // 0 on a machine that is busy
	return passed
}
