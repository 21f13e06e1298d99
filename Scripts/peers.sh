#!/bin/sh
# Installs the packages of what Herald is measured beside. None is needed: who is missing is left out of the page.
set -eu
sh "$(dirname "$0")/install.sh" libboost-dev libsigc++-3.0-dev libglib2.0-dev qt6-base-dev liburcu-dev \
    libgnustep-base-dev gobjc libsystemd-dev dbus librsvg2-bin valgrind pkg-config
