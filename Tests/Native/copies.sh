#!/bin/sh
# Several copies of the library in one process (R22), against an installed one: copies.sh PREFIX COMPILER
set -eu
prefix=$1 compiler=$2
here=Tests/Native
ground=$PWD/CSources/Ground
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

compile_all() { # FOLDER HEADERS: compiles the sources in its src
    (cd "$1" && $compiler -std=gnu11 -O1 -fPIC -fexceptions -pthread -I"$ground" -I"$2" -I"${3:-$2}" -c src/*.c)
}

# A library that differs from this one: the core with some edits of its sources.
other_version() { # NAME EDIT...
    name=$1
    cp -r CSources/CHerald "$top/$name"
    shift
    for edit in "$@"; do
        before=$(cat "$top/$name"/src/* | cksum)
        sed -i "$edit" "$top/$name"/src/*
        [ "$before" != "$(cat "$top/$name"/src/* | cksum)" ] || { echo "FAILED: copies, $edit changes nothing"; exit 1; }
    done
    compile_all "$top/$name" "$prefix/include"
    plugin "$name" "$top/$name"/*.o "$top/host"/*.o -lck
}

try() {
    "$@" || { echo "FAILED: copies, $compiler: $*"; exit 1; }
    count=$((count + 1))
}

# 0.2.0 as it was released, with its headers.
old() {
    xz -dc Tests/Api/herald-0.2.0.tar.xz | tar -xf - -C "$top"
    old=$top/herald-0.2.0/CSources
    compile_all "$old/CHerald" "$old/CHerald/include"
    compile_all "$old/CHeraldHost" "$old/CHerald/include" "$old/CHeraldHost/include"
    include="-DOLD -I$old/CHerald/include -I$old/CHeraldHost/include"
    plugin old "$old"/*/*.o -lck
    $compiler $flags "$here/copies.c" $include "$old"/*/*.o -lck -ldl -o "$top/old"
    include=$(pkg-config --cflags herald)
}

old
plugin static "$prefix/lib/libherald.a" -lck
plugin shared $shared
cp -r CSources/CHeraldHost "$top/host"
compile_all "$top/host" "$prefix/include"
other_version generation 's/HERALD_GENERATION = 1/HERALD_GENERATION = 2/'
other_version newer 's/HERALD_LEVEL = [0-9]*/HERALD_LEVEL = 99/'
# Copies that look for each other at their first call, and take their time; and copies that do not claim to be the
# first.
late() { # NAME EDIT...
    other_version "$@" '/^__attribute__((constructor)) static void find_out_early/d' \
        '/#define ENTRY_POINT/,/}/s/= herald_first_elsewhere();/= __builtin_strcmp(#name, "HeraldInspectorSetService") ? herald_first_elsewhere() : NULL;/' \
        's/^    herald_first_visit(see_claim, \&rivals);/&\n    nanosleep(\&(struct timespec){0, random() % 400 * 1000}, NULL);/' \
        's/^#include <link.h>/&\n#include <stdlib.h>/'
}
late late
late unclaimed 's/^            set_claim(&has_claim, true);/            has_claim = true;/'
for i in 1 2 3 4; do
    cp "$top/late.so" "$top/late-$i.so"
    cp "$top/unclaimed.so" "$top/unclaimed-$i.so"
done

# An object that cannot be loaded; one whose constructor waits for a thread that makes the first call; and one that has
# two copies, each of which hides its names.
plugin broken -DBROKEN "$prefix/lib/libherald.a" -lck
plugin constructs -DCONSTRUCTS "$prefix/lib/libherald.a" -lck
for i in 1 2; do
    $compiler $flags -DPLUGIN "-Dplugin_calls=plugin_calls_$i" -fPIC -c "$here/copies.c" $include -o "$top/half.o"
    ld -r "$top/half.o" --whole-archive "$prefix/lib/libherald.a" -o "$top/half-$i.o"
    objcopy --keep-global-symbol="plugin_calls_$i" "$top/half-$i.o"
done
$compiler -shared -pthread "$top/half-1.o" "$top/half-2.o" -lck -o "$top/two.so"

$compiler $flags "$here/copies.c" $include "$prefix/lib/libherald.a" -lck -ldl -o "$top/program"
$compiler $flags -rdynamic "$here/copies.c" $include "$prefix/lib/libherald.a" -lck -ldl -o "$top/exporting"
$compiler $flags "$here/copies.c" $include $shared -ldl -o "$top/linked"
$compiler $flags -DWITHOUT_COPY "$here/copies.c" $include -ldl -o "$top/without"

# An exporting program's functions are called by everything that finds them by name: then there is one copy less.
for program in program exporting linked; do
    for plugin in static shared; do
        [ "$program" = linked ] && [ "$plugin" = shared ] && continue # the two are one copy
        try "$top/$program" one "$top/$plugin.so"
    done
done
for program in program exporting linked; do try "$top/$program" older "$top/old.so"; done
try "$top/old" apart "$top/static.so" # an older copy that is first cannot serve a newer one
try "$top/without" joins "$top/static.so" "$top/old.so"
try "$top/program" apart "$top/generation.so"
try "$top/program" apart "$top/newer.so"
try "$top/program" namespace "$top/static.so"
try "$top/program" namespace "$top/shared.so"
try "$top/without" joins "$top/newer.so" "$top/static.so"
try "$top/without" at-once "$top"/late-[1-4].so
disagreed=0
"$top/without" at-once "$top"/unclaimed-[1-4].so 2>/dev/null || disagreed=$?
[ $disagreed -eq 1 ] || { echo "FAILED: copies that do not claim agree, or end with $disagreed"; exit 1; }
try "$top/without" fails "$top/static.so" "$top/broken.so"
try "$top/without" constructs "$top/constructs.so" "$top/static.so"
try "$top/without" two "$top/two.so" "$top/static.so"
"$top/program" cost "$top/static.so"
echo "copies, $compiler: $count passed, 0 failed"
