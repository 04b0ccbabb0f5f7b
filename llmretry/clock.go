package llmretry

import "time"

var clockZero = time.Now()

// clock reads the monotonic clock. It is half the cost of time.Now, which reads the wall clock as well, and the one read
// of the clock that a clean call makes is a good part of what a decorator costs at all.
func clock() time.Duration { return time.Since(clockZero) }
