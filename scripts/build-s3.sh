#!/bin/sh
# Builds the S3 server that tests run against into .cache: the Versity S3 Gateway,
# which keeps buckets in a directory. It is a program for tests only and not in
# go.mod. Tests that need it skip where it cannot be had, so this script warns and
# never fails.
set -eu
cd "$(dirname "$0")/.."

version=v1.8.0
dir=$PWD/.cache/versitygw
[ -x "$dir/versitygw-$version" ] && exit 0

mkdir -p "$dir"
built=$(mktemp -d "$dir/build.XXXXXX")
trap 'rm -rf "$built"' EXIT
GOBIN="$built" GOFLAGS=-mod=mod CGO_ENABLED=0 "${GO:-go}" install github.com/versity/versitygw/cmd/versitygw@$version >"$built/log" 2>&1 || {
	tail -n 3 "$built/log" >&2
	echo "tests of a real S3 server will be skipped, and all others run: versitygw $version could not be built" >&2
	exit 0
}
rm -f "$dir"/versitygw*
mv "$built/versitygw" "$dir/versitygw-$version"
ln -s "versitygw-$version" "$dir/versitygw"
