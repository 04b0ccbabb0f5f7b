package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// load reads the file and leaves it ready to be appended to.
func (j *Journal) load(inputs string) error {
	reader := bufio.NewReader(j.file)
	var end int64 // of the last whole line
	for n := 1; ; n++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			j.cut = len(text)
			break
		}
		if err != nil {
			return err
		}
		if err := j.take(n, text, inputs); err != nil {
			return err
		}
		end += int64(len(text))
	}
	if end == 0 && j.cut > 0 && !begunHere(j.file, j.cut) {
		return fmt.Errorf("%w: line 1: this is not a journal", ErrCorrupt) // and not ours to cut
	}
	if j.cut > 0 {
		if err := j.file.Truncate(end); err != nil {
			return err
		}
	}
	if _, err := j.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if end == 0 {
		return j.write(line{Format: format, Inputs: inputs})
	}
	return nil
}

// begunHere reports whether a file of n bytes without a whole line is a first line of ours that was cut short.
func begunHere(file io.ReaderAt, n int) bool {
	want, err := json.Marshal(line{Format: format})
	if err != nil {
		return false
	}
	want = want[:len(want)-1]
	got := make([]byte, min(n, len(want)))
	_, err = file.ReadAt(got, 0)
	return err == nil && bytes.HasPrefix(want, got)
}

func (j *Journal) take(n int, text []byte, inputs string) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("%w: line %d: %w", ErrCorrupt, n, err)
	}
	switch {
	case n == 1 && l.Format != format:
		return fmt.Errorf("%w: line 1: want the format %q", ErrCorrupt, format)
	case n == 1 && l.Inputs != inputs:
		return &OtherInputsError{Journal: l.Inputs, Run: inputs}
	case n == 1:
		return nil
	case l.Record == nil:
		j.wasted += l.Wasted
		return nil
	}
	key := l.Record.Key()
	if !j.admits(key) {
		return fmt.Errorf("%w: line %d: case %q under %q is there already", ErrCorrupt, n, key.Case, key.Strategy)
	}
	j.put(*l.Record)
	return nil
}
