#!/bin/sh
# Unpacks a Debian package of another architecture into a folder: foreign.sh ARCHITECTURE PACKAGE FOLDER. Nothing is
# installed, and apt's own lists stay as they are.
set -eu
architecture=$1 package=$2 folder=$3
[ ! -e "$folder/$package.done" ] || exit 0
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
mkdir -p "$own/lists/partial" "$own/cache/archives/partial" "$folder"
chmod 755 "$own"
apt() {
    apt-get -qq -o APT::Architectures::="$architecture" -o APT::Sandbox::User=root -o Dir::State::lists="$own/lists" \
        -o Dir::Cache="$own/cache" "$@"
}
apt update
(cd "$own" && apt download "$package:$architecture")
dpkg -x "$own/$package"_*.deb "$folder"
touch "$folder/$package.done"
