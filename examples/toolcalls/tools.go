package main

import (
	"context"

	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/internal/loopback"
	"github.com/llmretry/langchaingo-llmretry/llmretry"
	"github.com/llmretry/langchaingo-llmretry/outputparser"
)

// Query is what the weather tool takes, Forecast what it replies.
type (
	Query struct {
		City string `json:"city"`
		Days int    `json:"days" jsonschema:"minimum=1,maximum=7"`
	}
	Forecast struct {
		City    string `json:"city"`
		Celsius []int  `json:"celsius"`
	}
)

// toolkit declares the tools. One takes nothing.
func toolkit() []llms.Tool {
	return []llms.Tool{
		llmretry.Must(outputparser.JSON[Query]()).Tool("weather", "The weather of a city for up to seven days."),
		{Type: "function", Function: &llms.FunctionDefinition{Name: "health", Description: "Whether the service is well."}},
	}
}

// service is where the tools run. Its first weather reply is cut off.
type service struct{ asked int }

func (s *service) weather(context.Context, string) (string, error) {
	if s.asked++; s.asked == 1 {
		return `{"city": "Rome", "celsius": [21, 22`, nil
	}
	return `{"city": "Rome", "celsius": [21, 22, 19]}`, nil
}

// played is a small model that writes a number out until it is told not to.
func played(r loopback.Request) loopback.Answer {
	switch {
	case r.Says(`"celsius":[21,22,19]`):
		return loopback.Says("21, 22 and 19 degrees, and the service is well.")
	case r.Says("/days"):
		return loopback.Answer{Calls: []loopback.Call{{Name: "health", Arguments: "{}"}, {Name: "weather", Arguments: `{"city": "Rome", "days": 3}`}}}
	}
	return loopback.Answer{Calls: []loopback.Call{{Name: "health", Arguments: ""}, {Name: "weather", Arguments: `{"city": "Rome", "days": "three"}`}}}
}
