#!/bin/sh
# Checks the package with its trait Network off: the sources include no header of libnats and call nothing of it, and a
# program of the package links neither libnats nor OpenSSL.
set -eu
swift=${1:-swift}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
includes="-ICSources/Ground -ICSources/CHerald/include -ICSources/CHeraldHost/include -ICSources/CHeraldNetwork/include"
mkdir -p "$folder/nats" "$folder/openssl"
echo '#error "nats/nats.h is looked for"' | tee "$folder/nats/nats.h" >"$folder/nats.h"
echo '#error "openssl/evp.h is looked for"' >"$folder/openssl/evp.h"
# shellcheck disable=SC2086 # one word each
${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$folder" $includes -c CSources/CHeraldNetwork/src/trait.c -o "$folder/off.o"
if nm -u "$folder/off.o" | grep -iE 'nats|EVP_'; then
    echo "network off: the sources use what is not there" >&2
    exit 1
fi
$swift build --quiet --product HeraldTour
if ldd "$($swift build --show-bin-path)/HeraldTour" | grep -E 'libnats|libcrypto|libssl'; then
    echo "network off: a program needs what only the network center uses" >&2
    exit 1
fi
echo "network off: nothing of libnats is looked for"
