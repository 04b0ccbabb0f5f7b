package llmretry

import (
	"context"
	"log/slog"
	"time"
)

// SlogLevels are the levels of the lines that [SlogLevels.Observer] logs. nil is the default, so the zero value is what
// [SlogObserver] uses; a *slog.LevelVar can be changed while calls run.
type SlogLevels struct {
	Accepted   slog.Leveler // an attempt that was accepted; debug
	Failed     slog.Leveler // an attempt that failed or was refused; warn
	Wait       slog.Leveler // a wait before the next attempt; debug
	Done       slog.Leveler // the end of a call; info
	DoneFailed slog.Leveler // the end of a call that failed; error
}

// SlogObserver returns an observer that logs one line per attempt, "llm attempt", and exactly one per call, "llm call":
// an accepted attempt at debug, a failed one at warn, the end of a call at info or, when it failed, at error; and at
// debug "llm wait" for each wait. It logs lengths and never contents: no prompt, no output, no error text, since
// providers and parsers put both into theirs. l = nil is slog.Default(), looked up at each line. Other levels are those
// of [SlogLevels]. (Semantics H2, H4.)
func SlogObserver(l *slog.Logger) Observer { return SlogLevels{}.Observer(l) }

// Observer is [SlogObserver] with the levels of v.
func (v SlogLevels) Observer(l *slog.Logger) Observer {
	log := func(ctx context.Context, level slog.Level, message string, attrs func() []slog.Attr) {
		logger := l
		if logger == nil {
			logger = slog.Default()
		}
		if logger.Enabled(ctx, level) {
			logger.LogAttrs(ctx, level, message, attrs()...)
		}
	}
	return Observer{
		Attempt: func(ctx context.Context, s AttemptStart) (context.Context, func(Attempt)) {
			return ctx, func(a Attempt) {
				level := levelOf(v.Accepted, slog.LevelDebug)
				if a.Category != "" {
					level = levelOf(v.Failed, slog.LevelWarn)
				}
				log(ctx, level, "llm attempt", func() []slog.Attr { return attemptAttrs(a) })
			}
		},
		Retry: func(ctx context.Context, a Attempt, wait time.Duration) {
			if wait <= 0 {
				return // nothing that the next attempt's line would not say
			}
			log(ctx, levelOf(v.Wait, slog.LevelDebug), "llm wait", func() []slog.Attr {
				return []slog.Attr{slog.Int("attempt", a.Index), slog.String("category", string(a.Category)), slog.Duration("wait", wait)}
			})
		},
		Done: func(ctx context.Context, r *Report, err error) {
			level := levelOf(v.Done, slog.LevelInfo)
			if err != nil {
				level = levelOf(v.DoneFailed, slog.LevelError)
			}
			log(ctx, level, "llm call", func() []slog.Attr { return callAttrs(r, err) })
		},
	}
}

func levelOf(l slog.Leveler, otherwise slog.Level) slog.Level {
	if l == nil {
		return otherwise
	}
	return l.Level()
}

func attemptAttrs(a Attempt) []slog.Attr {
	attrs := []slog.Attr{slog.Int("attempt", a.Index)}
	for _, s := range []struct{ key, value string }{
		{"reason", string(a.Reason)},
		{"model", a.Model},
		{"category", string(a.Category)},
		{"finish_reason", string(a.FinishReason)},
	} {
		if s.value != "" {
			attrs = append(attrs, slog.String(s.key, s.value))
		}
	}
	if status := statusOf(a.Err); status != 0 {
		attrs = append(attrs, slog.Int("status", status))
	}
	if refusal, ok := a.Err.(*StructuredOutputError); ok {
		attrs = append(attrs, issueAttrs(refusal.Issues)...)
	}
	attrs = append(attrs,
		slog.Int("messages", len(a.Messages)),
		slog.Int("output_bytes", len(a.Output)),
		slog.Duration("latency", a.Latency),
	)
	for _, n := range []struct {
		key   string
		value int
	}{{"dropped", len(a.Dropped)}, {"warnings", len(a.Warnings)}, {"calls_below", len(a.Nested)}} {
		if n.value > 0 {
			attrs = append(attrs, slog.Int(n.key, n.value))
		}
	}
	return append(attrs, usageAttrs(a.Usage)...)
}

func callAttrs(r *Report, err error) []slog.Attr {
	sum, complete := r.Usage()
	latency, wait := r.times()
	attrs := []slog.Attr{slog.Int("attempts", len(r.Attempts)), slog.Bool("ok", err == nil)}
	if err != nil {
		attrs = append(attrs, slog.String("category", string(Category(err))))
	}
	if stop := stopName(err); stop != "" {
		attrs = append(attrs, slog.String("stop", stop))
	}
	attrs = append(attrs, slog.Duration("latency", latency))
	if wait > 0 {
		attrs = append(attrs, slog.Duration("wait", wait))
	}
	return append(append(attrs, usageAttrs(sum)...), slog.Bool("usage_complete", complete))
}

func usageAttrs(u Usage) []slog.Attr {
	var attrs []slog.Attr
	for _, c := range []struct {
		key   string
		count Count
	}{{"input_tokens", u.Input}, {"output_tokens", u.Output}, {"total_tokens", u.Total}} {
		if c.count.Known {
			attrs = append(attrs, slog.Int(c.key, c.count.N))
		}
	}
	return attrs
}
