package outputparser_test

import (
	"encoding/json"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/stretchr/testify/require"
)

type node struct {
	Value    string  `json:"value"`
	Children []*node `json:"children,omitempty"`
}

type base struct {
	ID int `json:"id"`
}

type embedding struct {
	base
	*Extra
	Name string `json:"name"`
}

type Extra struct {
	Note string `json:"note,omitempty"`
}

type box[T any] struct {
	Item T `json:"item"`
}

type level int

func (l *level) UnmarshalText(b []byte) error {
	switch string(b) {
	case "low":
		*l = 1
	case "high":
		*l = 2
	default:
		return json.Unmarshal([]byte("!"), l)
	}
	return nil
}

type color string

func (*color) UnmarshalJSON([]byte) error { return nil }

type own struct{ Raw string }

func (own) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"a"}}
}

func (o *own) UnmarshalJSON(b []byte) error { o.Raw = string(b); return nil }

type everything struct {
	When   time.Time       `json:"when"`
	Link   url.URL         `json:"link"`
	IP     net.IP          `json:"ip"`
	Addr   netip.Addr      `json:"addr"`
	Number json.Number     `json:"number"`
	Raw    json.RawMessage `json:"raw"`
	Any    any             `json:"any"`
	Bytes  []byte          `json:"bytes"`
	Big    *big.Int        `json:"big"`
	Level  level           `json:"level"`
	Color  color           `json:"color"`
	Own    own             `json:"own"`
	Counts map[string]int  `json:"counts"`
	Pair   [2]int          `json:"pair"`
	Quoted int             `json:"quoted,string"`
	Null   *string         `json:"null" jsonschema:"nullable"`
	Skip   chan int        `json:"-"`
}

type described struct {
	Mood string `json:"mood" jsonschema:"enum=good,enum=bad" jsonschema_description:"how it went"`
	N    int    `json:"n" jsonschema:"minimum=1,maximum=5"`
	Mail string `json:"mail,omitempty" jsonschema:"format=email"`
}

func schemaOf[T any](t *testing.T, opts ...outputparser.Option) string {
	t.Helper()
	p, err := outputparser.JSON[T](opts...)
	require.NoError(t, err)
	again, err := outputparser.JSON[T](opts...)
	require.NoError(t, err)
	require.Equal(t, p.GetFormatInstructions(), again.GetFormatInstructions(), "the same every time")
	require.JSONEq(t, p.GetFormatInstructions(), string(p.Schema()))
	return p.GetFormatInstructions()
}

func TestGeneratedSchemas(t *testing.T) {
	const prefix, suffix = `{"properties":{`, `},"additionalProperties":false,"type":"object"`
	for name, tc := range map[string]struct{ got, want string }{
		"described": {schemaOf[described](t), prefix + `"mood":{"type":"string","enum":["good","bad"],"description":"how it went"},` +
			`"n":{"type":"integer","maximum":5,"minimum":1},"mail":{"type":"string","format":"email"}` + suffix + `,"required":["mood","n"]}`},
		"pointer": {schemaOf[*base](t), prefix + `"id":{"type":"integer"}` + suffix + `,"required":["id"]}`},
		"recursive": {schemaOf[node](t), `{"$defs":{"node":` + prefix + `"value":{"type":"string"},"children":{"items":{"$ref":"#/$defs/node"},"type":"array"}` + suffix + `,"required":["value"]}},` +
			`"properties":{"value":{"type":"string"},"children":{"items":{"$ref":"#/$defs/node"},"type":"array"}` + suffix + `,"required":["value"]}`},
		"generic":  {schemaOf[box[[]string]](t), prefix + `"item":{"items":{"type":"string"},"type":"array"}` + suffix + `,"required":["item"]}`},
		"embedded": {schemaOf[embedding](t), prefix + `"id":{"type":"integer"},"note":{"type":"string"},"name":{"type":"string"}` + suffix + `,"required":["id","name"]}`},
		"int keys": {schemaOf[map[int]bool](t), `{"patternProperties":{"^-?[0-9]+$":{"type":"boolean"}},"additionalProperties":false,"type":"object"}`},
		"open":     {schemaOf[base](t, outputparser.AllowAdditional()), `{"properties":{"id":{"type":"integer"}},"type":"object","required":["id"]}`},
		"string":   {schemaOf[string](t), `{"type":"string"}`},
		"ints":     {schemaOf[[]int](t), `{"items":{"type":"integer"},"type":"array"}`},
		"map":      {schemaOf[map[string]bool](t), `{"additionalProperties":{"type":"boolean"},"type":"object"}`},
		"any":      {schemaOf[any](t), `true`},
	} {
		require.Equal(t, tc.want, tc.got, name)
	}
	require.Contains(t, schemaOf[box[box[node]]](t), `"$ref":"#/$defs/box_node"`)
}

