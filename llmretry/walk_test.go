package llmretry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// link wraps one error without building a text.
type link struct{ next error }

func (l *link) Error() string { return "link" }
func (l *link) Unwrap() error { return l.next }

// fork wraps several.
type fork struct{ next []error }

func (f *fork) Error() string   { return "fork" }
func (f *fork) Unwrap() []error { return f.next }

// Semantics B4: wrappers are transparent at any depth that can occur.
func TestDeepChains(t *testing.T) {
	const depth = 100_000
	var chain, joins, carriers error = io.EOF, io.EOF, &ProviderError{Category: CategoryRateLimit, RetryAfter: 7}
	for range depth {
		chain = &link{chain}
		joins = &fork{[]error{joins, errors.New("x")}}
		carriers = &AttemptsError{Err: carriers}
	}
	require.Equal(t, CategoryUnavailable, Category(chain))
	require.True(t, DefaultClassifier(chain, State{}))
	require.Equal(t, CategoryRateLimit, Category(carriers))
	require.False(t, DefaultClassifier(carriers, State{}))
	d, ok := retryAfterOf(carriers)
	require.True(t, ok)
	require.EqualValues(t, 7, d)
	require.NotPanics(t, func() { Category(joins) })

	joins = io.EOF
	for range depth / 2 { // two nodes each
		joins = &fork{[]error{joins, errors.New("x")}}
	}
	require.Equal(t, CategoryUnavailable, Category(joins))
}

// Semantics B4: a chain that leads back to itself ends, in whatever way it does.
func TestCyclicChains(t *testing.T) {
	loop := &link{}
	loop.next = &link{loop}
	wide := &fork{}
	wide.next = []error{wide, wide, wide}
	for range 1000 {
		wide.next = append(wide.next, wide)
	}
	carrier := &AttemptsError{}
	carrier.Err, carrier.Stop = carrier, carrier
	stops := &AttemptsError{Err: io.EOF}
	stops.Stop = &fork{[]error{stops, stops.Stop, stops}}
	for name, err := range map[string]error{"loop": loop, "wide": wide, "carrier": carrier} {
		require.Empty(t, Category(err), name)
		require.Zero(t, statusOf(err), name)
		require.False(t, DefaultClassifier(err, State{}), name)
		require.Same(t, err, annotate(err, &exchange{status: 200}), name)
		require.NotPanics(t, func() { _ = annotate(err, &exchange{err: io.EOF}) }, name)
	}
	require.Equal(t, CategoryUnavailable, Category(stops))
	require.Equal(t, CategoryCanceled, Category(&fork{[]error{wide, context.Canceled}}), "the branch after an endless one")
}

// Semantics B4: the visit's order is outermost first, then the branches of a join in order; of a carrier only Err.
func TestWalkOrder(t *testing.T) {
	leaf := func(s string) error { return errors.New(s) }
	tree := fmt.Errorf("root: %w", errors.Join(
		fmt.Errorf("a: %w", leaf("a1")), nil,
		&fork{[]error{leaf("b1"), nil, leaf("b2")}},
		&AttemptsError{Err: leaf("c1"), Stop: leaf("not visited")},
		leaf("d"),
	))
	var leaves []string
	walk(tree, maxNodes, func(err, parent error, leaf bool) step {
		if leaf {
			require.NotNil(t, parent)
			leaves = append(leaves, err.Error())
		}
		return descend
	})
	require.Equal(t, []string{"a1", "b1", "b2", "c1", "d"}, leaves)

	leaves = nil
	walk(tree, maxNodes, func(err, _ error, leaf bool) step {
		leaves = append(leaves, err.Error())
		if _, ok := err.(*fork); ok {
			return skip
		}
		if err.Error() == "c1" {
			return stop
		}
		return descend
	})
	require.NotContains(t, leaves, "b1")
	require.NotContains(t, leaves, "d")
}

// asIssues has nothing below it and still is issues to whoever asks.
type asIssues struct{ error }

func (asIssues) As(target any) bool {
	is, ok := target.(*Issues)
	if ok {
		*is = Issues{{Code: "own"}}
	}
	return ok
}

// itself wraps nothing but itself.
type itself struct{}

func (itself) Error() string   { return "itself" }
func (e itself) Unwrap() error { return e }

func TestFind(t *testing.T) {
	issues := Issues{{Code: "type"}}
	for name, err := range map[string]error{
		"alone": issues, "wrapped": fmt.Errorf("a: %w", issues), "joined": errors.Join(errors.New("b"), fmt.Errorf("c: %w", issues)),
	} {
		found, ok := find[Issues](err)
		require.True(t, ok, name)
		require.Equal(t, issues, found, name)
	}
	found, ok := find[Issues](fmt.Errorf("d: %w", asIssues{errors.New("e")}))
	require.True(t, ok)
	require.Equal(t, "own", found[0].Code)
	for _, err := range []error{nil, errors.New("f"), errors.Join(errors.New("g"), nil), itself{}} {
		_, ok := find[Issues](err)
		require.False(t, ok)
	}
}
