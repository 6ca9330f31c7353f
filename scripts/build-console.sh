#!/bin/sh
# Builds the console into web/dist, which `go build` puts into the program, where
# its sources are newer than what is there. Says nothing when they are not.
#
#   scripts/build-console.sh             fails where it cannot be had
#   scripts/build-console.sh --optional  says so, and leaves it out; what does not compile fails
set -eu
cd "$(dirname "$0")/../web"

without() {
	if [ "${1-}" = --optional ]; then
		left="gets no console"
		[ ! -e dist/index.html ] || left="keeps the console that was built before"
		echo "the program $left: $2" >&2
		exit 0
	fi
	echo "the console cannot be built: $2" >&2
	exit 1
}
# newer THAN SOURCE…: succeeds where a source is newer, or a file of it came or went.
newer() {
	than=$1
	shift
	[ ! -e "$than" ] || [ -n "$(find "$@" -newer "$than" -print -quit)" ]
}

client=../clients/typescript
newer dist/index.html app public index.html package.json package-lock.json tsconfig.json vite.config.ts \
	$client/generate.mjs $client/src/*.ts ../api/testdata/openapi.json || exit 0
command -v npm >/dev/null || without "${1-}" "npm is not installed (on Debian: apt-get install npm); then make build"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || without "${1-}" "it takes Node.js 18 or later, and this is $(node --version)"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if newer node_modules/.package-lock.json package.json package-lock.json; then
	echo "fetching the packages of the console, about 120 MB on the disk, which is done once" >&2
	npm ci --silent --ignore-scripts >"$log" 2>&1 || without "${1-}" "its packages could not be fetched: $(tail -n 1 "$log")"
fi
echo "building the console, which takes less than a minute" >&2
npm run --silent build