func TestEverything(t *testing.T) {
	p, err := outputparser.JSON[everything]()
	require.NoError(t, err)
	v, err := p.Parse(`{"when":"2026-01-02T03:04:05Z","link":"https://example.com/x","ip":"::1","addr":"10.0.0.1","number":1.50,
		"raw":{"z": 1, "a": [2]},"any":{"n":9007199254740993},"bytes":"aGk=","big":123456789012345678901234567890,"level":"high",
		"color":{"x":1},"own":"a","counts":{"a":1,"b":2.0},"pair":[1,2],"quoted":"7","null":null,}`)
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), v.When)
	require.Equal(t, "example.com", v.Link.Host)
	require.Equal(t, "::1", v.IP.String())
	require.Equal(t, "10.0.0.1", v.Addr.String())
	require.Equal(t, json.Number("1.50"), v.Number)
	require.Equal(t, `{"z":1,"a":[2]}`, string(v.Raw), "in the model's order")
	require.Equal(t, map[string]any{"n": json.Number("9007199254740993")}, v.Any)
	require.Equal(t, "hi", string(v.Bytes))
	require.Equal(t, "123456789012345678901234567890", v.Big.String())
	require.Equal(t, level(2), v.Level)
	require.Equal(t, `"a"`, v.Own.Raw)
	require.Equal(t, map[string]int{"a": 1, "b": 2}, v.Counts)
	require.Equal(t, [2]int{1, 2}, v.Pair)
	require.Equal(t, 7, v.Quoted)
	require.Nil(t, v.Null)
}

type selfEmbedding struct {
	//lint:ignore U1000 it has no end, which is the point
	*selfEmbedding
	A int
}

type mutualA struct {
	//lint:ignore U1000 as above, by way of another type
	*mutualB
}

//lint:ignore U1000 as above
type mutualB struct{ *mutualA }

type holder struct {
	Inner []selfEmbedding `json:"inner"`
}

type hiddenPointer struct{ *base }

func TestOddTypes(t *testing.T) {
	for name, err := range map[string]error{
		"channel":        second(outputparser.JSON[chan int]()),
		"function":       second(outputparser.JSON[func()]()),
		"inner channel":  second(outputparser.JSON[struct{ C []chan int }]()),
		"complex":        second(outputparser.JSON[complex128]()),
		"interface":      second(outputparser.JSON[error]()),
		"inner":          second(outputparser.JSON[struct{ E []error }]()),
		"map keys":       second(outputparser.JSON[map[float64]int]()),
		"embeds itself":  second(outputparser.JSON[selfEmbedding]()),
		"inner embeds":   second(outputparser.JSON[holder]()),
		"embed cycle":    second(outputparser.JSON[mutualA]()),
		"hidden pointer": second(outputparser.JSON[hiddenPointer]()),
		"unsafe":         second(outputparser.JSON[uintptr]()),
	} {
		require.ErrorIs(t, err, llmretry.ErrInvalidOption, name)
	}
}

func second[T any](_ *outputparser.JSONParser[T], err error) error { return err }

// Two types of one name are two definitions.
func TestNamesDoNotCollide(t *testing.T) {
	type URL struct {
		A int `json:"a"`
	}
	type Time struct {
		B int `json:"b"`
	}
	type both struct {
		One URL  `json:"one"`
		Two Time `json:"two"`
		Box box[URL]
	}
	type outer struct {
		X both `json:"x"`
		Y struct {
			base
		} `json:"y"`
	}
	p, err := outputparser.JSON[outer]()
	require.NoError(t, err)
	_, err = p.Parse(`{"x":{"one":{"a":1},"two":{"b":2},"Box":{"item":{"a":3}}},"y":{"id":4}}`)
	require.NoError(t, err)
}
