package genkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
)

// order is the type of the typed rows in the folder above; genkit reads the same tags.
type order struct {
	ID       string   `json:"id" jsonschema:"pattern=^A-[0-9]+$"`
	Status   string   `json:"status" jsonschema:"enum=draft,enum=open,enum=closed"`
	Currency string   `json:"currency,omitempty" jsonschema:"pattern=^[A-Z]{3}$"`
	Customer customer `json:"customer"`
	Items    []item   `json:"items" jsonschema:"minItems=1"`
	Total    float64  `json:"total" jsonschema:"minimum=0"`
	Note     string   `json:"note,omitempty"`
}

type customer struct {
	Name    string  `json:"name" jsonschema:"minLength=1"`
	Email   string  `json:"email" jsonschema:"format=email"`
	Address address `json:"address"`
}

type address struct {
	Street  string `json:"street,omitempty"`
	City    string `json:"city"`
	Zip     string `json:"zip" jsonschema:"pattern=^[0-9]{5}$"`
	Country string `json:"country,omitempty"`
}

type item struct {
	SKU   string  `json:"sku" jsonschema:"pattern=^X"`
	Qty   int     `json:"qty" jsonschema:"minimum=1"`
	Price float64 `json:"price,omitempty" jsonschema:"minimum=0"`
	Note  string  `json:"note,omitempty"`
}

var (
	errDown = errors.New("API returned unexpected status code: 503: Service Unavailable")
	errBad  = errors.New("not good")
)

// fake is a model of genkit that gives a bad answer, or an error, a number of times before each good one.
type fake struct {
	times, n  int
	bad, good string
	err       error
}

func (f *fake) generate(_ context.Context, r *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	if f.n++; f.n <= f.times {
		return answer(r, f.bad), f.err
	}
	f.n = 0
	return answer(r, f.good), nil
}

func answer(r *ai.ModelRequest, text string) *ai.ModelResponse {
	return &ai.ModelResponse{Request: r, Message: ai.NewModelTextMessage(text), FinishReason: ai.FinishReasonStop}
}

// kit is genkit with one model.
func kit(f *fake) (*genkit.Genkit, ai.Model) {
	g := genkit.Init(context.Background())
	return g, genkit.DefineModel(g, "fake/model", &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, SystemRole: true, Media: true}}, f.generate)
}

// again is a middleware that repeats a failed call; genkit has none of its own.
func again(attempts int) ai.ModelMiddleware {
	return func(next ai.ModelFunc) ai.ModelFunc {
		return func(ctx context.Context, r *ai.ModelRequest, cb ai.ModelStreamCallback) (response *ai.ModelResponse, err error) {
			for range attempts {
				if response, err = next(ctx, r, cb); err == nil {
					return response, nil
				}
			}
			return nil, err
		}
	}
}

// reask is a middleware that asks again with a correction, written with the care of the loop by hand: a request and a
// list of messages of its own.
func reask(attempts int, check func(string) error) ai.ModelMiddleware {
	return func(next ai.ModelFunc) ai.ModelFunc {
		return func(ctx context.Context, r *ai.ModelRequest, cb ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			var err error
			own := *r
			for range attempts {
				var response *ai.ModelResponse
				if response, err = next(ctx, &own, cb); err != nil {
					return nil, err
				}
				said := response.Text()
				if err = check(said); err == nil {
					return response, nil
				}
				m := own.Messages
				own.Messages = append(m[:len(m):len(m)], ai.NewModelTextMessage(said), ai.NewUserTextMessage("fix it"))
			}
			return nil, err
		}
	}
}

func good(text string) error {
	if text != "good" {
		return errBad
	}
	return nil
}

func loop(b *testing.B, name string, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// generate is one call with a middleware.
func generate(f *fake, prompt string, mw ...ai.ModelMiddleware) func() error {
	g, model := kit(f)
	return func() error {
		_, err := genkit.Generate(context.Background(), g, ai.WithModel(model), ai.WithMessages(ai.NewUserTextMessage(prompt)), ai.WithMiddleware(mw...))
		return err
	}
}

func BenchmarkClean(b *testing.B) {
	loop(b, "options=0/genkit-middleware", generate(&fake{good: "a"}, "hello", again(3)))
}

func BenchmarkTransient(b *testing.B) {
	for _, n := range []int{1, 3} {
		loop(b, fmt.Sprintf("failures=%d/genkit-middleware", n), generate(&fake{times: n, err: errDown, good: "a"}, "hello", again(4)))
	}
}

func BenchmarkReask(b *testing.B) {
	for _, n := range []int{1, 2} {
		loop(b, fmt.Sprintf("reasks=%d/genkit-middleware", n), generate(&fake{times: n, bad: "bad", good: "good"}, "hello", reask(n+1, good)))
	}
}

// BenchmarkTranscript leaves out the 5 MB message: an attempt of it takes half a second and 200 MB.
func BenchmarkTranscript(b *testing.B) {
	for name, size := range map[string]int{"1KB": 1 << 10, "100KB": 100 << 10} {
		for _, n := range []int{1, 4} {
			f := &fake{times: n, bad: "bad", good: "good"}
			loop(b, fmt.Sprintf("first=%s,reasks=%d/genkit-middleware", name, n), generate(f, strings.Repeat("a", size), reask(n+1, good)))
		}
	}
}

func BenchmarkTyped(b *testing.B) {
	reply, err := os.ReadFile("../testdata/order.json")
	if err != nil {
		b.Fatal(err)
	}
	g, model := kit(&fake{good: string(reply)})
	loop(b, "schema/genkit", func() error {
		v, _, err := genkit.GenerateData[order](context.Background(), g, ai.WithModel(model), ai.WithPrompt("hello"))
		if err == nil && v.Customer.Address.Zip != "50667" {
			return errBad
		}
		return err
	})
}
