package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools/sqldatabase"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// Chains over documents, a database and an API.

// adder counts in one document after the other, for Grace at first with more words than a number, and adds numbers.
func adder() func(asked) turn {
	number := regexp.MustCompile(`^\d+$`)
	return func(a asked) turn {
		text := strings.TrimSpace(a.text())
		sum := 0
		switch {
		case strings.HasPrefix(text, "Count in: Ada"):
			return tells("36")
		case strings.HasPrefix(text, "Count in: Grace"):
			return wavers("seven, I think", "7")(a)
		}
		for _, word := range strings.Fields(strings.TrimPrefix(text, "Add: ")) {
			if !number.MatchString(word) {
				return tells("I cannot add that.")
			}
			var n int
			_, _ = fmt.Sscan(word, &n)
			sum += n
		}
		return tells(fmt.Sprint(sum))
	}
}

func mapReduce(ctx context.Context, s stage) (string, error) {
	numbers := llmretry.WithParser(must(outputparser.JSON[int](outputparser.Strict())))
	count := chains.NewLLMChain(s.model(numbers), prompts.NewPromptTemplate("Count in: {{.context}}", []string{"context"}))
	add := chains.NewStuffDocuments(chains.NewLLMChain(s.model(), prompts.NewPromptTemplate("Add: {{.context}}", []string{"context"})))
	return outputOf(ctx, chains.NewMapReduceDocuments(count, add), map[string]any{
		"input_documents": []schema.Document{{PageContent: "Ada is 36."}, {PageContent: "Grace is seven."}},
	})
}

// bookshelf retrieves the same document always.
type bookshelf struct{}

func (bookshelf) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return []schema.Document{{PageContent: "[1] Ada wrote the first program."}}, nil
}

func retrieval(ctx context.Context, s stage) (string, error) {
	cites := llmretry.WithValidator(func(_ context.Context, r *llms.ContentResponse) error {
		if !strings.Contains(r.Choices[0].Content, "[1]") {
			return llmretry.Issues{{Code: "check", Message: "no source is named"}}
		}
		return nil
	})
	return chains.Run(ctx, chains.NewRetrievalQAFromLLM(s.model(cites), bookshelf{}), ask)
}

// sqlWriter would rather drop a table than count.
func sqlWriter() func(asked) turn {
	query := wavers("DROP TABLE people", "SELECT count(*) FROM people")
	return func(a asked) turn {
		if strings.Contains(a.text(), "SQLResult:count") || strings.Contains(a.text(), "SQLResult:dropped") {
			return tells("Answer: 2")
		}
		return query(a)
	}
}

// engine is a database of two people that keeps what it ran.
type engine struct{ ran *[]string }

func (engine) Dialect() string                              { return "sqlite" }
func (engine) TableNames(context.Context) ([]string, error) { return []string{"people"}, nil }
func (engine) TableInfo(context.Context, string) (string, error) {
	return "CREATE TABLE people (name TEXT)", nil
}
func (engine) Close() error { return nil }
func (e engine) Query(_ context.Context, query string, _ ...any) ([]string, [][]string, error) {
	if strings.HasPrefix(query, "SELECT *") { // the chain's own look at the table
		return []string{"name"}, [][]string{{"Ada"}, {"Grace"}}, nil
	}
	*e.ran = append(*e.ran, query)
	if strings.HasPrefix(query, "DROP") {
		return []string{"dropped"}, nil, nil
	}
	return []string{"count"}, [][]string{{"2"}}, nil
}

var writes = regexp.MustCompile(`(?i)\b(alter|create|delete|drop|insert|truncate|update)\b`)

// sqlChain asks one model for the statement and for the answer. A validator of both can only say what neither may hold.
func sqlChain(ctx context.Context, s stage) (string, error) {
	reads := llmretry.WithValidator(func(_ context.Context, r *llms.ContentResponse) error {
		if word := writes.FindString(r.Choices[0].Content); word != "" {
			return llmretry.Issues{{Code: "check", Got: word, Message: word + " is not allowed"}}
		}
		return nil
	})
	var ran []string
	database, err := sqldatabase.NewSQLDatabase(engine{&ran}, nil)
	if err != nil {
		return "", err
	}
	out, err := chains.Run(ctx, chains.NewSQLDatabaseChain(s.model(reads), 5, database), "How many people?")
	return out + " (ran " + strings.Join(ran, ", ") + ")", err
}

// apiRequest is what langchaingo's APIChain reads out of an answer.
type apiRequest struct {
	Method  string            `json:"method" jsonschema:"enum=GET"`
	Headers map[string]string `json:"headers"`
	URL     string            `json:"url" jsonschema:"pattern=^http://weather.test/"`
	Body    map[string]string `json:"body"`
}

func apiCaller() func(asked) turn {
	request := wavers("I would call the weather API.", `{"method": "GET", "headers": {}, "url": "http://weather.test/rome", "body": {}}`)
	return func(a asked) turn {
		if strings.Contains(a.text(), "raining") {
			return tells("It rains.")
		}
		return request(a)
	}
}

type weatherAPI struct{}

func (weatherAPI) Do(r *http.Request) (*http.Response, error) {
	if r.URL.String() != "http://weather.test/rome" {
		return nil, errors.New("no such address")
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("raining"))}, nil
}

// apiChain gives the parser to the first of the chain's two models. It is strict, since the chain takes everything
// between the first brace and the last.
func apiChain(ctx context.Context, s stage) (string, error) {
	chain := chains.NewAPIChain(s.model(), weatherAPI{})
	chain.RequestChain.LLM = s.model(llmretry.WithParser(must(outputparser.JSON[apiRequest](outputparser.Strict()))))
	return outputOf(ctx, chain, map[string]any{"api_docs": "GET /{city}", "input": "Weather in Rome?"})
}
