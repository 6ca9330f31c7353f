#!/bin/sh
# Installs what Clausemill needs from the system and lacks, on Debian and its
# kin: Postgres, Tesseract with its headers, a C++ compiler, and npm, which
# builds the console. Says nothing when nothing is missing.
#
#   scripts/install-deps.sh            what `make run` needs
#   scripts/install-deps.sh --test     and what tests and benchmarks compare with
#   scripts/install-deps.sh --oracles  and the programs that `make oracles` asks
#   scripts/install-deps.sh --browser  and the browser of `make browser`
#   scripts/install-deps.sh --ops      and promtool, which tries the alerts
set -eu

missing=
# need PACKAGE TEST…: notes the package unless the test succeeds.
need() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
# tessdata LANGUAGE: succeeds where the model is installed.
tessdata() {
	tesseract --list-langs 2>/dev/null | grep -qx "$1"
}
# server: succeeds where a Postgres server is installed, with its extensions.
server() {
	for dir in /usr/lib/postgresql/*; do
		[ -x "$dir/bin/initdb" ] && ls /usr/share/postgresql/"${dir##*/}"/extension/pg_trgm.control && return
	done
	bin=$(pg_config --bindir) && [ -x "$bin/initdb" ] && ls "$(pg_config --sharedir)"/extension/pg_trgm.control
}

need postgresql server
need tesseract-ocr command -v tesseract
for language in eng deu fra spa ita nld; do
	need tesseract-ocr-$language tessdata $language
done
need tesseract-ocr-osd tessdata osd
need pkg-config command -v pkg-config
need gcc command -v gcc
need g++ command -v g++
need libc6-dev test -e /usr/include/stdlib.h
need libtesseract-dev pkg-config --exists tesseract
need libleptonica-dev pkg-config --exists lept
if [ "${1-}" = --test ]; then
	need poppler-utils command -v pdftotext
	need pgbouncer test -x /usr/sbin/pgbouncer
fi
if [ "${1-}" = --oracles ]; then
	need libreoffice-writer command -v soffice
	need python3-uno /usr/bin/python3 -c 'import uno'
	need python3-lxml /usr/bin/python3 -c 'import lxml'
	need pandoc command -v pandoc
fi
if [ "${1-}" = --browser ]; then
	need chromium sh -c 'command -v chromium || command -v chromium-browser || command -v google-chrome'
fi
if [ "${1-}" = --ops ]; then
	need prometheus command -v promtool
fi
# Without npm the service runs, without its console: that stops nothing.
optional=
[ "${1-}" = --oracles ] || command -v npm >/dev/null || optional=" npm"
[ -n "$missing$optional" ] || exit 0

# give_up TEXT: fails, unless it is npm alone that is missing.
give_up() {
	echo "$1" >&2
	[ -n "$missing" ] || exit 0
	exit 1
}
command -v apt-get >/dev/null ||
	give_up "missing:$missing$optional (names of Debian packages): install them with this system's package manager"
root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || give_up "missing:$missing$optional. As root: apt-get install$missing$optional"
	root=sudo
fi

echo "installing with apt-get, ${root:+by sudo, }which is done once:$missing$optional" >&2
case $missing in *postgresql*)
	# Clausemill runs a database of its own: none shall start with the system.
	if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
		$root mkdir -p /etc/postgresql-common
		echo "create_main_cluster = false" | $root tee /etc/postgresql-common/createcluster.conf >/dev/null
	fi
	;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# install PACKAGE…: says how many packages these are and how large, and then how far it is.
install() {
	set -- -qy --no-install-recommends -o Dpkg::Options::=--force-confold "$@"
	apt-get install --assume-no "$@" 2>/dev/null | grep -E 'newly installed|Need to get|disk space' | sed 's/^/  /' >&2 || :
	{ $root env DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 apt-get install "$@" 2>&1 || echo failed; } | tee "$log" |
		awk '/^Get:/ && ++got % 50 == 0 {print "  fetched " got; fflush()} /^Setting up/ && ++set % 50 == 0 {print "  set up " set; fflush()}' >&2
	! grep -qx failed "$log"
}
# shellcheck disable=SC2086 # lists of words
if ! $root apt-get update -q >"$log" 2>&1 || { [ -n "$missing" ] && ! install $missing; }; then
	tail -n 20 "$log" >&2
	give_up "could not install. By hand: ${root:+$root }apt-get install$missing$optional"
fi
# shellcheck disable=SC2086
if [ -n "$optional" ] && ! install $optional; then
	tail -n 3 "$log" >&2
	missing=
	give_up "could not install$optional, so the console is left out. By hand: ${root:+$root }apt-get install$optional"
fi
