#!/bin/sh
# Builds the fuzzer and runs it for some seconds: guided by coverage where the compiler has libFuzzer, else by chance.
# BUILD SECONDS
set -eu
build=$1 seconds=$2
mkdir -p "$build/corpus"
flags="-std=c11 -g -O1 -fexceptions -DHERALD_RETIRED_ENOUGH=512 -fno-sanitize-recover=all -I CSources/CHerald/include"
files="Tests/Fuzz/*.c CSources/CHerald/src/*.c -lck -lpthread -o $build/fuzz"
if command -v clang >/dev/null && clang $flags -fsanitize=fuzzer,address,undefined $files 2>"$build/fuzz.log"; then
    "$build/fuzz" -max_len=1500 -len_control=0 -timeout=20 -verbosity=1 -print_final_stats=1 \
        -artifact_prefix="$build/" -max_total_time="$seconds" "$build/corpus" >"$build/fuzz.log" 2>&1 ||
        { tail -n 40 "$build/fuzz.log"; exit 1; }
    grep -E 'stat::number_of_executed_units|DONE' "$build/fuzz.log"
else
    ${CC:-cc} $flags -fsanitize=address,undefined -DHERALD_FUZZ_STANDALONE $files
    "$build/fuzz" --runs $((seconds * 200)) --seed 1
fi
echo "fuzz: no difference from the model"
