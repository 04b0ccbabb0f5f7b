package llmretry

import "encoding/json"

// The written forms of reports, attempts, failures and errors.
type (
	reportJSON struct {
		Attempts []attemptJSON `json:"attempts"`
		Omitted  int           `json:"attempts_omitted,omitempty"`
		Choice   *int          `json:"choice"` // null when none was accepted
		Error    *errorJSON    `json:"error"`
		Stop     *errorJSON    `json:"stop,omitempty"`
		Usage    usageJSON     `json:"usage"`
	}

	attemptJSON struct {
		Index        int            `json:"index"`
		Reason       RetryReason    `json:"reason,omitempty"`
		Model        string         `json:"model,omitempty"`
		Judged       bool           `json:"judged"`
		Error        *errorJSON     `json:"error"`
		Issues       Issues         `json:"issues,omitempty"`
		FinishReason FinishReason   `json:"finish_reason,omitempty"`
		Usage        usageJSON      `json:"usage"`
		LatencyMS    float64        `json:"latency_ms"`
		WaitMS       float64        `json:"wait_ms"`
		Sent         map[string]any `json:"sent,omitempty"`
		Dropped      []string       `json:"dropped,omitempty"`
		Before       int            `json:"messages_before,omitempty"`
		Messages     []messageJSON  `json:"messages"`
		Omitted      int            `json:"messages_omitted,omitempty"`
		Output       *textJSON      `json:"output"` // null when nothing came
		Nested       []*reportJSON  `json:"below,omitempty"`
		Warnings     []*errorJSON   `json:"warnings,omitempty"`
	}

	errorJSON struct {
		Category     ErrorCategory `json:"category,omitempty"`
		Text         *textJSON     `json:"text"`
		Type         string        `json:"type"`
		Status       int           `json:"status,omitempty"`
		RetryAfterMS float64       `json:"retry_after_ms,omitempty"`
		Stack        *textJSON     `json:"stack,omitempty"`
	}

	attemptsErrorJSON struct {
		Error  *errorJSON  `json:"error"`
		Stop   *errorJSON  `json:"stop"`
		Last   *errorJSON  `json:"last"`
		Report *reportJSON `json:"report"`
	}

	exhaustedJSON struct {
		Error *errorJSON  `json:"error"`
		Step  string      `json:"step,omitempty"`
		Last  *errorJSON  `json:"last"`
		Trail []entryJSON `json:"trail"`
	}

	failureJSON struct {
		Category     ErrorCategory   `json:"category"`
		Message      *textJSON       `json:"message"`
		Issues       Issues          `json:"issues,omitempty"`
		Output       *textJSON       `json:"output"`
		Attempt      int             `json:"attempt"`
		Remaining    int             `json:"remaining"`
		Choice       int             `json:"choice"`
		FinishReason FinishReason    `json:"finish_reason,omitempty"`
		Usage        usageJSON       `json:"usage"`
		Schema       json.RawMessage `json:"schema,omitempty"`
	}

	usageJSON struct {
		Input    Count `json:"input"`
		Output   Count `json:"output"`
		Total    Count `json:"total"`
		Complete *bool `json:"complete,omitempty"` // of a sum
	}
)
