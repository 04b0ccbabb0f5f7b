// Package stats holds the few statistics the lab prints: an interval for a share, a paired test for two shares of the
// same cases, and quantiles.
package stats
