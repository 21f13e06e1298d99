#!/bin/sh
# Installs the packages of what Herald is measured beside. None is needed: who is missing is left out of the page.
set -eu

command -v apt-get >/dev/null || { echo "peers: only Debian's packages are known here" >&2; exit 1; }
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "peers: run as root, or install sudo" >&2; exit 1; }
    as_root=sudo
fi
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
    libboost-dev libsigc++-3.0-dev libglib2.0-dev qt6-base-dev liburcu-dev libgnustep-base-dev gobjc \
    libsystemd-dev dbus librsvg2-bin valgrind pkg-config >/dev/null
