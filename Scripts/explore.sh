#!/bin/sh
# Builds the explorer: the shipped core with HERALD_EXPLORE, the scenarios, and the controlled scheduler.
#
#       explore.sh FOLDER       the build folder; prints the program's path
#
# The variables of the core and of the scenarios go into sections of their own, which each run restores at its start.
set -eu
folder=$1
mkdir -p "$folder"
sed -n 's/^ *HERALD_DROP_\([A-Z_]*\)\(,\| \|$\).*/MUTATION(\1)/p' CSources/CHerald/src/order.h >"$folder/mutations.h"

flags="-g -O1 -fexceptions -fno-pie -fno-common -Wall -Wextra -Werror -ICSources/Ground -ICSources/CHerald/include -ITests/Explore"
compile() { # FILE...: compiles them as C and prints the objects
    for file in "$@"; do
        object=$folder/$(basename "$file" .c).o
        ${CC:-cc} -std=gnu11 $flags $extra -c "$file" -o "$object"
        echo "$object"
    done
}
# Few carriers, because each run restores their table.
extra="-DHERALD_EXPLORE -DHERALD_RETIRED_ENOUGH=1 -DHERALD_CARRIER_BITS=4 -Wno-unused-value -Wno-missing-field-initializers -ICSources/CHerald/src"
core=$(compile CSources/CHerald/src/*.c Tests/Explore/stage.c)
# In the order of the search: the scenarios that find most come first.
scenarios=
for file in removal walks asking snapshots order suspension center fork hooks transport names signals kept carried; do
    scenarios="$scenarios $folder/scenarios-$file.o"
    ${CC:-cc} -std=gnu11 $flags $extra -fno-toplevel-reorder -c "Tests/Explore/Scenarios/$file.c" \
        -o "$folder/scenarios-$file.o"
done
ld -r $core $scenarios -o "$folder/explored.o"
objcopy --set-section-flags .bss=alloc,load,contents,data "$folder/explored.o" "$folder/loaded.o"
objcopy --rename-section .data=explore_data --rename-section .bss=explore_bss "$folder/loaded.o" "$folder/explored.o"
extra="-O3 -I$folder"
tools=$(compile Tests/Explore/run.c Tests/Explore/memory.c Tests/Explore/heap.c Tests/Explore/locks.c \
    Tests/Explore/choice.c Tests/Explore/main.c)
${CXX:-c++} $flags -c Tests/Explore/throwing.cpp -o "$folder/throwing.o"
${CXX:-c++} -no-pie $tools "$folder/explored.o" "$folder/throwing.o" -lck -o "$folder/explore"
echo "$folder/explore"
