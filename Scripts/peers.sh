#!/bin/sh
# Installs the packages of the peers that Herald is compared with, as the benchmark sources name them, and the tools for
# plots and counts. None is required: the page leaves out a peer that is missing. A browser for the page's tests,
# chromium, is not included.
set -eu
cd "$(dirname "$0")"
packages=$(sed -n 's/.*package\(\[\]\)* = "\([^"]*\)".*/\2/p' ../Benchmarks/Native/*)
# Rust is often installed already, and not by Debian.
command -v rustc >/dev/null && packages=$(echo "$packages" | grep -vx rustc)
# shellcheck disable=SC2086 # one word each
sh install.sh $packages librsvg2-bin valgrind pkg-config
