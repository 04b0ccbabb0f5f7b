package adapters_test

import (
	"bytes"
	"encoding/json"
	"math/big"
)

// sameJSON compares values by the JSON they are: 40, 40.0 and json.Number("40") are one number.
func sameJSON(a, b any) bool {
	x, errX := plain(a)
	y, errY := plain(b)
	return errX == nil && errY == nil && samePlain(x, y)
}

// plain makes maps, slices, strings, bools, nil and json.Numbers of v.
func plain(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out any
	err = d.Decode(&out)
	return out, err
}

func samePlain(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			other, ok := y[k]
			if !ok || !samePlain(x[k], other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !samePlain(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		p, okP := new(big.Rat).SetString(x.String())
		q, okQ := new(big.Rat).SetString(y.String())
		return okP && okQ && p.Cmp(q) == 0
	default:
		return a == b
	}
}

// show is v as JSON, for messages.
func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// remarshal reads v, as the JSON it is, into out.
func remarshal(v, out any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}
