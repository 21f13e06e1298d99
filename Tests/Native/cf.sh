#!/bin/sh
# Builds and installs HeraldCF for C into a folder of its own. Builds and runs programs against that copy, as a user
# would: with the shared and the static library, and with warnings as errors. BUILD CLANG
#
# CoreFoundation's headers need clang (-fblocks); any C11 compiler builds the library itself.
set -eu
build=$1
clang=$2
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
count=0
more=
url=
PATH=$PATH:/usr/sbin

run() { # SOURCE static|shared, then the lines that the library prints on stderr
    flags="-std=gnu11 -Wall -Wextra -Werror -pthread $(pkg-config --cflags heraldcf)"
    libs=$(pkg-config --libs heraldcf)
    if [ "$2" = static ]; then
        libs="$top/lib/libheraldcf.a $top/lib/libherald.a -lck $(echo "$libs" | sed 's/-lheraldcf//; s/-lherald//')"
    else
        libs="$libs -Wl,-rpath,$top/lib"
    fi
    "$clang" $flags "Tests/CoreFoundation/Native/$1.c" $more $libs -o "$top/program"
    mkdir -p "$top/host"
    HERALD_HOST_DIRECTORY=$top/host timeout 300 "$top/program" $url >"$top/out" 2>"$top/errors" &&
        [ "$(wc -l <"$top/errors")" = "$3" ] || { cat "$top/out" "$top/errors"; echo "FAILED: $*"; exit 1; }
    count=$((count + 1))
}

# The distributed center on a network, with a server of its own.
run_network() { # static|shared
    setpriv --pdeathsig KILL nats-server -a 127.0.0.1 -p -1 --ports_file_dir "$top" >"$top/server.log" 2>&1 &
    server=$!
    trap 'kill $server; rm -rf "$top"' EXIT
    for _ in $(seq 3000); do [ -s "$top/nats-server_$server.ports" ] && break || sleep 0.02; done
    url=$(grep -o 'nats://127.0.0.1:[0-9]*' "$top/nats-server_$server.ports" | head -n 1)
    more="$(pkg-config --cflags --libs herald-network) -Wl,-rpath,$top/lib"
    [ "$1" = shared ] || more="$top/lib/libherald-network.a $top/lib/libherald.a -lck -lnats -lcrypto"
    run network "$1" 3
    more=
    kill $server
    trap 'rm -rf "$top"' EXIT
}

make --no-print-directory install-cf NETWORK=1 BUILD="$build" PREFIX="$top" >/dev/null
export PKG_CONFIG_PATH="$top/lib/pkgconfig"
for kind in shared static; do
    run semantics $kind 4
    run extensions $kind 0
    run distributed $kind 16
    run_network $kind
    url=
done
for file in "-D $top/lib/libheraldcf.so" "$top/lib/libheraldcf.a"; do # exports only CF's and Herald's names
    shown=$(nm -g --defined-only $file | awk 'NF == 3 {print $3}' |
        grep -vE '^(CFNotificationCenter|HeraldCF|__bss_start$|_edata$|_end$)' || true)
    [ -z "$shown" ] || { echo "FAILED: $file shows $shown"; exit 1; }
done
echo "native-cf: $count passed, 0 failed"
