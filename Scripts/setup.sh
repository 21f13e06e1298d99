#!/bin/sh
# Installs what Herald needs and is missing: Concurrency Kit's headers and library.
set -eu

has_ck() { printf '#include <ck_hs.h>\n' | ${CC:-cc} -fsyntax-only -x c - 2>/dev/null; }

has_ck && exit 0
if ! command -v apt-get >/dev/null; then
    echo "setup: Herald needs Concurrency Kit (ck_hs.h, libck). Install it with your system's package manager." >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run as root, or install sudo: libck-dev is missing" >&2; exit 1; }
    as_root=sudo
fi
echo "setup: installing libck-dev"
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq libck-dev >/dev/null
has_ck || { echo "setup: libck-dev is installed, but the compiler does not find ck_hs.h" >&2; exit 1; }
