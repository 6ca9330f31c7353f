#!/bin/sh
# Lints the OpenAPI documents as those who generate clients from them do, with
# Redocly and Spectral, and has TypeScript read the types that are made of them.
# The tools are packages of npm; without npm it says so and checks nothing.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}

if ! command -v npm >/dev/null; then
	echo "the OpenAPI documents are not linted: npm is not installed (on Debian: apt-get install npm)" >&2
	exit 0
fi
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
	echo "the OpenAPI documents are not linted: the linters need Node.js 20 or later" >&2
	exit 0
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
$GO run ./cmd/clausemill openapi >"$made/openapi.json"
$GO run ./cmd/clausemill openapi --3.0 >"$made/openapi-3.0.json"

cd clients/typescript
if ! npm ci --silent --ignore-scripts >"$made/npm.log" 2>&1; then
	echo "the OpenAPI documents are not linted: the packages of clients/typescript could not be fetched" >&2
	tail -n 3 "$made/npm.log" >&2
	exit 0
fi
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
for document in openapi openapi-3.0; do
	npx --no-install redocly lint --config redocly.yaml --format stylish --max-problems 20 "$made/$document.json" >"$made/redocly" 2>&1 || failed=1
	if [ -n "${failed-}" ] || grep -q " warning " "$made/redocly"; then
		cat "$made/redocly" >&2
		exit 1
	fi
	npx --no-install spectral lint --quiet --fail-severity warn --ruleset .spectral.yaml "$made/$document.json" >&2
	npx --no-install openapi-typescript "$made/$document.json" -o "$made/$document.ts" >/dev/null
done
npx --no-install tsc --strict --noEmit --skipLibCheck false "$made/openapi.ts" "$made/openapi-3.0.ts"
