package outputparser_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/llmretry/langchaingo-llmretry/outputparser"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

type benchOrder struct {
	ID       string        `json:"id" jsonschema:"pattern=^A-[0-9]+$"`
	Status   string        `json:"status" jsonschema:"enum=draft,enum=open,enum=closed"`
	Customer benchCustomer `json:"customer"`
	Total    float64       `json:"total" jsonschema:"minimum=0"`
	Items    []benchItem   `json:"items" jsonschema:"minItems=1"`
	Note     string        `json:"note,omitempty"`
}

type benchCustomer struct {
	Name  string `json:"name"`
	Email string `json:"email" jsonschema:"format=email"`
}

type benchItem struct {
	SKU  string `json:"sku" jsonschema:"pattern=^X"`
	Qty  int    `json:"qty" jsonschema:"minimum=1"`
	Note string `json:"note"`
}

const benchReply = `{"id":"A-1007","status":"open","customer":{"name":"Zoë Müller","email":"zoe@example.com"},"total":129.95,` +
	`"items":[{"sku":"X1","qty":2,"note":"handle \"with\" care"},{"sku":"X2","qty":1,"note":"none"}]}`

const benchWrong = `{"id":"A-1007","status":"lost","customer":{"name":"Zoë Müller"},"total":129.95,` +
	`"items":[{"sku":"X1","qty":2,"note":"handle \"with\" care"},{"sku":"X2","qty":0,"note":"none"}]}`

// byHand is the work without this package: the validator's own decoder, the validator, encoding/json.
func byHand(tb testing.TB, schema []byte) func(reply string) (benchOrder, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	require.NoError(tb, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(tb, c.AddResource("urn:x", doc))
	s, err := c.Compile("urn:x")
	require.NoError(tb, err)
	return func(reply string) (v benchOrder, err error) {
		tree, err := jsonschema.UnmarshalJSON(strings.NewReader(reply))
		if err != nil {
			return v, err
		}
		if err := s.Validate(tree); err != nil {
			return v, err
		}
		err = json.Unmarshal([]byte(reply), &v)
		return v, err
	}
}

func BenchmarkJSON(b *testing.B) {
	p, err := outputparser.JSON[benchOrder]()
	require.NoError(b, err)
	hand := byHand(b, p.Schema())
	fenced := "Sure, here it is:\n```json\n" + benchReply + "\n```\n"

	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = hand(benchReply)
		}
	})
	for name, reply := range map[string]string{"accepted": benchReply, "fenced": fenced} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Parse(reply); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("3 violations with text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Parse(benchWrong); len(err.Error()) == 0 {
				b.Fatal()
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = p.Parse(benchReply)
			}
		})
	})
	b.Run("parallel, by hand", func(b *testing.B) { // what the machine's allocator and collector allow
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = hand(benchReply)
			}
		})
	})
}

// BenchmarkLarge is a reply of about 1 MB, right and wrong throughout.
func BenchmarkLarge(b *testing.B) {
	p, err := outputparser.JSON[benchOrder]()
	require.NoError(b, err)
	hand := byHand(b, p.Schema())
	right, wrong := largeOrder(18000, 1), largeOrder(10000, 0)
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = hand(right)
		}
	})
	b.Run("accepted", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = p.Parse(right)
		}
	})
	b.Run("10000 violations", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = p.Parse(wrong)
		}
	})
}

func largeOrder(n, qty int) string {
	var b strings.Builder
	b.WriteString(benchReply[:strings.Index(benchReply, `"items":[`)+len(`"items":[`)])
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"X%d","qty":%d,"note":"handle \"with\" care"}`, i, qty)
	}
	return b.String() + "]}"
}

// BenchmarkHostile is 1 MB of what models send by accident, through the whole parser; compare with BenchmarkLarge.
func BenchmarkHostile(b *testing.B) {
	p, err := outputparser.JSON[benchOrder]()
	require.NoError(b, err)
	for _, piece := range hostilePieces {
		text := strings.Repeat(piece, (1<<20)/len(piece))
		b.Run(fmt.Sprintf("%q", piece), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.Parse(text)
			}
		})
	}
}
