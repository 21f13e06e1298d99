#!/bin/sh
# Tests the Python module: with the library as it was built, and installed. BUILD VERSION PYTHON
set -eu
unset MAKEFLAGS MFLAGS # a make that goes on after errors (-k) would install without Python
build=$(realpath "$1") version=$2 python=$3
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir -m 700 "$top/host" "$top/lib"
export HERALD_HOST_DIRECTORY="$top/host" PYTHONDONTWRITEBYTECODE=1
ln -s "$build/libherald.so.$version" "$top/lib/libherald.so.0"

HERALD_LIBRARY="$top/lib/libherald.so.0" "$python" -X faulthandler -W error Tests/Python/test_herald.py \
    >"$top/out" 2>&1 || { cat "$top/out"; echo "FAILED: test_herald.py"; exit 1; }
count=$(sed -n 's/^Ran \([0-9]*\) test.*/\1/p' "$top/out")

# Installed. Under a prefix the module finds the library of its own installation. With DESTDIR the environment says
# where the library is. The programs run from elsewhere.
talk='import herald
with herald.watch("installed") as watch:
    herald.post_message("installed", "hello")
    print(herald.__file__, watch.get(60).text)'
folder() { sh Scripts/python-folder.sh "$python" "$1" 2>/dev/null; }
expect() { # FILE OUTPUT
    [ "$2" = "$1 hello" ] || { echo "FAILED: expected $1, and heard: $2"; exit 1; }
    count=$((count + 1))
}
install() { # ARGUMENTS of make
    make --no-print-directory install-python PYTHON="$python" "$@" >"$top/out" 2>&1 ||
        { cat "$top/out"; echo "FAILED: install-python"; exit 1; }
}
install PREFIX="$top/installed"
at=$(folder "$top/installed")
expect "$at/herald.py" "$(cd / && PYTHONPATH=$at "$python" -c "$talk")"
install PREFIX=/usr DESTDIR="$top/packed"
at=$top/packed$(folder /usr)
expect "$at/herald.py" "$(cd / && PYTHONPATH=$at LD_LIBRARY_PATH=$top/packed/usr/lib "$python" -c "$talk")"
if make --no-print-directory install-python PYTHON="$top/none" PREFIX="$top/none" >/dev/null 2>"$top/error"; then
    echo "FAILED: install-python without Python"
    exit 1
fi
grep -q 'none is missing: ' "$top/error" || { cat "$top/error"; exit 1; }
[ ! -e "$top/none" ] || { echo "FAILED: install-python without Python has installed something"; exit 1; }
echo "python: $((count + 1)) passed, 0 failed"
