package callbackretry

import (
	"context"
	"errors"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"

	"github.com/llmretry/langchaingo-llmretry/llmretry"
)

// Handler is a callbacks.Handler that is told of attempts by decorators, through [Handler.Observe], and is deaf to what
// clients say within them. All other hooks go through to the handler it was made of. Make it with [New]; it is as safe
// for concurrent use as that handler is.
type Handler struct{ callbacks.Handler }

var _ callbacks.Handler = (*Handler)(nil)

// New returns a Handler for h, which may be a callbacks.CombiningHandler. A nil h is told nothing.
func New(h callbacks.Handler) *Handler {
	if h == nil {
		h = callbacks.SimpleHandler{}
	}
	return &Handler{h}
}

// mark is in the context of an attempt that a Handler was told of.
type mark struct {
	handler *Handler
	attempt llmretry.AttemptInfo
	outer   *mark
}

type markKey struct{}

func marks(ctx context.Context) *mark {
	m, _ := ctx.Value(markKey{}).(*mark)
	return m
}

// within reports whether ctx belongs to an attempt that h was told of.
func (h *Handler) within(ctx context.Context) bool {
	for m := marks(ctx); m != nil; m = m.outer {
		if m.handler == h {
			return true
		}
	}
	return false
}

// Attempt returns which attempt a hook is about, from the context that the hook is given. It is the zero value outside
// of attempts.
func Attempt(ctx context.Context) llmretry.AttemptInfo {
	if m := marks(ctx); m != nil {
		return m.attempt
	}
	return llmretry.AttemptInfo{}
}

// errPanicked stands for the error of an attempt that a panic ended before there was one.
var errPanicked = errors.New("callbackretry: the attempt ended by a panic")

// observer tells h of attempts. Of two decorators in each other the outer one's attempts are told, the inner one's are
// what its model does.
func (h *Handler) observer() llmretry.Observer {
	return llmretry.Observer{Attempt: func(ctx context.Context, s llmretry.AttemptStart) (context.Context, func(llmretry.Attempt)) {
		if h.within(ctx) {
			return ctx, nil
		}
		ctx = context.WithValue(ctx, markKey{}, &mark{h, s.AttemptInfo, marks(ctx)})
		h.Handler.HandleLLMGenerateContentStart(ctx, s.Messages)
		return ctx, func(a llmretry.Attempt) {
			switch {
			case a.Err != nil:
				h.Handler.HandleLLMError(ctx, a.Err)
			case a.Category != "" || a.Response == nil: // handlers do not expect nil
				h.Handler.HandleLLMError(ctx, errPanicked)
			default:
				h.Handler.HandleLLMGenerateContentEnd(ctx, a.Response)
			}
		}
	}}
}

// HandleLLMGenerateContentStart is for clients: it does nothing within an attempt.
func (h *Handler) HandleLLMGenerateContentStart(ctx context.Context, ms []llms.MessageContent) {
	if !h.within(ctx) {
		h.Handler.HandleLLMGenerateContentStart(ctx, ms)
	}
}

// HandleLLMGenerateContentEnd is for clients: it does nothing within an attempt, nor with a nil response, which one
// client sends before every answer.
func (h *Handler) HandleLLMGenerateContentEnd(ctx context.Context, res *llms.ContentResponse) {
	if res != nil && !h.within(ctx) {
		h.Handler.HandleLLMGenerateContentEnd(ctx, res)
	}
}

// HandleLLMError is for clients: it does nothing within an attempt.
func (h *Handler) HandleLLMError(ctx context.Context, err error) {
	if !h.within(ctx) {
		h.Handler.HandleLLMError(ctx, err)
	}
}

// HandleLLMStart is for clients: it does nothing within an attempt.
func (h *Handler) HandleLLMStart(ctx context.Context, prompts []string) {
	if !h.within(ctx) {
		h.Handler.HandleLLMStart(ctx, prompts)
	}
}
