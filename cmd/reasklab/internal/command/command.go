// Package command is the program: flags in, tables and files out, an exit status at the end.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/journal"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/progress"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/report"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/internal/runner"
	"github.com/llmretry/langchaingo-llmretry/cmd/reasklab/samples"
)

// Run is the program. A done drain lets what is in flight come to its end and begins nothing new, a done ctx breaks it
// off; both are an interrupt.
func Run(ctx, drain context.Context, args []string, stdout, stderr io.Writer) (status int) {
	complain := func(status int, err error) int {
		fmt.Fprintln(stderr, "reasklab:", err)
		return status
	}
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return StatusOK
	case err != nil:
		return complain(StatusUsage, err)
	case o.printStrategies:
		text, err := samples.Strategies()
		if err == nil {
			_, err = stdout.Write(text)
		}
		if err != nil {
			return complain(StatusBroken, err)
		}
		return StatusOK
	}
	in, err := o.inputs()
	if err != nil {
		return complain(StatusUsage, err)
	}
	defer in.close()
	hash, err := in.hash()
	if err != nil {
		return complain(StatusBroken, err)
	}
	j := journal.Memory()
	if o.journal != "" {
		if j, err = journal.Open(o.journal, hash); err != nil {
			status, _ := statusOf(err)
			return complain(status, err)
		}
		defer func() {
			if err := j.Close(); err != nil {
				status = complain(StatusBroken, err)
			}
		}()
	}
	run := &runner.Runner{
		Cases: in.cases, Set: in.set, Provider: in.provider, Journal: j,
		Parallel: o.parallel, Carry: in.carry, MaxTokens: o.maxTokens,
	}
	o.introduce(stderr, in, j, run.Pending())
	end := o.work(ctx, drain, run, stderr)
	status, partial := statusOf(end)
	if end != nil {
		complain(status, end)
		if partial && o.journal != "" {
			fmt.Fprintf(stderr, "The same command goes on from %s.\n", o.journal)
		}
	}
	if !partial {
		return status
	}
	result := report.New(in.cases, in.set, j, o.prices)
	result.Provider, result.Inputs = in.provider.Identity(), hash
	verdict, err := o.show(stdout, stderr, in, result)
	if err != nil {
		return complain(StatusBroken, err)
	}
	if status == StatusOK {
		status = verdict
	}
	return status
}

// introduce says what is going to happen.
func (o *options) introduce(stderr io.Writer, in *inputs, j *journal.Journal, pending int) {
	total := len(in.cases) * len(in.set.Strategies)
	fmt.Fprintf(stderr, "%d cases, strategies: %d, %s\n", len(in.cases), len(in.set.Strategies), in.provider.Identity())
	if o.offline {
		fmt.Fprintln(stderr, "This is a model of faults, with invented rates, times and prices.",
			"It shows how strategies differ, and nothing about any real model.")
	}
	if o.journal == "" && !o.offline {
		fmt.Fprintln(stderr, "There is no -journal: what an interrupted run has paid for is lost.")
	}
	if n := j.Cut(); n > 0 {
		fmt.Fprintf(stderr, "%s ended in the middle of a line; %d bytes were cut off\n", o.journal, n)
	}
	if pending < total {
		fmt.Fprintf(stderr, "%s has %d of %d runs\n", o.journal, total-pending, total)
	}
}

// work runs what is left to run and shows how far it is.
func (o *options) work(ctx, drain context.Context, run *runner.Runner, stderr io.Writer) error {
	shown := stderr
	if file, ok := stderr.(*os.File); !o.progress && !(ok && progress.IsTerminal(file)) {
		shown = nil
	}
	line := progress.New(shown, run.Pending(), !o.prices.Free())
	defer line.End()
	run.Finished = func(r journal.Record) {
		cost := 0.0
		for i := range r.Attempts {
			cost += o.prices.Of(&r.Attempts[i])
		}
		line.Add(r.Valid, r.Tokens(), cost)
	}
	return run.Run(ctx, drain)
}

// show prints and writes the results. The status is that of a run in which nothing else happened.
func (o *options) show(stdout, stderr io.Writer, in *inputs, r *report.Result) (status int, err error) {
	if !r.Complete {
		fmt.Fprintf(stderr, "incomplete: %d of %d runs\n", len(r.Records), r.Cases*len(r.Rows))
	}
	if err := r.Table(stdout); err != nil {
		return StatusBroken, err
	}
	var s *suggestion
	if o.out != "" {
		if err := o.batch(r); err != nil {
			return StatusBroken, err
		}
		if row := r.Rows[0]; row.ValidK.Count < r.Cases {
			status = StatusRefused
		}
	} else if o.want > 0 && len(r.Records) > 0 {
		if s, err = o.suggestion(in, r); err != nil {
			return StatusBroken, err
		}
		if _, err := io.WriteString(stdout, s.print(o.want)); err != nil {
			return StatusBroken, err
		}
		if !s.reached && o.wanted {
			status = StatusRefused
		}
	}
	for i := range r.Records {
		if r.Records[i].Again {
			status = StatusProvider
		}
	}
	return status, o.files(stdout, in, r, s)
}

// files writes the page and the JSON.
func (o *options) files(stdout io.Writer, in *inputs, r *report.Result, s *suggestion) error {
	if o.json != "" {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(r); err != nil {
			return err
		}
		if err := replace(o.json, b.Bytes()); err != nil {
			return err
		}
	}
	return o.page(stdout, in, r, s)
}
