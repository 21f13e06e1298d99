#!/bin/sh
# Installs Debian packages, with sudo when not root: install.sh PACKAGE...
set -eu

command -v apt-get >/dev/null || { echo "install: there is no apt-get here to install $*" >&2; exit 1; }
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install: run as root, or install sudo: missing are $*" >&2; exit 1; }
    as_root=sudo
fi
# Two checkouts, or two suites, may install at the same time: the lock makes them take turns.
exec 9>"${TMPDIR:-/tmp}/herald-install.lock" && flock 9
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
