#!/bin/sh
# Compares the library's binary interface with that of 0.2.0, whose sources are in Tests/Api: abi.sh LIBRARY [record].
# Tests/Api/abi.txt has the changes that do no harm to programs linked with 0.2.0: structs that have their size grow at
# their end, and types of callbacks have lost their private names. Any other change is an error.
set -eu
command -v abidiff >/dev/null || sh Scripts/install.sh abigail-tools
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
xz -dc Tests/Api/herald-0.2.0.tar.xz | tar -xf - -C "$folder"
old=$folder/herald-0.2.0/CSources
${CC:-cc} -std=c11 -O1 -g -fPIC -fexceptions -shared -Wl,-soname,libherald.so.0 -I"$old/CHerald/include" -I"$old/CHeraldHost/include" \
    "$old"/CHerald/src/*.c "$old"/CHeraldHost/src/*.c -lck -lpthread -o "$folder/libherald.so.0.2.0"
# The counts of what is filtered out grow with each new function.
abidiff --no-added-syms --no-show-locs --headers-dir1 "$old/CHerald/include" --headers-dir1 "$old/CHeraldHost/include" \
    --headers-dir2 CSources/CHerald/include --headers-dir2 CSources/CHeraldHost/include \
    "$folder/libherald.so.0.2.0" "$1" | sed 's/ ([0-9]* filtered out)//g' >"$folder/changes"
[ "${2:-}" != record ] || cp "$folder/changes" Tests/Api/abi.txt
diff -u Tests/Api/abi.txt "$folder/changes" || {
    echo "abi: a change that programs linked with 0.2.0 may not bear; if they do: make abi RECORD=record" >&2
    exit 1
}
echo "abi: the interface that programs linked with 0.2.0 use is unchanged, or has grown at its end"
