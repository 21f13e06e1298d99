#!/bin/sh
# Runs the program of the contract's rules and that of the white-box tests: rules.sh RULES INSIDE [ARGUMENT...]. A PART
# that only one of them has is passed to that one.
set -eu
rules=$1 inside=$2
shift 2
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
    program=$1 known=''
    shift
    for part; do "$program" --list "$part" >/dev/null 2>&1 && known="$known $part"; done
    [ $# -gt 0 ] && [ -z "$known" ] || "$program" $options $known
}
# shellcheck disable=SC2086
for part in $parts; do
    "$inside" --list "$part" >/dev/null 2>&1 || "$rules" --list "$part" >/dev/null || exit 64
done
# shellcheck disable=SC2086
run "$rules" $parts && run "$inside" $parts
