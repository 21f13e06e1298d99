#!/bin/sh
# Runs the programs of the contract's rules and of the white-box tests: rules.sh BUILD [ARGUMENT...]. A PART that only
# one of them has is passed to that one.
set -eu
build=$1
shift
options='' parts=''
while [ $# -gt 0 ]; do
    case $1 in
    --jobs | --repeat) options="$options $1 $2" && shift ;;
    -*) options="$options $1" ;;
    *) parts="$parts $1" ;;
    esac
    shift
done
# shellcheck disable=SC2086 # words
run() { # PROGRAM PART...: runs it with the parts that it has
    program=$build/$1 known=''
    shift
    for part; do "$program" --list "$part" >/dev/null 2>&1 && known="$known $part"; done
    [ $# -gt 0 ] && [ -z "$known" ] || "$program" $options $known
}
# shellcheck disable=SC2086
for part in $parts; do
    "$build/inside" --list "$part" >/dev/null 2>&1 || "$build/rules" --list "$part" >/dev/null || exit 64
done
# shellcheck disable=SC2086
run rules $parts && run inside $parts
