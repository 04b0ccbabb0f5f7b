package strategy

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Read reads a set of strategies from YAML. attempts replaces the number that is for all strategies which do not say one;
// 0 leaves it. Everything wrong with it comes back as one error, each part of which matches
// [ErrInvalid]; an unknown key is wrong.
func Read(data []byte, attempts int) (*Set, error) {
	var s Set
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	switch err := d.Decode(&s); {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: there are none", ErrInvalid)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: a second document follows", ErrInvalid)
	}
	if attempts != 0 {
		s.Attempts = attempts
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	return &s, nil
}
