#!/bin/sh
# Builds programs in C and C++ with sanitizers, against an installed copy of the library, which is built without them.
# The programs are correct: no sanitizer may report anything. BUILD "COMPILERS"
set -eu
build=$1
first=${2%% *}
here=Tests/Native
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
count=0
make --no-print-directory install BUILD="$build" PREFIX="$top" NETWORK=0 >/dev/null

fail() { # WHAT
    tail -n 60 "$top/said"
    echo "FAILED: $1"
    exit 1
}

# clang's linker warns of symbols that its sanitizer exports twice, so warnings of the linker are not shown.
build_program() { # "COMPILER FLAGS" SOURCE static|shared
    if [ "$3" = static ]; then libs="$top/lib/libherald.a -lck"; else libs="-L$top/lib -lherald -Wl,-rpath,$top/lib"; fi
    # shellcheck disable=SC2086 # one word each
    $1 -g -O1 -Wall -Wextra -Wpedantic -Werror -I"$top/include" "$2" $libs $extra -pthread -o "$top/program" \
        >"$top/said" 2>&1 || fail "$1 $2 $3"
}

run() { # "COMPILER FLAGS" SOURCE static|shared
    build_program "$1" "$here/$2" "$3"
    timeout 300 "$top/program" >"$top/said" 2>&1 || fail "$1 $2 $3"
    ! grep -E 'runtime error|WARNING: ThreadSanitizer|ERROR: ' "$top/said" || fail "$1 $2 $3"
    count=$((count + 1))
}

# A race of the program's own is still reported.
notices() { # "COMPILER FLAGS" static|shared
    build_program "$1" "$here/races.c" "$2"
    ! timeout 300 "$top/program" mistake >"$top/said" 2>&1 || fail "$1 races.c $2: a race was not reported"
    grep -q 'WARNING: ThreadSanitizer: data race' "$top/said" || fail "$1 races.c $2: no race was reported"
    count=$((count + 1))
}

# The libraries that a program needs in addition. (The thread sanitizer of a Swift toolchain's clang needs dispatch.)
# False: this compiler cannot link programs with this sanitizer here.
find_extra() { # COMPILER SANITIZER
    swift=$(dirname "$(realpath "$(command -v "$1")")")/../lib/swift/linux
    echo 'int main(void) { return 0; }' >"$top/empty.c"
    for extra in "" "-L$swift -Wl,-rpath,$swift -ldispatch -lBlocksRuntime"; do
        # shellcheck disable=SC2086 # one word each
        ! $1 "-fsanitize=$2" "$top/empty.c" $extra -o "$top/program" 2>/dev/null || return 0
    done
    echo "sanitized: $1 cannot link programs with -fsanitize=$2 here, so these are left out"
    return 1
}

for compiler in $2; do
    case $compiler in
    gcc) plus=g++ ;;
    clang) plus=clang++ ;;
    *) plus=${CXX:-c++} ;;
    esac
    for sanitizer in address,undefined undefined thread; do
        find_extra "$compiler" "$sanitizer" || continue
        with="-fsanitize=$sanitizer -fno-sanitize-recover=all"
        for kind in static shared; do
            run "$compiler -std=gnu11 $with" leaks.c $kind
            run "$compiler -std=gnu11 $with" races.c $kind
            [ $sanitizer != thread ] || notices "$compiler -std=gnu11 $with" $kind
        done
        for program in observe.c host.c early.c fork.c; do run "$compiler -std=gnu11 $with" $program shared; done
        for program in observe.cpp leaks.c races.c; do run "$plus -x c++ -std=c++17 $with" $program shared; done
    done
done
# The library compiled with the sanitizer, as a part of the program.
command -v cmake >/dev/null || sh Scripts/install.sh cmake
for sanitizer in address,undefined thread; do
    find_extra "$first" $sanitizer || continue
    rm -rf "$top/whole"
    mkdir "$top/whole"
    cat >"$top/whole/CMakeLists.txt" <<-END
	cmake_minimum_required(VERSION 3.16)
	project(Whole LANGUAGES C)
	add_subdirectory($PWD herald)
	foreach(name leaks races)
	  add_executable(\${name} $PWD/$here/\${name}.c)
	  target_link_libraries(\${name} PRIVATE Herald::herald $extra)
	endforeach()
	END
    { cmake -S "$top/whole" -B "$top/whole/build" -DCMAKE_C_COMPILER="$first" \
        -DCMAKE_C_FLAGS="-fsanitize=$sanitizer -fno-sanitize-recover=all -g -O1" &&
        cmake --build "$top/whole/build" -j 2; } >"$top/said" 2>&1 || fail "the library with $sanitizer"
    for program in leaks races; do
        timeout 300 "$top/whole/build/$program" >"$top/said" 2>&1 || fail "the library with $sanitizer, $program"
        count=$((count + 1))
    done
    [ $sanitizer != thread ] || ! timeout 300 "$top/whole/build/races" mistake >"$top/said" 2>&1 ||
        fail "the library with $sanitizer: a race was not reported"
done
echo "sanitized: $count passed, 0 failed"
