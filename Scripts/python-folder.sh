#!/bin/sh
# Prints the folder below PREFIX for Python's modules: python-folder.sh PYTHON PREFIX. That is the folder in which this
# Python looks for modules; if it looks in none below PREFIX, the usual one, with a line on stderr.
set -eu
exec "$1" -I -c '
import site, sys, sysconfig
prefix = sys.argv[1].rstrip("/")
if sys.version_info < (3, 10):
    sys.exit("make: herald.py needs Python 3.10 or later, and this is " + sys.version.split()[0])
folders = [folder for folder in site.getsitepackages() if folder.startswith(prefix + "/lib/")]
folder = folders[0] if folders else sysconfig.get_path("purelib", "posix_prefix", {"base": prefix})
if not folders:
    print("note: python3 does not look for modules in " + folder + ": set PYTHONPATH", file=sys.stderr)
print(folder)' "$2"
