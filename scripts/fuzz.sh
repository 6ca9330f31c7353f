#!/bin/sh
# Runs each fuzz target of the tree for a while, one after the other, and fails
# at the first input that breaks one. Such an input is kept in its testdata.
#
#   scripts/fuzz.sh [TIME_EACH]
set -eu
cd "$(dirname "$0")/.."
time=${1:-30s}

grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's|^\./||' | while IFS=: read -r file _ target; do
	target=${target#func }
	echo "$target in ${file%/*}"
	# Making an interesting input small may otherwise take up all of the time.
	go test -run '^$' -fuzzminimizetime 100x -fuzz "^$target\$" -fuzztime "$time" "./${file%/*}" </dev/null
done
