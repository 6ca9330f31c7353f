#!/bin/sh
# Fetches the Go modules that the programs are built of, and says that it does:
# the first time they are a gigabyte on the disk. Says nothing when they are there.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}

GOPROXY=off $go list -deps ./cmd/clausemill ./cmd/clausemill-ocr >/dev/null 2>&1 && exit 0
echo "fetching Go modules, about 1 GB on the disk, which is done once" >&2
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT
{ $go list -x -deps ./cmd/clausemill ./cmd/clausemill-ocr 2>&1 >/dev/null || echo failed; } | tee "$failed" |
	awk '/^# get .*\.zip$/ && ++got % 25 == 0 {print "  " got " modules"; fflush()}' >&2
if grep -qx failed "$failed"; then
	grep -v '^#' "$failed" | tail -n 10 >&2
	exit 1
fi
echo "building, which takes minutes the first time and seconds later" >&2
