#!/bin/sh
# Runs the rules' programs, those of the contract and those that look inside: rules.sh BUILD [ARGUMENT...]. A PART that
# only one of them knows is asked of that one.
set -eu
build=$1
shift
known=
for program in rules inside; do
    "$build/$program" --list "$@" >/dev/null 2>&1 && known="$known $program"
done
[ -n "$known" ] || exec "$build/rules" "$@" # it says what may have been meant
for program in $known; do "$build/$program" "$@"; done
