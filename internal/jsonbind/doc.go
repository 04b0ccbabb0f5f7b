// Package jsonbind puts decoded JSON into Go values by the rules of encoding/json, with four differences: keys match
// exactly, never by case; a number fits an integer when its value does, so 36.0 is 36; a number that does not fit is
// an error, never rounded or wrapped; and inside an any, numbers are json.Number.
//
// A type is prepared once, by Compile, which also finds the types that cannot hold JSON.
package jsonbind
