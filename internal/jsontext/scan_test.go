package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestScan(t *testing.T) {
	for _, tc := range []struct {
		text     string
		strict   FaultKind
		tolerant FaultKind
		offset   int // of the strict fault
	}{
		{`{}`, NoFault, NoFault, 0},
		{` {"a" : [1, -2.5e+3, true, false, null, "x"]} `, NoFault, NoFault, 0},
		{`"\u00e9\ud83d\ude00\/\n"`, NoFault, NoFault, 0},
		{``, Truncated, Truncated, 0},
		{`  `, Truncated, Truncated, 2},
		{`{`, Truncated, Truncated, 1},
		{`{"a`, Truncated, Truncated, 3},
		{`{"a"`, Truncated, Truncated, 4},
		{`{"a":`, Truncated, Truncated, 5},
		{`{"a":1`, Truncated, Truncated, 6},
		{`{"a":1,`, Truncated, Truncated, 7},
		{`[1`, Truncated, Truncated, 2},
		{`tru`, Truncated, Truncated, 3},
		{`-`, Truncated, Truncated, 1},
		{`1.`, Truncated, Truncated, 2},
		{`1e`, Truncated, Truncated, 2},
		{`"\`, Truncated, Truncated, 2},
		{`"\u12`, Truncated, Truncated, 5},
		{`"\ud83d`, Truncated, Truncated, 7},
		{`"\ud83d\`, Truncated, Truncated, 8},
		{`"\ud83d\u`, Truncated, Truncated, 9},
		{`trux`, Syntax, Syntax, 0},
		{`{a:1}`, Syntax, Syntax, 1},
		{`{"a" 1}`, Syntax, Syntax, 5},
		{`{"a":1 "b":2}`, Syntax, Syntax, 7},
		{`[1 2]`, Syntax, Syntax, 3},
		{`[1}`, Syntax, Syntax, 2},
		{`{"a":1]`, Syntax, Syntax, 6},
		{`[,]`, Syntax, Syntax, 1},
		{`[1,,2]`, Syntax, Syntax, 3},
		{`[-x]`, Syntax, Syntax, 1},
		{`[1.x]`, Syntax, Syntax, 1},
		{`[1ex]`, Syntax, Syntax, 1},
		{`[.5]`, Syntax, Syntax, 1},
		{`[+1]`, Syntax, Syntax, 1},
		{`[01]`, Syntax, Syntax, 2},
		{`"\x"`, Syntax, Syntax, 1},
		{`"\u12g4"`, Syntax, Syntax, 1},
		{"\"\x01\"", Syntax, Syntax, 1},
		{`[1,]`, Syntax, NoFault, 3},
		{`{"a":1,}`, Syntax, NoFault, 7},
		{"\"a\nb\tc\rd\"", Syntax, NoFault, 2},
		{"{\u00a0\"a\":1}", Syntax, NoFault, 1},
		{"{/* x */\"a\"//y\n:1 # z\n}", Syntax, NoFault, 1},
		{"[1 /* x", Syntax, Truncated, 3},
		{"[1 // ]", Syntax, Truncated, 3},
		{"[1 / 2]", Syntax, Syntax, 3},
		{"[\u200b1]", Syntax, Syntax, 1},
		{`["\ud800"]`, LoneSurrogate, LoneSurrogate, 2},
		{`["\ud800\n"]`, LoneSurrogate, LoneSurrogate, 2},
		{`["\ud800\u0041"]`, LoneSurrogate, LoneSurrogate, 2},
		{`["\udc00"]`, LoneSurrogate, LoneSurrogate, 2},
		{"[\"ab\xff\"]", InvalidUTF8, InvalidUTF8, 4},
		{"[\"\xed\xa0\x80\"]", InvalidUTF8, InvalidUTF8, 2},
		{`[1e999]`, NumberRange, NumberRange, 1},
		{`[1e1000001]`, NumberRange, NumberRange, 1},
		{`[-1e-1000001]`, NumberRange, NumberRange, 1},
		{"[" + strings.Repeat("9", 309) + "]", NumberRange, NumberRange, 1},
		{"[0." + strings.Repeat("9", 500) + "]", NumberRange, NumberRange, 1},
		{"[" + strings.Repeat("9", 300) + "]", NoFault, NoFault, 0},
		{strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), NoFault, NoFault, 0},
		{strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), TooDeep, TooDeep, MaxDepth},
	} {
		name := tc.text[:min(len(tc.text), 30)]
		_, fault := Scan(tc.text, 0, RFC8259)
		require.Equal(t, tc.strict, fault.Kind, name)
		require.Equal(t, tc.offset, fault.Offset, name)
		v, fault := Scan(tc.text, 0, Tolerant)
		require.Equal(t, tc.tolerant, fault.Kind, name)
		require.Equal(t, tc.strict != tc.tolerant && fault.Kind == NoFault, v.Loose, name)
	}
}

