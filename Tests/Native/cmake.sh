#!/bin/sh
# Builds and runs programs with CMake: against an installed copy (find_package), and with Herald's sources
# (FetchContent). BUILD: the build folder of make
set -eu
build=$1
here=$PWD/Tests/Native
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
count=0
: "${CMAKE_BUILD_PARALLEL_LEVEL:=2}"
export CMAKE_BUILD_PARALLEL_LEVEL
unset CFLAGS CXXFLAGS LDFLAGS CMAKE_PREFIX_PATH Herald_DIR Herald_ROOT 2>/dev/null || true

fail() { # WHAT
    cat "$top/said"
    echo "FAILED: cmake, $1"
    exit 1
}

# Writes a project of one language into the folder: FOLDER LANGUAGE SOURCE TARGET. Its first lines come from stdin.
project() {
    rm -rf "$1"
    change_project "$@"
}

# The same, and CMake keeps what it has found out about the compiler.
change_project() {
    mkdir -p "$1"
    {
        echo 'cmake_minimum_required(VERSION 3.16)'
        echo "project(Use LANGUAGES $2)"
        cat
        echo "add_executable(use $here/$3)"
        echo "target_link_libraries(use PRIVATE $4)"
    } >"$1/CMakeLists.txt"
}

finds() { # WHAT FOLDER [OPTIONS]
    what=$1 folder=$2
    shift 2
    cmake -S "$folder" -B "$folder/build" "$@" >"$top/said" 2>&1 || fail "$what"
    ! grep -i 'CMake.*Warning' "$top/said" || fail "$what"
    count=$((count + 1))
}

works() { # WHAT FOLDER [OPTIONS]: and can be built, and run
    what=$1 folder=$2
    shift 2
    finds "$what" "$folder" "$@"
    { cmake --build "$folder/build" && "$folder/build/use"; } >"$top/said" 2>&1 || fail "$what"
    ! grep -i 'CMake.*Warning' "$top/said" || fail "$what"
}

refuses() { # WHAT FOLDER PATTERN [OPTIONS]
    what=$1 folder=$2 pattern=$3
    shift 3
    ! cmake -S "$folder" -B "$folder/build" "$@" >"$top/said" 2>&1 || fail "$what"
    tr '\n' ' ' <"$top/said" | tr -s ' ' | grep -q "$pattern" || fail "$what"
    count=$((count + 1))
}

linked() { # WHAT FOLDER shared|static
    if ldd "$2/build/use" | grep -q libherald; then kind=shared; else kind=static; fi
    [ $kind = "$3" ] || { echo "FAILED: cmake, $1: linked with the $kind library"; exit 1; }
}

# Programs that find Herald by an option: WHAT OPTION shared|static (how Herald::herald is linked)
find_by() {
    project "$top/plus" CXX observe.cpp Herald::herald <<-END
	find_package(Herald 0.3 REQUIRED)
	END
    works "$1, C++" "$top/plus" "$2"
    linked "$1, C++" "$top/plus" "$3"
    project "$top/c" C host.c Herald::herald_static <<-END
	find_package(Herald REQUIRED)
	END
    works "$1, C" "$top/c" "$2"
    linked "$1, C" "$top/c" static
}

# The guide's projects, as they are written there: the first one finds an installed copy, the second one fetches.
of_the_guide() { # NUMBER FOLDER
    rm -rf "$2"
    mkdir -p "$2"
    cp "$here/observe.cpp" "$2/notes.cpp"
    awk -v number="$1" '/^```cmake$/ {on = ++seen == number; next} /^```/ {on = 0} on' \
        Sources/Herald/Herald.docc/CMake.md | sed 's/(notes /(use /' >"$2/CMakeLists.txt"
}

version=$(sed -n 's/^#define HERALD_VERSION "\(.*\)"/\1/p' CSources/CHerald/include/herald/herald.h)
minor=$(echo "$version" | cut -d . -f 2)

# An installation of the Makefile's, by way of a folder for a package, and moved afterwards.
make --no-print-directory install BUILD="$build" DESTDIR="$top/package" PREFIX=/opt/herald NETWORK=0 >/dev/null
find_by "installed" -DCMAKE_PREFIX_PATH="$top/package/opt/herald" shared
mv "$top/package/opt/herald" "$top/moved"
find_by "moved" -DCMAKE_PREFIX_PATH="$top/moved" shared

of_the_guide 1 "$top/guide"
works "the guide's find_package" "$top/guide" -DCMAKE_PREFIX_PATH="$top/moved"

