package llmretry

import (
	"context"
	"log/slog"
	"time"
)

// SlogObserver returns an observer that logs one line per attempt and one per call: an accepted attempt at debug, a
// failed one at warn, the end of a call at info or, when it failed, at error. It logs lengths and never contents: no
// prompt, no output, no error text, since providers and parsers put both into theirs. l = nil is slog.Default(), looked
// up at each line.
func SlogObserver(l *slog.Logger) Observer {
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
				level := slog.LevelDebug
				if a.Category != "" {
					level = slog.LevelWarn
				}
				log(ctx, level, "llm attempt", func() []slog.Attr { return attemptAttrs(a) })
			}
		},
		Retry: func(ctx context.Context, a Attempt, wait time.Duration) {
			log(ctx, slog.LevelDebug, "llm retry", func() []slog.Attr {
				return []slog.Attr{slog.Int("attempt", a.Index), slog.String("category", string(a.Category)), slog.Duration("wait", wait)}
			})
		},
		Done: func(ctx context.Context, r *Report, err error) {
			level := slog.LevelInfo
			if err != nil {
				level = slog.LevelError
			}
			log(ctx, level, "llm call", func() []slog.Attr { return callAttrs(r, err) })
		},
	}
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
	attrs = append(attrs,
		slog.Int("messages", len(a.Messages)),
		slog.Int("output_bytes", len(a.Output)),
		slog.Duration("latency", a.Latency),
	)
	return append(attrs, usageAttrs(a.Usage)...)
}

func callAttrs(r *Report, err error) []slog.Attr {
	sum, complete := r.Usage()
	attrs := []slog.Attr{slog.Int("attempts", len(r.Attempts)), slog.Bool("ok", err == nil)}
	if err != nil {
		attrs = append(attrs, slog.String("category", string(Category(err))))
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
