#!/bin/sh
# Installs what Herald needs and is missing: Concurrency Kit's headers and library. With `libnats` also what its network
# center needs; with `network` in addition what that center's tests need: a server, and certificates. With `curl` what the
# static command needs.
set -eu

cc=${CC:-cc} # may be several words, such as "ccache gcc"
has() { printf '#include <%s>\n' "$1" | $cc -fsyntax-only -x c - 2>/dev/null; }

missing=
command -v "${cc%% *}" >/dev/null || missing=" gcc libc6-dev"
has ck_hs.h || missing="$missing libck-dev"
if [ "${1:-}" = curl ]; then
    has curl/curl.h || missing="$missing libcurl4-openssl-dev"
elif [ -n "${1:-}" ]; then
    has nats/nats.h || missing="$missing libnats-dev"
    has openssl/evp.h || missing="$missing libssl-dev"
fi
if [ "${1:-}" = network ]; then
    PATH=$PATH:/usr/sbin command -v nats-server >/dev/null || missing="$missing nats-server"
    command -v openssl >/dev/null || missing="$missing openssl" # makes the tests' certificates
fi
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "setup: Herald needs$missing. Install it with your system's package manager." >&2
    exit 1
fi
echo "setup: installing$missing"
# shellcheck disable=SC2086 # one word each
sh "$(dirname "$0")/install.sh" $missing
has ck_hs.h || { echo "setup: libck-dev is installed, but the compiler does not find ck_hs.h" >&2; exit 1; }
