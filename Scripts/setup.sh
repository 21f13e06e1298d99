#!/bin/sh
# Installs what Herald needs and is missing: Concurrency Kit's headers and library.
set -eu

has_ck() { printf '#include <ck_hs.h>\n' | ${CC:-cc} -fsyntax-only -x c - 2>/dev/null; }

has_ck && exit 0
if ! command -v apt-get >/dev/null; then
    echo "setup: Herald needs Concurrency Kit (ck_hs.h, libck). Install it with your system's package manager." >&2
    exit 1
fi
echo "setup: installing libck-dev"
sh "$(dirname "$0")/install.sh" libck-dev
has_ck || { echo "setup: libck-dev is installed, but the compiler does not find ck_hs.h" >&2; exit 1; }
