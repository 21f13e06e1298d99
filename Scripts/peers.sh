#!/bin/sh
# Installs the packages of what Herald is measured beside, as the sources name them, and of what shows and counts.
# None is needed: who is missing is left out of the page. A browser for its tests, chromium, is not among them.
set -eu
cd "$(dirname "$0")"
packages=$(sed -n 's/.*package\(\[\]\)* = "\([^"]*\)".*/\2/p' ../Benchmarks/Native/*)
# Rust is often there already, and not from Debian.
command -v rustc >/dev/null && packages=$(echo "$packages" | grep -vx rustc)
# shellcheck disable=SC2086 # one word each
sh install.sh $packages librsvg2-bin valgrind pkg-config
