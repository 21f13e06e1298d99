#!/bin/sh
# Builds the README's C and C++ code as a reader would paste it, against an installed copy: PREFIX "COMPILERS"
# "C++ COMPILERS"
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
block() { awk -v fence="^\`\`\`$1\$" '$0 ~ fence {on = 1; next} /^```/ {on = 0} on' README.md; }

expect() { # WHAT COMMAND...
    what=$1
    shift
    said=$("$@")
    [ "$said" = "notes.txt was saved" ] || { echo "FAILED: the README's $what said: $said"; exit 1; }
}

block c >"$folder/notes.c"
for compiler in $2; do
    $compiler -std=c11 -Wall -Werror "$folder/notes.c" $(pkg-config --cflags --libs herald) -Wl,-rpath,"$1/lib" -o "$folder/notes"
    expect "C, $compiler," "$folder/notes"
done
block cpp >"$folder/notes.cpp"
for compiler in $3; do
    $compiler -std=c++17 -Wall -Werror "$folder/notes.cpp" $(pkg-config --cflags --libs herald) -Wl,-rpath,"$1/lib" -o "$folder/notes"
    expect "C++, $compiler," "$folder/notes"
done
count=$(echo $2 $3 | wc -w)
echo "readme: $count passed, 0 failed"
