#!/bin/sh
# Several copies of the library in one process (R22), against an installed one: copies.sh PREFIX COMPILER
set -eu
prefix=$1 compiler=$2
here=Tests/Native
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
flags="-std=gnu11 -Wall -Wextra -Wpedantic -Werror -pthread -O1 -g"
include=$(pkg-config --cflags herald)
shared="$(pkg-config --libs herald) -Wl,-rpath,$prefix/lib"
count=0

plugin() { # NAME LIBRARIES...
    name=$1
    shift
    $compiler $flags -DPLUGIN -fPIC -shared "$here/copies.c" $include "$@" -o "$top/$name.so"
}

compile_all() { # FOLDER: what is in its src
    (cd "$1" && $compiler -std=gnu11 -O1 -fPIC -fexceptions -pthread -I"$prefix/include" -c src/*.c)
}

# A library that is not this one: the core as it stands but for one line of first.h.
other_version() { # NAME EDIT
    cp -r CSources/CHerald "$top/$1"
    sed -i "$2" "$top/$1/src/first.h"
    ! cmp -s "$top/$1/src/first.h" CSources/CHerald/src/first.h || { echo "FAILED: copies, $2 changes nothing"; exit 1; }
    compile_all "$top/$1"
    plugin "$1" "$top/$1"/*.o "$top/host"/*.o -lck
}

try() {
    "$@" || { echo "FAILED: copies, $compiler: $*"; exit 1; }
    count=$((count + 1))
}

plugin static "$prefix/lib/libherald.a" -lck
plugin second "$prefix/lib/libherald.a" -lck
plugin shared $shared
cp -r CSources/CHeraldHost "$top/host"
compile_all "$top/host"
other_version generation 's/HERALD_GENERATION = 1/HERALD_GENERATION = 2/'
other_version newer 's/^#undef HERALD_MEMBER/#undef HERALD_MEMBER\n    void (*newer)(void);/'

$compiler $flags "$here/copies.c" $include "$prefix/lib/libherald.a" -lck -ldl -o "$top/program"
$compiler $flags -rdynamic "$here/copies.c" $include "$prefix/lib/libherald.a" -lck -ldl -o "$top/exporting"
$compiler $flags "$here/copies.c" $include $shared -ldl -o "$top/linked"
$compiler $flags -DWITHOUT_COPY "$here/copies.c" $include -ldl -o "$top/without"

# The exporting program's functions are called by whoever looks for them by name: then there is one copy less.
for program in program exporting linked; do
    for plugin in static shared; do
        [ "$program" = linked ] && [ "$plugin" = shared ] && continue # that is one copy
        try "$top/$program" one "$top/$plugin.so"
    done
done
try "$top/program" apart "$top/generation.so"
try "$top/program" apart "$top/newer.so"
try "$top/program" namespace "$top/static.so"
try "$top/program" namespace "$top/shared.so"
try "$top/without" joins "$top/newer.so" "$top/static.so"
try "$top/without" at-once "$top/static.so" "$top/second.so"
try "$top/without" at-once "$top/static.so" "$top/shared.so"
"$top/program" cost "$top/static.so"
echo "copies, $compiler: $count passed, 0 failed"
