package llmretry

import "slices"

// record adds the attempt to the report, a refusal to the trail, and counts its tokens. (Semantics G2, K10.)
func (k *call) record(r *request, o *outcome, below *attemptContext) *Attempt {
	if k.report == nil {
		k.report = newReport()
	}
	a := k.report.next(k.c.maxAttempts)
	*a = Attempt{
		Index: k.index, Reason: k.why, Model: r.name, Judged: o.judged, Err: o.err, Latency: o.latency,
		Messages: slices.Clip(r.messages), Options: slices.Clip(r.options), Dropped: r.dropped,
		Response: o.original,
		Nested:   below.reports(), Warnings: o.warnings,
	}
	refusal, ok := o.err.(*StructuredOutputError)
	ok = ok && o.raw == nil
	if ok { // read once
		a.Usage, a.FinishReason, a.Output = refusal.Usage, refusal.FinishReason, refusal.OutputContent
	} else {
		a.Usage = usageOf(o.original)
		if o.original != nil && o.choice >= 0 && o.choice < len(o.original.Choices) {
			choice := o.original.Choices[o.choice]
			a.FinishReason, a.Output = finishReason(choice.StopReason), choice.Content
			if hasToolCalls(o.original) {
				a.Output = renderCalls(o.original)
			}
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
	if ok && a.Category == CategoryStructuredOutputInvalid {
		k.c.note(&refusal.Failure) // before anybody is shown the refusal
	}
	if o.err == nil && o.stopped == nil {
		k.report.Choice = o.choice
	}
	k.count(a)
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
