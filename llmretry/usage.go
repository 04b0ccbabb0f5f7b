package llmretry

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"

	"github.com/tmc/langchaingo/llms"
)

// Count is a number of tokens that may not have been reported. The zero value is "not reported", which is not zero:
// it prints as "-" and marshals as null. (Semantics F10.)
type Count struct {
	N     int
	Known bool
}

// String returns the number, or "-" when it was not reported.
func (c Count) String() string {
	if !c.Known {
		return "-"
	}
	return strconv.Itoa(c.N)
}

// MarshalJSON returns the number, or null when it was not reported.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(c.N), 10), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Count) UnmarshalJSON(data []byte) error {
	var n *int
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*c = Count{}
	if n != nil {
		*c = Count{N: *n, Known: true}
	}
	return nil
}

// Usage is the token usage of one response, as the provider reported it. The zero value reports nothing.
type Usage struct{ Input, Output, Total Count }

// usageKeys are the names under which langchaingo's clients put the counters into GenerationInfo.
var usageKeys = [3][4]string{
	{"PromptTokens", "InputTokens", "input_tokens", "prompt_tokens"},
	{"CompletionTokens", "OutputTokens", "output_tokens", "completion_tokens"},
	{"TotalTokens", "total_tokens"},
}

// usageOf reads the usage of a response. Clients repeat it in every choice, so the first choice that reports any is
// it; nothing is summed over choices. (Semantics F10.)
func usageOf(r *llms.ContentResponse) Usage {
	if r == nil {
		return Usage{}
	}
	for _, c := range r.Choices {
		if c == nil {
			continue
		}
		if u := readUsage(c.GenerationInfo); u != (Usage{}) {
			return u
		}
	}
	return Usage{}
}

// readUsage normalises one GenerationInfo. All zero means not reported: clients turn a missing usage block into zeros.
// So does a total of zero beside counted parts; a total that did not come is the sum of its parts.
func readUsage(info map[string]any) Usage {
	if len(info) == 0 {
		return Usage{}
	}
	if usage, ok := info["usage"]; ok { // mistral hands over its SDK's struct
		if nested := fields(usage); nested != nil {
			info = nested
		}
	}
	var counts [3]Count
	for i, keys := range usageKeys {
		for _, key := range keys {
			if n, ok := tokens(info[key]); ok {
				counts[i] = Count{N: n, Known: true}
				break
			}
		}
	}
	u := Usage{Input: counts[0], Output: counts[1], Total: counts[2]}
	if u.Input.N+u.Output.N+u.Total.N == 0 {
		return Usage{}
	}
	if u.Total.N == 0 {
		u.Total = Count{}
		if u.Input.Known && u.Output.Known {
			u.Total = Count{N: u.Input.N + u.Output.N, Known: true}
		}
	}
	return u
}

// tokens reads a counter of any numeric type. Negative, fractional and absurd values are not reported, never repaired.
func tokens(v any) (int, bool) {
	const limit = 1 << 53     // where float64 stops counting; sums of many stay far from overflow
	if n, ok := v.(int); ok { // most clients'
		return n, n >= 0 && int64(n) <= limit
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := r.Int()
		return int(n), n >= 0 && n <= limit
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := r.Uint()
		return int(n), n <= limit
	case reflect.Float32, reflect.Float64:
		f := r.Float()
		return int(f), f >= 0 && f <= limit && f == math.Trunc(f)
	default:
		return 0, false
	}
}

// fields returns the exported fields of a struct, or the entries of a map, by name.
func fields(v any) map[string]any {
	switch r := reflect.Indirect(reflect.ValueOf(v)); r.Kind() {
	case reflect.Struct:
		m := make(map[string]any, r.NumField())
		for i := range r.NumField() {
			if f := r.Type().Field(i); f.IsExported() {
				m[f.Name] = r.Field(i).Interface()
			}
		}
		return m
	case reflect.Map:
		m, _ := r.Interface().(map[string]any)
		return m
	default:
		return nil
	}
}
