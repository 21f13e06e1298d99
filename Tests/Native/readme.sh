#!/bin/sh
# The README's code, as a reader would paste it, against an installed copy: PREFIX "COMPILERS"
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
count=$(echo $2 | wc -w)
if command -v swiftc >/dev/null; then
    block swift >"$folder/notes.swift"
    cp -r CSources/CHerald/include "$folder/include"
    swiftc -swift-version 6 -warnings-as-errors -I "$folder/include" "$folder/notes.swift" "$1/lib/libherald.a" -lck -o "$folder/notes-swift"
    expect Swift "$folder/notes-swift"
    count=$((count + 1))
fi
echo "readme: $count passed, 0 failed"
