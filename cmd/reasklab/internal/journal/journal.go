// Package journal keeps what was paid for: an append-only file of JSON lines from which an interrupted run goes on.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// The ways in which a file is not the journal of this run.
var (
	ErrOtherInputs = errors.New("the journal is that of other inputs")
	ErrCorrupt     = errors.New("the journal is corrupt")
	ErrInUse       = errors.New("another process is writing the journal")
)

// OtherInputsError tells the hashes apart. It matches [ErrOtherInputs].
type OtherInputsError struct{ Journal, Run string }

func (e *OtherInputsError) Error() string {
	return fmt.Sprintf("%v: it was begun with the hash %.12s, this run has %.12s", ErrOtherInputs, e.Journal, e.Run)
}

// Is matches ErrOtherInputs.
func (e *OtherInputsError) Is(target error) bool { return target == ErrOtherInputs }

// format is what the first line says the file is.
const format = "reasklab journal 1"

// line is a line of the file: the first one has Format and Inputs, any other either a record or the tokens that a run
// which was not finished had used up.
type line struct {
	Format string  `json:"format,omitempty"`
	Inputs string  `json:"inputs,omitempty"`
	Record *Record `json:"record,omitempty"`
	Wasted int     `json:"wasted,omitempty"`
}

// Journal is an open journal. A record is in the file when Append returns, so that a process that is killed loses
// nothing but what was in flight; the disk is asked to keep it once a second and at the end. It is safe for concurrent
// use.
type Journal struct {
	mu     sync.Mutex
	file   *os.File // nil: kept in memory only
	done   map[Key]Record
	wasted int
	synced time.Time
	failed error // a write that failed; nothing is appended behind half a line
	cut    int
}

// Memory returns a journal without a file: an interrupted run begins anew.
func Memory() *Journal { return &Journal{done: make(map[Key]Record)} }

// Open opens the journal of a run with these inputs (their hash), or begins it. Half a line at the end, which a killed
// process or a full disk left, is cut off. It fails with an [*OtherInputsError], with ErrCorrupt when any other line is
// not one of ours, which is never repaired, and with ErrInUse where the system has locks to tell.
func Open(name, inputs string) (*Journal, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, done: make(map[Key]Record), synced: time.Now()}
	if err = lock(file); err == nil {
		err = j.load(inputs)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return j, nil
}

// admits reports whether a record may come: there is none, or one that is to be tried again.
func (j *Journal) admits(k Key) bool {
	earlier, there := j.done[k]
	return !there || earlier.Again
}

// put takes a record in the place of an earlier one, whose tokens stay spent.
func (j *Journal) put(r Record) {
	if earlier, there := j.done[r.Key()]; there {
		j.wasted += earlier.Tokens()
	}
	j.done[r.Key()] = r
}

// Append adds a record. There is one for a case under a strategy; only one that is to be tried again gives way.
func (j *Journal) Append(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.admits(r.Key()) {
		return fmt.Errorf("case %q under %q is in the journal already", r.Case, r.Strategy)
	}
	if err := j.write(line{Record: &r}); err != nil {
		return err
	}
	j.put(r)
	return nil
}

// Waste notes the tokens of a run that came to no record, so that a ceiling counts them in the next run too.
func (j *Journal) Waste(tokens int) error {
	if tokens <= 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wasted += tokens
	return j.write(line{Wasted: tokens})
}

// write appends a line with one call, which a signal does not take apart.
func (j *Journal) write(l line) error {
	if j.file == nil {
		return nil
	}
	if j.failed != nil {
		return j.failed
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // ends in a newline, as a line does
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		return err
	}
	if _, err := j.file.Write(b.Bytes()); err != nil {
		j.failed = fmt.Errorf("journal: %w", err)
		return j.failed
	}
	if now := time.Now(); now.Sub(j.synced) >= time.Second {
		j.synced = now
		return j.file.Sync()
	}
	return nil
}

// Done returns the record of a case under a strategy, if there is one.
func (j *Journal) Done(k Key) (Record, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r, ok := j.done[k]
	return r, ok
}

// Len is the number of records.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.done)
}

// Tokens returns what all of it used up: the records, and what came to none.
func (j *Journal) Tokens() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	sum := j.wasted
	for _, r := range j.done {
		sum += r.Tokens()
	}
	return sum
}

// Cut is the number of bytes that Open cut off.
func (j *Journal) Cut() int { return j.cut }

// Close writes everything to the disk and lets go of the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.file.Sync(), j.file.Close())
}
