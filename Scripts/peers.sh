#!/bin/sh
# Installs the packages of what Herald is measured beside, as the sources name them, and of what shows and counts.
# None is needed: who is missing is left out of the page.
set -eu
cd "$(dirname "$0")"
# shellcheck disable=SC2046 # one word each
sh install.sh $(sed -n 's/.*package\(\[\]\)* = "\([^"]*\)".*/\2/p' ../Benchmarks/Native/*) librsvg2-bin valgrind pkg-config
