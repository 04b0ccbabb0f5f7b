package llmretry

// Outcome is what became of one validation, in the words of the counter schema_retry_attempts_total. Transient failures
// and calls that end for another reason have none. (Semantics H3, K8.)
type Outcome string

// The outcomes. A decode has any number of retries and at most one of the others.
const (
	OutcomeSuccess   Outcome = "success"   // validated
	OutcomeRetry     Outcome = "retry"     // refused, and asked again
	OutcomeExhausted Outcome = "exhausted" // refused, and it was the last
)
