#!/bin/sh
# Fails when a name in CSources stands for two things:
#   - two source files with one name;
#   - two structs, unions or enums with one tag;
#   - two statics with one name in files that are compiled as one (unwinding.cpp, trait.c);
#   - a tag, function or variable that files share and that does not carry its library's prefix.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
status=0

fail() {
    echo "names: $1" >&2
    status=1
}

# Removes comments, strings and preprocessor lines.
code() { sed -e ':a' -e 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/| |g' -e '/\/\*/{N;ba}' -e 's|//.*||' -e 's/"[^"]*"/""/g' "$@" | grep -v '^ *#'; }

twice() { sort | uniq -cd | awk '{print $2}'; }

for name in $(ls CSources/*/src | grep '\.[ch]' | twice); do
    fail "two files are called $name: $(ls CSources/*/src/"$name" | tr '\n' ' ')"
done

tags() { code "$1" | grep -oE '\b(struct|union|enum) [A-Za-z0-9_]+ *\{' | awk '{print $2}'; }
for file in CSources/*/src/*.[ch] CSources/CHeraldRuntime/include/*.h; do tags "$file"; done | twice | while read -r tag; do
    echo "$tag: $(grep -lE "(struct|union|enum) $tag *\{" CSources/*/src/*.[ch] CSources/CHeraldRuntime/include/*.h | tr '\n' ' ')"
done >"${TMPDIR:-/tmp}/names.$$"
while read -r line; do fail "two types have the tag $line"; done <"${TMPDIR:-/tmp}/names.$$"
rm -f "${TMPDIR:-/tmp}/names.$$"

statics() { code "$1" | grep -oE '^(HERALD_SLOW |__attribute__\(\([^)]*\)+ )*(static|HERALD_INLINE) [^;={}()]*[ *][A-Za-z0-9_]+( =|\(|;|\[)' |
    sed -E 's/( =|\(|;|\[)$//; s/.*[ *]//'; }
for unit in CSources/CHerald/src/unwinding.cpp CSources/CHeraldNetwork/src/trait.c; do
    for file in $(sed -n 's/^ *#include "\([a-z_]*\.c\)".*/\1/p' "$unit"); do
        statics "$(dirname "$unit")/$file" | sort -u
    done | twice | while read -r name; do echo "$name"; done >"${TMPDIR:-/tmp}/names.$$"
    while read -r name; do fail "two statics are called $name in files that $unit includes"; done <"${TMPDIR:-/tmp}/names.$$"
    rm -f "${TMPDIR:-/tmp}/names.$$"
done

prefix() { # LIBRARY PREFIX
    for header in CSources/"$1"/src/*.h $(ls CSources/"$1"/include/*.h 2>/dev/null); do
        for tag in $(tags "$header" | grep -vE "^($2|Herald|__CF)"); do fail "$header: the tag $tag does not begin with $2"; done
        for name in $(statics "$header" | grep -v "^$2"); do fail "$header: $name does not begin with $2"; done
    done
    [ -d "$objects/$1" ] || [ "$1" = CHeraldRuntime ] || fail "there are no objects of $1 in $objects: make library"
    for object in "$objects/$1"/src/*.o; do
        [ -e "CSources/$1/src/$(basename "$object" .o).c" ] || continue # left over from a file that is gone
        for name in $(nm -g --defined-only "$object" | awk 'NF == 3 {print $3}' | grep -vE "^($2|Herald|CF|kCF|__|_ITM|DW\.ref\.)"); do
            fail "$object: $name does not begin with $2"
        done
    done
}
# Constants of one library that another one has, too, except those of platform.h.
for library in CHerald CHeraldHost CHeraldNetwork CHeraldCF CHeraldRuntime; do
    for file in CSources/$library/src/*.[ch] $(ls CSources/$library/include/*.h 2>/dev/null); do
        code "$file" | tr '\n' ' ' | grep -oE 'enum( [A-Za-z0-9_]+)? *\{[^}]*\}' | grep -oE '\bHERALD_[A-Z0-9_]+' || true
    done | sort -u
done | twice | while read -r name; do echo "$name"; done >"${TMPDIR:-/tmp}/names.$$"
while read -r name; do fail "two libraries have a constant $name"; done <"${TMPDIR:-/tmp}/names.$$"
rm -f "${TMPDIR:-/tmp}/names.$$"

# The Swift runtime's C is compiled by the Swift package alone.
for file in CSources/CHeraldRuntime/src/*.c; do
    for name in $(code "$file" | grep -oE '^[A-Za-z][A-Za-z0-9_ *]*[ *][A-Za-z0-9_]+\([^;]*\{$' | grep -v '^static' |
        sed -E 's/\(.*//; s/.*[ *]//' | grep -v '^herald_swift_'); do
        fail "$file: $name does not begin with herald_swift_"
    done
done

objects=${1:-.build-native/objects}
prefix CHerald herald_
for name in $(nm -g --defined-only "$objects"/CHerald/src/*.o | awk 'NF == 3 {print $3}' | grep -E '^herald_(host|net|cf|swift)_'); do
    fail "the core defines $name, whose prefix is another library's"
done
prefix CHeraldHost herald_host_
prefix CHeraldNetwork herald_net_
prefix CHeraldCF herald_cf_
prefix CHeraldRuntime herald_swift_
[ $status -ne 0 ] || echo "names: $(ls CSources/*/src/*.[ch] | wc -l) files, none with a name that stands for two things"
exit $status
