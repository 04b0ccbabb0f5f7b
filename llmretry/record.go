package llmretry

import "slices"

// record adds the attempt to the report, a refusal to the trail, and counts its tokens. (Semantics G2, K10.)
func (k *call) record(r *request, o *outcome, below *attemptContext) Attempt {
	a := Attempt{
		Index: k.index, Reason: k.why, Model: r.name, Judged: o.judged, Err: o.err, Latency: o.latency,
		Messages: slices.Clip(r.messages), Options: slices.Clip(r.options), Dropped: r.dropped,
		Response: o.original,
		Nested:   below.reports(), Warnings: o.warnings,
	}
	if o.original != nil && o.choice >= 0 && o.choice < len(o.original.Choices) {
		choice := o.original.Choices[o.choice]
		a.FinishReason, a.Output = finishReason(choice.StopReason), choice.Content
		if hasToolCalls(o.original) {
			a.Output = renderCalls(o.original)
		}
	}
	switch {
	case o.stopped != nil:
		a.Category = CategoryCanceled
		if a.Err == nil {
			a.Err = o.stopped
		}
	case o.err != nil:
		a.Category, k.last = Category(o.err), o.err
	}
	refusal, ok := o.err.(*StructuredOutputError)
	if ok && o.raw == nil {
		a.Usage = refusal.Usage // read once
	} else {
		a.Usage = usageOf(o.original)
	}
	if ok && a.Category == CategoryStructuredOutputInvalid && o.raw == nil {
		k.c.note(&refusal.Failure) // before anybody is shown the refusal
	}
	if k.report == nil {
		k.report = newReport()
	}
	k.report.Attempts = append(k.report.Attempts, a)
	if o.err == nil && o.stopped == nil {
		k.report.Choice = o.choice
	}
	k.count(&a)
	return a
}

// count adds the attempt's tokens to the call's. An attempt without a response counts 0. (Semantics G1.)
func (k *call) count(a *Attempt) {
	var sum Usage
	complete := true
	a.addUsage(&sum, &complete)
	k.tokens += sum.Total.N
	k.uncounted = k.uncounted || !complete
}
