#!/bin/sh
# Builds the fuzzers and runs each for some seconds, guided by coverage if the compiler has libFuzzer, else at random.
# BUILD SECONDS [SEED]: another seed makes other inputs
set -eu
build=$1 seconds=$2 seed=${3:-1}
includes="-I CSources/Ground -I CSources/CHerald/include -I CSources/CHeraldHost/include"
flags="-std=gnu11 -g -O1 -fexceptions -DHERALD_RETIRED_ENOUGH=512 -fno-sanitize-recover=all $includes"
library="CSources/CHerald/src/*.c CSources/CHeraldHost/src/*.c -lck -lpthread"

# What is needed to find the fault somewhere else: the report without its long tables, and the input.
failed() { # NAME
    echo "fuzz: FAILED $1 with seed $seed"
    grep -a -A 16 -E '^fuzz:|ERROR: |runtime error' "$build/fuzz.log" | head -n 40
    for input in "$build"/crash-* "$build"/timeout-* "$build"/oom-*; do
        if [ -e "$input" ]; then echo "fuzz: $input in base 64: $(base64 -w 0 "$input")"; fi
    done
}

fuzz() { # NAME FILES LONGEST RUNS_A_SECOND
    mkdir -p "$build/corpus-$1"
    if command -v clang >/dev/null &&
        clang $flags -fsanitize=fuzzer,address,undefined $2 $library -o "$build/fuzz-$1" 2>"$build/fuzz.log"; then
        "$build/fuzz-$1" -max_len="$3" -len_control=0 -seed="$seed" -timeout=120 -rss_limit_mb=4096 \
            -verbosity=1 -print_final_stats=1 -artifact_prefix="$build/" -max_total_time="$seconds" \
            "$build/corpus-$1" >"$build/fuzz.log" 2>&1 ||
            { failed "$1"; exit 1; }
        grep -E 'stat::number_of_executed_units|DONE' "$build/fuzz.log"
    else
        ${CC:-cc} $flags -fsanitize=address,undefined -DHERALD_FUZZ_STANDALONE $2 $library -o "$build/fuzz-$1"
        "$build/fuzz-$1" --runs $((seconds * $4)) --seed "$seed"
    fi
}

fuzz calls "Tests/Fuzz/*.c" 1500 200
echo "fuzz: no difference from the model"
fuzz segment "Tests/Fuzz/Host/*.c" 600 500
echo "fuzz: no bytes in the shared file do harm"
