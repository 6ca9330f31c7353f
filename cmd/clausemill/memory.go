package main

import (
	"math"
	"runtime/debug"
)

// The memory that a process needs at most: to answer, to work, and for each text
// that is worked on, since one of thousands of pages takes much of it for a
// second.
const (
	apiMemory    = 200 << 20
	workerMemory = 160 << 20
	textMemory   = 30 << 20
)

// gcPercent lets a heap triple before it is collected. Small heaps, which
// these are at most times, would else be collected all the time.
const gcPercent = 200

// boundMemory has the collector work less while a process is far from the memory
// that it needs, and harder beyond that. GOGC and GOMEMLIMIT in the environment
// say otherwise.
func boundMemory(limit int64) {
	const preset = 100
	if asked := debug.SetGCPercent(gcPercent); asked != preset {
		debug.SetGCPercent(asked)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
}
