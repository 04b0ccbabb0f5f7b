package llmretry

import (
	"math"
	"slices"
	"sync"
)

// defaultTrailLimit is how many entries a trail keeps when nothing else is said.
const defaultTrailLimit = 100

// Trail remembers what was refused in the steps of a pipeline, so that a later question can say what went wrong in the
// earlier ones. Steps share it by [WithTrail] or [SchemaRetry]; success does not clear it, so give each run of a pipeline
// one of its own. (Semantics K3, K5.)
//
// It is bounded. A failure whose step, error and raw text are those of an entry is a repeat: it adds to that entry's
// Count and is nowhere else, so the entry keeps its place and the Attempt of its first time. A failure that is new to a
// full trail drops the oldest entry, the one whose first failure is longest ago, with its Count, for good. Texts are kept
// whole: the limit is a number of entries and not of bytes. (Semantics K10.)
//
// The zero Trail is empty, has the limit 100 and is ready for use. A Trail is safe for concurrent use and must not be
// copied. As JSON it is an object with its limit and its entries.
type Trail struct {
	mu      sync.Mutex
	limit   int // 0 = defaultTrailLimit
	entries []TrailEntry
}

// TrailEntry is one failure in a [Trail], or several that were the same.
type TrailEntry struct {
	Step    string
	Attempt int    // from 0; of a repeated failure the first
	Error   string // what was wrong, as the validator said it
	Raw     string // the refused text, verbatim
	Count   int    // how often it was recorded; 1 = no repeats
}

// NewTrail returns an empty trail of at most limit entries; 0 means 100. With a negative limit, whoever is given the
// trail reports [ErrInvalidOption]: [WithTrail], [SchemaRetry.Run] and the JSON methods.
func NewTrail(limit int) *Trail { return &Trail{limit: limit} }

// Entries returns a copy of the entries, oldest first, nil when there are none. A nil Trail has none.
func (t *Trail) Entries() []TrailEntry {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.entries)
}

// record adds a failure. before and after are the entries without and with it, as copies: taken in one step, since
// another goroutine may be recording too.
func (t *Trail) record(e TrailEntry) (before, after []TrailEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = slices.Clone(t.entries)
	t.add(e)
	return before, slices.Clone(t.entries)
}

// add needs t's lock, or a t nobody else knows.
func (t *Trail) add(e TrailEntry) {
	same := slices.IndexFunc(t.entries, func(have TrailEntry) bool {
		return have.Step == e.Step && have.Error == e.Error && have.Raw == e.Raw
	})
	if same >= 0 {
		n := &t.entries[same].Count
		*n += min(e.Count, math.MaxInt-*n)
		return
	}
	if t.entries = append(t.entries, e); len(t.entries) > t.bound() {
		t.entries = slices.Delete(t.entries, 0, 1)
	}
}

func (t *Trail) bound() int {
	if t.limit == 0 {
		return defaultTrailLimit
	}
	return t.limit
}

// valid reports what is wrong with t as somebody's option. The limit of a trail in use changes only by UnmarshalJSON.
func (t *Trail) valid() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.limit >= 0
}

// note records a refusal in the call's trail and tells it what was there before. (Semantics K10.)
func (c *config) note(f *Failure) {
	if c.trail != nil {
		f.Earlier, _ = c.trail.record(TrailEntry{
			Step: c.step, Attempt: f.Attempt, Error: f.ErrorMessage, Raw: f.OutputContent, Count: 1,
		})
	}
}
