package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/price"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
)

// options are the flags.
type options struct {
	cases, schema, sample        string
	offline                      bool
	provider, model, bigger, url string
	timeout                      time.Duration
	strategies                   string
	only                         names
	attempts                     int
	printStrategies              bool
	parallel, requests           int
	maxTokens                    int
	maxWait                      time.Duration
	journal                      string
	progress                     bool
	prices                       report.Prices
	html, json                   string
	want                         float64
	wanted                       bool // -want was given
	out, refused                 string
	seed                         uint64
}

// names is a flag that may be given several times. Names have commas in them, so that no list in one flag will do.
type names []string

func (n *names) String() string { return fmt.Sprint(*n) }
func (n *names) Set(s string) error {
	*n = append(*n, s)
	return nil
}

const usage = `reasklab runs prompts under several strategies for refused answers, and says which heals your model.

  reasklab -offline
        the samples and a model of faults: no key, no network, no prediction about any real model
  reasklab -print-strategies > strategies.yaml
  reasklab -cases cases.jsonl -schema schema.json -strategies strategies.yaml -provider openai -model M -journal run.jsonl
        your prompts, your words, your model; run it again after an interrupt and it goes on
  reasklab ... -strategy reask -out valid.jsonl -refused refused.jsonl
        one strategy, and the values it got

docs/lab.md says more. Flags:
`

// parse reads the flags. flag.ErrHelp has been answered already.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("reasklab", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, usage)
		f.PrintDefaults()
	}
	f.StringVar(&o.cases, "cases", "", "`file` of cases, a JSON object a line; without it the samples")
	f.StringVar(&o.schema, "schema", "", "`file` with the JSON Schema of cases that have none of their own")
	f.StringVar(&o.sample, "sample", "", "only this set of the samples: extraction, classification or nested")
	f.BoolVar(&o.offline, "offline", false, "ask a model of faults in this process; so it is without -provider")
	f.StringVar(&o.provider, "provider", "", "openai (or compatible), anthropic or ollama")
	f.StringVar(&o.model, "model", "", "the provider's `name` of the model")
	f.StringVar(&o.bigger, "bigger", "", "the provider's `name` of the bigger model, for strategies that escalate")
	f.StringVar(&o.url, "base-url", "", "the provider's address, if it is not the usual one")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "of one request")
	f.StringVar(&o.strategies, "strategies", "", "`file` of strategies; -offline has its own, -print-strategies shows them")
	f.Var(&o.only, "strategy", "run this one only, by its `name`; may be given several times")
	f.IntVar(&o.attempts, "attempts", 0, "of strategies that do not say; 0 = as the file says")
	f.BoolVar(&o.printStrategies, "print-strategies", false, "print the strategies of the samples and do nothing else")
	f.IntVar(&o.parallel, "parallel", 4, "cases at a time")
	f.IntVar(&o.requests, "requests", 10, "for one answer, as long as the provider fails; below the strategies' attempts")
	f.IntVar(&o.maxTokens, "max-tokens-total", 0, "ceiling for all cases together, those in the journal included; 0 = none")
	f.DurationVar(&o.maxWait, "max-wait", 2*time.Minute, "for a provider that says when to come back")
	f.StringVar(&o.journal, "journal", "", "`file` that results are appended to, and that an interrupted run goes on from")
	f.BoolVar(&o.progress, "progress", false, "show progress, also when nobody seems to look")
	f.Var(&o.prices.Main, "price", "of a million tokens `in,out`, as 0.15,0.60")
	f.Var(&o.prices.Bigger, "bigger-price", "the same for the bigger model, as `in,out`")
	f.StringVar(&o.html, "html", "", "`file` for the page with the curves; -offline puts it into a new temporary folder")
	f.StringVar(&o.json, "json", "", "`file` for the results as JSON, all answers included")
	f.Float64Var(&o.want, "want", 0.95, "share of valid answers for which the cheapest schedule is wanted; 0 = no suggestion")
	f.StringVar(&o.out, "out", "", "`file` for the valid values of the one strategy, a JSON object a line")
	f.StringVar(&o.refused, "refused", "", "`file` for the cases without one, each with its trail")
	f.Uint64Var(&o.seed, "seed", 1, "of the model of faults")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	f.Visit(func(set *flag.Flag) { o.wanted = o.wanted || set.Name == "want" })
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return o, o.check()
}

// check finds flags that do not go together.
func (o *options) check() error {
	var errs []error
	never := func(bad bool, why string) {
		if bad {
			errs = append(errs, errors.New(why))
		}
	}
	o.offline = o.offline || o.provider == ""
	never(o.offline && o.provider != "", "-offline or -provider: which?")
	never(o.offline && (o.model != "" || o.bigger != "" || o.url != ""), "-model, -bigger and -base-url need -provider")
	never(!o.offline && o.model == "", "-provider needs -model")
	never(!o.offline && o.strategies == "" && !o.printStrategies,
		"-provider needs -strategies: the words that go to your model are yours (begin with -print-strategies)")
	never(o.cases != "" && o.sample != "", "-cases or -sample: which?")
	never(o.cases == "" && o.schema != "", "-schema is for -cases")
	never(o.parallel < 1 || o.parallel > 1000, "-parallel: want 1 to 1000")
	never(o.requests < 1, "-requests: want 1 at least")
	never(o.attempts < 0 || o.maxTokens < 0, "-attempts and -max-tokens-total cannot be negative")
	never(o.timeout <= 0 || o.maxWait < 0, "a duration is out of range")
	never(!(o.want >= 0 && o.want <= 1), "-want: a share from 0 to 1")
	never(o.refused != "" && o.out == "", "-refused goes with -out")
	if o.offline && o.prices.Free() {
		o.prices = report.Prices{Main: price.Price{In: 0.15, Out: 0.6}, Bigger: price.Price{In: 2.5, Out: 10}} // invented, as all of it
	}
	return errors.Join(errs...)
}
