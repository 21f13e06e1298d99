#!/bin/sh
# Builds the C code of the README with the README's shell lines, and the guide's program in C++, as a reader would paste
# them: PREFIX, with an installed copy, "COMPILERS" "C++ COMPILERS" BUILD
set -eu
top=$(pwd) build=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
block() { # PAGE FENCE TEXT: the first block that has TEXT
    awk -v fence="\`\`\`$2" -v text="$3" '$0 == fence {on = 1; code = ""; next}
        /^```/ {if (on && index(code, text)) {printf "%s", code; exit} on = 0} on {code = code $0 "\n"}' "$1"
}

export HOME="$folder" # the README installs below it
block README.md c 'int main' >"$folder/notes.c"
block README.md sh 'cc notes.c' >"$folder/lines"
for compiler in $2; do
    rm -rf "$HOME/.local" "$folder/notes"
    said=$(
        make() { command make --no-print-directory -C "$top" CC="$compiler" BUILD="$build" "$@" >"$folder/said"; }
        cc() { $compiler -std=c11 -Wall -Werror "$@"; }
        cd "$folder"
        . ./lines
    ) || fail "the README's shell lines, with $compiler"
    [ "$said" = "notes.txt was saved" ] || fail "the README's program in C, with $compiler, said: $said"
    tail -n 1 "$folder/said" | grep -q "PKG_CONFIG_PATH=$HOME/.local/lib/pkgconfig" || fail "make install does not say what is next"
done
block Sources/Herald/Herald.docc/FromSignals.md cpp 'int main' >"$folder/notes.cpp"
block Sources/Herald/Herald.docc/FromSignals.md sh notes.cpp >"$folder/lines"
for compiler in $3; do
    rm -f "$folder/notes"
    sed "s|^c++|$compiler -Wall -Werror|" "$folder/lines" >"$folder/line"
    said=$(
        cd "$folder"
        . ./line && ./notes
    ) || fail "the guide's shell line, with $compiler"
    [ "$said" = "notes.txt was saved" ] || fail "the guide's program in C++, with $compiler, said: $said"
done
count=$(echo $2 $3 | wc -w)
echo "readme: $count passed, 0 failed"
