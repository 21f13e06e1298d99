#!/bin/sh
# Runs the C tests with an instrumented library, and finds the lines and branches of CSources that none of them has run
# (FOLDER/unrun.txt). Tests/Coverage/reasons.txt has a sentence for each of these lines. Fails if a line has none, or if a
# line that has one is gone. The network center's sources are not counted, nor those that Swift alone calls.
#
#       coverage.sh FOLDER ALLOCATING FAILING       the build folder; what make alloc and make failing wrap
#
# The compiler is clang: its counts are in the memory of a file that a process and its children share. So a process that
# is killed, or is aborted, has counted what it ran, and nothing is written when one of thousands ends. The toolchain of
# Swift has clang, its run-time library for counts, and its tools.
set -eu
build=$1 allocating=$2 failing=$3
toolchain=$(dirname "$(readlink -f "$(command -v swift)")")
clang=$toolchain/clang
for tool in clang clang++ llvm-cov llvm-profdata; do
    [ -x "$toolchain/$tool" ] || { echo "coverage: the toolchain of Swift has no $tool (in $toolchain)"; exit 1; }
done
includes="-ICSources/Ground -ICSources/CHerald/include -ICSources/CHeraldHost/include"
flags="-g -O1 -DDEBUG -fexceptions $includes" # DEBUG: with the checks for misuse
counted="-fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic -mllvm -runtime-counter-relocation"
rm -rf "$build"
mkdir -p "$build"

compile() { # NAME FLAGS FILE...: prints a command for each file, for together
    name=$1 extra=$2
    shift 2
    for file in "$@"; do
        object=$build/$name-$(echo "$file" | tr /. --).o
        case $file in
        *.cpp) echo "$clang++ -std=c++17 $flags $extra -c $file -o $object" ;;
        *) echo "$clang -std=gnu11 $flags $extra -c $file -o $object" ;;
        esac
    done
}
together() { xargs -P "$(nproc)" -d '\n' -n 1 sh -c; }
link() { # NAME COMPILING LINKING FILE...
    name=$1 compiling=$2 linking=$3
    shift 3
    compile "$name" "$compiling" "$@" | together
    "$clang++" $linking "$build/$name"-*.o "$build"/counted-*.o -fprofile-instr-generate -lck -lpthread -o "$build/$name"
}
wrap() { for name in "$@"; do printf ' -Wl,--wrap=%s' "$name"; done; }
runs=0
run() { # COMMAND...
    echo "coverage: $*"
    runs=$((runs + 1))
    # Some rules become another user, who opens the file, too.
    (umask 000 && LLVM_PROFILE_FILE="$PWD/$build/$runs-%m%c.profraw" exec "$@") >"$build/said" 2>&1 ||
        { tail -n 20 "$build/said"; echo "coverage: failed: $*"; exit 1; }
}

echo "coverage: building"
compile counted "$counted" CSources/CHerald/src/*.c CSources/CHeraldHost/src/*.c | together
link rules "" "" Tests/Rules/*.c Tests/Inside/*.c Tests/Rules/Main/*.c
link allocation "" "$(wrap $allocating)" Tests/Allocation/allocation.c
link failing "" "$(wrap $failing)" Tests/Failing/failing.c
link plan "-ICSources/CHerald/src" "" Tests/Plan/plan.c
link ground "" "" Tests/Ground/ground.c
link exceptions "" "" Tests/Native/exceptions.cpp
link seccomp "" "" Tests/Native/seccomp.c
link fuzz-calls "-DHERALD_FUZZ_STANDALONE" "" Tests/Fuzz/*.c
link fuzz-host "-DHERALD_FUZZ_STANDALONE" "" Tests/Fuzz/Host/*.c

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
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
cf_flags="-fblocks -isystem $resources -ICSources/CHeraldCF/include"
compile cf "$counted $cf_flags" CSources/CHeraldCF/src/*.c | together
mkdir -m 700 "$build/host"
for name in semantics extensions distributed; do
    "$clang" -std=gnu11 $flags $cf_flags Tests/CoreFoundation/Native/$name.c "$build"/counted-*.o "$build"/cf-*.o \
        -fprofile-instr-generate "-L$resources/linux" "-Wl,-rpath,$resources/linux" \
        -lFoundation -ldispatch -lck -lstdc++ -lm -lpthread -o "$build/$name"
    run env "HERALD_HOST_DIRECTORY=$PWD/$build/host" "$build/$name"
done

"$toolchain/llvm-profdata" merge -sparse "$build"/*.profraw -o "$build/counts"
"$toolchain/llvm-cov" export -format=lcov -instr-profile="$build/counts" "$build/rules" -object "$build/semantics" \
    >"$build/counts.txt"
awk -f Tests/Coverage/unrun.awk "$build/counts.txt" >"$build/unsorted.txt"
sort -t: -k1,1 -k2,2n "$build/unsorted.txt" >"$build/unrun.txt"
awk -f Tests/Coverage/reasons.awk Tests/Coverage/reasons.txt "$build/unrun.txt"
