// Package extract finds the JSON values in a model's reply: it drops what is not the value (prose, fences, closed
// reasoning blocks, byte order marks) and never repairs, completes or dives into one. Linear in the reply, without
// allocation.
package extract
