#!/bin/sh
# Says how to get a tool that is missing: need.sh TOOL HOW. With it the status is 0.
command -v "$1" >/dev/null 2>&1 && exit 0
echo "make: $1 is missing: $2" >&2
exit 1