func TestScanExtent(t *testing.T) {
	v, fault := Scan(`x [1, {"a": [2]}] y`, 1, RFC8259)
	require.Zero(t, fault)
	require.Equal(t, Value{Start: 2, End: 17, Nodes: 5, Depth: 3}, v)
	require.Equal(t, `[1, {"a": [2]}]`, v.Text(`x [1, {"a": [2]}] y`))
}

// TestStackNeedsNoReset scans with a stack that an earlier value has written to.
func TestStackNeedsNoReset(t *testing.T) {
	var stack Stack
	for _, text := range []string{`{"a":{"b":{}}}`, `[[[]]]`, `{"a":[{"b":1}]}`, `[{"a":[1]},[2]]`} {
		_, fault := ScanWith(&stack, text, 0, RFC8259)
		require.Zero(t, fault, text)
	}
}

var seeds = []string{
	`{"a":1,"b":[true,null,"x\u00e9\n"],"c":{"d":-1.5e3}}`, `[1,]`, "{\"a\":\"b\nc\"}", `{"a":1,"a":1}`, `{"a":1,"a":2}`,
	`"\ud83d\ude00"`, `"\ud83d"`, "[1, /* c */ 2 // d\n]", "{\u00a0}", `1e5`, `1e999`, `[[[[]]]]`, "\"\xff\"", `{"`, ` tru`,
	`[-0.0,1E+2,0e1]`, `"0123456789abcdef0123456789é\""`,
}

// FuzzScan holds the scanner and the decoder against encoding/json.
func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		strict, fault := Scan(s, 0, RFC8259)
		whole := fault.Kind == NoFault && strings.TrimRight(s[strict.End:], " \t\r\n") == ""
		switch valid := json.Valid([]byte(s)); {
		case whole:
			require.True(t, valid)
		case valid:
			require.Contains(t, []FaultKind{TooDeep, NumberRange, InvalidUTF8, LoneSurrogate}, fault.Kind)
		}
		loose, looseFault := Scan(s, 0, Tolerant)
		if fault.Kind == NoFault {
			require.Equal(t, strict, loose)
			checkDecode(t, s, strict)
		}
		if looseFault.Kind == NoFault {
			checkClean(t, s, loose)
		}
	})
}

func checkDecode(t *testing.T, s string, v Value) {
	require.True(t, utf8.ValidString(v.Text(s)))
	got, dup := Decode(s, v, RFC8259)
	spanned, span, dup2 := DecodeSpans(s, v, RFC8259)
	require.Equal(t, dup == nil, dup2 == nil)
	if dup != nil {
		return
	}
	require.Equal(t, got, spanned)
	require.Equal(t, [2]int{v.Start, v.End}, [2]int{span.Start, span.End})
	dec := json.NewDecoder(strings.NewReader(v.Text(s)))
	dec.UseNumber()
	var want any
	require.NoError(t, dec.Decode(&want))
	require.Equal(t, want, got)
	require.True(t, Equal(got, want))

	back, fault := Scan(string(Append(nil, got)), 0, RFC8259)
	require.Zero(t, fault)
	again, _ := Decode(string(Append(nil, got)), back, RFC8259)
	require.Equal(t, got, again)
	require.LessOrEqual(t, len(Sample(got, 50)), 50)
}

func checkClean(t *testing.T, s string, v Value) {
	clean := Clean(s, v)
	cv, fault := Scan(clean, 0, RFC8259)
	require.Zero(t, fault, clean)
	require.Equal(t, len(clean), cv.End)
	require.Equal(t, v.Nodes, cv.Nodes)
	a, dupA := Decode(s, v, Tolerant)
	b, dupB := Decode(clean, cv, Tolerant)
	require.Equal(t, dupA == nil, dupB == nil)
	if dupA == nil {
		require.Equal(t, a, b)
	}
}
