#!/bin/sh
# Looks up the known vulnerabilities of what the programs call, and fails where
# there is one: scripts/vulnerabilities.sh MODULE@VERSION [PACKAGE…]. The first is
# that of govulncheck. Its database has to be reached over the network, or is the
# one that GOVULNDB names; where it does not answer, one line says so.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
tool=$1
shift
[ $# -gt 0 ] || set -- ./...

# The tool is built first, so that its exit status can be told from that of go.
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
if ! GOBIN=$bin $go install "$tool" 2>"$bin/told"; then
	echo "vulnerabilities were not looked up: $tool cannot be had: $(tail -n 1 "$bin/told")" >&2
	exit 0
fi
status=0
"$bin/govulncheck" ${GOVULNDB:+-db "$GOVULNDB"} "$@" >"$bin/found" 2>"$bin/told" || status=$?
if [ $status -eq 1 ] && grep -qE '^(govulncheck: fetching vulnerabilities|creating client:)' "$bin/told"; then
	echo "vulnerabilities were not looked up: $(tail -n 1 "$bin/told")" >&2
	exit 0
fi
[ $status -eq 0 ] || cat "$bin/found" "$bin/told" >&2
exit $status