# Versions. A range of versions is CMake 3.19's.
asks() { # VERSION
    change_project "$top/asks" CXX observe.cpp Herald::herald <<-END
	find_package(Herald $1 REQUIRED)
	END
}
for asked in 0 "0.$minor" "$version" "$version EXACT" "0.1...0.$((minor + 1))"; do
    asks "$asked"
    finds "version $asked" "$top/asks" -DCMAKE_PREFIX_PATH="$top/moved"
done
for asked in "0.$minor.99" "0.$((minor + 1))" 1 0.1 "0.$minor EXACT" "0.1...<0.$minor"; do
    [ "$asked" != "0.$minor EXACT" ] || [ "$version" != "0.$minor.0" ] || continue # these are the same
    asks "$asked"
    refuses "version $asked" "$top/asks" "compatible with requested version" -DCMAKE_PREFIX_PATH="$top/moved"
done

# Herald's sources: shared in a project of C++ alone, and static, which is the default, in the guide's.
project "$top/fetched" CXX observe.cpp Herald::herald <<-END
	include(FetchContent)
	FetchContent_Declare(Herald SOURCE_DIR $PWD)
	FetchContent_MakeAvailable(Herald)
END
works "FetchContent, shared" "$top/fetched" -DBUILD_SHARED_LIBS=ON
linked "FetchContent, shared" "$top/fetched" shared
of_the_guide 2 "$top/guide"
works "the guide's FetchContent" "$top/guide" -DFETCHCONTENT_SOURCE_DIR_HERALD="$PWD" -DCMAKE_BUILD_TYPE=Debug
linked "the guide's FetchContent" "$top/guide" static
[ ! -e "$top/guide/build/_deps/herald-build/HeraldConfig.cmake" ] || { echo "FAILED: a part of a project is installed"; exit 1; }

# CMake's own build, installed: the same names as by make install, and exports nothing else.
cmake -S . -B "$top/own" -DCMAKE_INSTALL_PREFIX=/opt/herald -DCMAKE_INSTALL_LIBDIR=lib/here -DBUILD_SHARED_LIBS=ON \
    >"$top/said" 2>&1 && cmake --build "$top/own" >"$top/said" 2>&1 &&
    DESTDIR="$top/by-cmake" cmake --install "$top/own" >"$top/said" 2>&1 || fail "the build of a shared library"
exported=$(nm -D -g --defined-only "$top/own/libherald.so" | awk '$2 ~ /[A-Z]/ {print $3}' |
    grep -vE '^(Herald|__bss_start$|_edata$|_end$)' || true)
[ -z "$exported" ] || { echo "FAILED: CMake's libherald.so exports $exported"; exit 1; }
names() { (cd "$1" && find lib include ! -type d | sed 's|/here/|/|' | grep -v 'pkgconfig\|libherald\.a' | sort); }
names "$top/moved" >"$top/by-make.txt"
names "$top/by-cmake/opt/herald" >"$top/by-cmake.txt"
diff "$top/by-make.txt" "$top/by-cmake.txt" || { echo "FAILED: cmake --install and make install differ"; exit 1; }
cmake -S . -B "$top/own" -DBUILD_SHARED_LIBS=OFF >"$top/said" 2>&1 && cmake --build "$top/own" >"$top/said" 2>&1 &&
    DESTDIR="$top/by-cmake" cmake --install "$top/own" >"$top/said" 2>&1 || fail "the build of a static library"
mv "$top/by-cmake/opt/herald" "$top/moved-too"
find_by "installed by CMake" -DHerald_DIR="$top/moved-too/lib/here/cmake/Herald" shared
rm "$top/moved-too/lib/here"/libherald.so*
find_by "installed by CMake, static alone" -DHerald_DIR="$top/moved-too/lib/here/cmake/Herald" static
rm "$top/moved-too/lib/here/libherald.a"
asks 0
refuses "no library" "$top/asks" "has neither libherald.so" -DHerald_DIR="$top/moved-too/lib/here/cmake/Herald"
count=$((count + 2))

# Without Concurrency Kit one line says what to do.
refuses "no Concurrency Kit" . "Herald needs Concurrency Kit: apt-get install libck-dev" -B "$top/without" \
    -DHERALD_CK_LIBRARY=HERALD_CK_LIBRARY-NOTFOUND -DCMAKE_FIND_ROOT_PATH="$top/nowhere" \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
echo "cmake: $count passed, 0 failed"
