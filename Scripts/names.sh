#!/bin/sh
# Fails when a name in CSources stands for two things:
#   - two source files with one name;
#   - two structs, unions or enums with one tag;
#   - two libraries with one constant;
#   - two statics with one name in files that are compiled as one (unwinding.cpp, trait.c);
#   - a tag, function or variable that files share and that does not carry its library's prefix.
#
#       names.sh OBJECTS        the folder of the libraries' objects (.build-native/objects)
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
objects=${1:-.build-native/objects}
plain=$(mktemp -d) # the sources without comments, strings and preprocessor lines, a folder for each library
trap 'rm -rf "$plain"' EXIT
status=0

fail() {
    echo "names: $1" >&2
    status=1
}

for folder in CSources/*/src CSources/Ground CSources/CHeraldRuntime/include; do
    library=${folder#CSources/}
    library=$plain/${library%%/*}
    mkdir -p "$library"
    find "$folder" -maxdepth 1 -name '*.[ch]' -exec cp -t "$library" {} +
done
sed -i -e ':a' -e 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/| |g' -e '/\/\*/{N;ba}' -e 's|//.*||' -e 's/"[^"]*"/""/g' "$plain"/*/*
sed -i '/^ *#/d' "$plain"/*/*

twice() { sort | uniq -d; }
tags() { cat "$@" | grep -oE '\b(struct|union|enum) [A-Za-z0-9_]+ *\{' | awk '{print $2}'; }
constants() { cat "$@" | tr '\n' ' ' | grep -oE 'enum( [A-Za-z0-9_]+)? *\{[^}]*\}' | grep -oE '\bHERALD_[A-Z0-9_]+' | sort -u; }
statics() {
    cat "$@" | grep -oE '^(HERALD_SLOW |__attribute__\(\([^)]*\)+ )*(static|HERALD_INLINE) [^;={}()]*[ *][A-Za-z0-9_]+( =|\(|;|\[)' |
        sed -E 's/( =|\(|;|\[)$//; s/.*[ *]//' | sort -u
}
functions() { cat "$@" | grep -oE '^[A-Za-z][A-Za-z0-9_ *]*[ *][A-Za-z0-9_]+\([^;]*\{$' | sed -E '/^static/d; s/\(.*//; s/.*[ *]//'; }

for name in $(cd "$plain" && ls ./* | grep '\.[ch]$' | twice); do fail "two files are called $name"; done
for tag in $(tags "$plain"/*/* | twice); do
    fail "two types have the tag $tag: $(cd "$plain" && grep -lE "(struct|union|enum) $tag *\{" ./*/* | tr '\n' ' ')"
done
for name in $(for library in "$plain"/*; do constants "$library"/* || true; done | twice); do
    fail "two libraries have the constant $name"
done
for unit in CSources/CHerald/src/unwinding.cpp CSources/CHeraldNetwork/src/trait.c; do
    folder=$plain/$(echo $unit | cut -d/ -f2)
    for name in $(for file in $(sed -n 's/^ *#include "\([a-z_]*\.c\)".*/\1/p' $unit); do statics "$folder/$file" || true; done | twice); do
        fail "two statics are called $name in files that $unit includes"
    done
done

# Whether a library's shared name carries its prefix, and no other library's.
is_own() { # LIBRARY NAME
    case $1:$2 in
    CHerald:herald_host_* | CHerald:herald_net_* | CHerald:herald_cf_* | CHerald:herald_swift_*) return 1 ;;
    Ground:ground_*) ;;
    CHerald:herald_* | CHeraldHost:herald_host_* | CHeraldNetwork:herald_net_*) ;;
    CHeraldCF:herald_cf_* | CHeraldCF:CF* | CHeraldCF:kCF* | CHeraldCF:__CF* | CHeraldRuntime:herald_swift_*) ;;
    *:Herald* | *:__tsan_* | *:DW.ref.*) ;; # public; the sanitizer's; the compiler's
    *) return 1 ;;
    esac
}

for library in Ground CHerald CHeraldHost CHeraldNetwork CHeraldCF CHeraldRuntime; do
    for name in $(tags "$plain/$library"/*.h; statics "$plain/$library"/*.h); do
        is_own $library "$name" || fail "$library, $(cd "$plain/$library" && grep -lw "$name" -- *.h | xargs): $name does not carry the library's prefix"
    done
    [ $library != Ground ] || continue
    if [ $library = CHeraldRuntime ]; then # only the Swift package compiles it
        shared=$(functions "$plain/$library"/*.c)
    else
        # make check compiles the network center only where libnats is installed.
        [ $library != CHeraldNetwork ] || [ -d "$objects/$library" ] || [ -e /usr/include/nats/nats.h ] || continue
        [ -d "$objects/$library" ] || fail "there are no objects of $library in $objects: make library"
        compiled=
        for file in "$plain/$library"/*.c; do
            object=${file##*/}
            object=$objects/$library/src/${object%.c}.o
            [ ! -e "$object" ] || compiled="$compiled $object"
        done
        # shellcheck disable=SC2086
        shared=$([ -z "$compiled" ] || nm -g --defined-only $compiled | awk 'NF == 3 {print $3}')
    fi
    for name in $shared; do is_own $library "$name" || fail "$library: $name does not carry the library's prefix"; done
done

[ $status -ne 0 ] || echo "names: $(ls "$plain"/*/* | wc -l) files, none with a name that stands for two things"
exit $status
