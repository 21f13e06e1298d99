#!/bin/sh
# Runs the C tests with an instrumented library, and prints each line and branch of CSources that none of them has run.
# Tests/Coverage/reasons.txt explains each of them. It fails if a line has no reason, or if a reason's line is gone.
#
#       coverage.sh FOLDER ALLOCATING FAILING       the build folder; what make alloc and make failing wrap
set -eu
build=$1 allocating=$2 failing=$3
includes="-ICSources/Ground -ICSources/CHerald/include -ICSources/CHeraldHost/include"
flags="-g -O0 -fexceptions $includes"
# Some rules become another user, whose counts are kept, too. What gcov complains of would fill their pipes.
umask 000
export GCOV_ERROR_FILE="$PWD/$build/gcov-errors.txt"
rm -rf "$build"
mkdir -p "$build"

echo "coverage: building"
for library in CHerald CHeraldHost CHeraldCF; do
    mkdir -p "$build/$library"
    for file in CSources/$library/src/*.c; do
        gcc -std=gnu11 $flags --coverage -fprofile-update=atomic -c "$file" -o "$build/$library/$(basename "$file" .c).o"
    done
done
objects="$build/CHerald/*.o $build/CHeraldHost/*.o"

# The tests themselves are not instrumented: gcc's own fork would lose the counts of fork handlers that ran in the
# child.
link() { # NAME FLAGS FILE...
    name=$1 extra=$2
    shift 2
    made=
    for file in "$@" Tests/Coverage/exit.c; do
        object=$build/$name-$(echo "$file" | tr /. --).o
        case $file in
        *.cpp) g++ -std=c++17 $flags $extra -c "$file" -o "$object" ;;
        *) gcc -std=gnu11 $flags $extra -c "$file" -o "$object" ;;
        esac
        made="$made $object"
    done
    g++ $extra $made $objects --coverage -Wl,--wrap=_exit -lck -lpthread -o "$build/$name"
}
wrap() { for name in "$@"; do printf ' -Wl,--wrap=%s' "$name"; done; }
run() { # COMMAND...
    echo "coverage: $*"
    "$@" >"$build/said" 2>&1 || { tail -n 20 "$build/said"; echo "coverage: failed: $*"; exit 1; }
}

link rules "" Tests/Rules/*.c Tests/Inside/*.c Tests/Rules/Main/*.c
link allocation "$(wrap $allocating)" Tests/Allocation/allocation.c
link failing "$(wrap $failing)" Tests/Failing/failing.c
link plan "-ICSources/CHerald/src" Tests/Plan/plan.c
link ground "" Tests/Ground/ground.c
link exceptions "" Tests/Native/exceptions.cpp
link seccomp "" Tests/Native/seccomp.c
link fuzz-calls "-DHERALD_FUZZ_STANDALONE" Tests/Fuzz/*.c
link fuzz-host "-DHERALD_FUZZ_STANDALONE" Tests/Fuzz/Host/*.c

run "$build/rules" --jobs 4
run env HERALD_BARRIER=fence "$build/rules" --jobs 4 -Host
run "$build/allocation"
run "$build/failing"
run "$build/plan"
run "$build/ground"
run "$build/exceptions"
run "$build/seccomp"
run "$build/fuzz-calls" --runs 1000 --seed 1
run "$build/fuzz-host" --runs 2000 --seed 1

# CFNotificationCenter needs the toolchain's CoreFoundation.
toolchain=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
[ -x "$clang" ] || clang=clang
for name in semantics extensions distributed; do
    "$clang" -std=gnu11 -g -O1 -isystem "$toolchain" -fblocks -ICSources/CHeraldCF/include \
        -ICSources/Ground -ICSources/CHerald/include -ICSources/CHeraldHost/include \
        Tests/CoreFoundation/Native/$name.c $objects "$build"/CHeraldCF/*.o "-L$toolchain/linux" -lFoundation -ldispatch \
        -lck -lstdc++ -lm -lpthread "$(gcc -print-file-name=libgcov.a)" "-Wl,-rpath,$toolchain/linux" -o "$build/$name"
    mkdir -p "$build/host"
    run env "HERALD_HOST_DIRECTORY=$(cd "$build/host" && pwd)" "$build/$name"
done

for library in CHerald CHeraldHost CHeraldCF; do
    for counts in "$build/$library"/*.gcno; do
        gcov -b -t -o "$build/$library" "CSources/$library/src/$(basename "$counts" .gcno).c"
    done
done >"$build/counts.txt" 2>"$build/gcov.log"
awk -f Tests/Coverage/unrun.awk "$build/counts.txt" >"$build/unsorted.txt"
sort -t: -k1,1 -k2,2n "$build/unsorted.txt" >"$build/unrun.txt"
awk -f Tests/Coverage/reasons.awk Tests/Coverage/reasons.txt "$build/unrun.txt"
