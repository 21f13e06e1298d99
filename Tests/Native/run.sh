#!/bin/sh
# Builds and installs the library with each compiler, into a folder of its own. Builds and runs programs against that
# copy, as a native user would: with the shared and the static library, and with warnings as errors. BUILD "COMPILERS"
# MAKES: the compiler that built the library in BUILD
set -eu
build=$1
here=Tests/Native
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
count=0

run() { # COMPILER STANDARD SOURCE static|shared [FLAGS]
    flags="${5:-} -std=$2 -Wall -Wextra -Wpedantic -Werror -pthread"
    if [ "$4" = static ]; then
        libs="$(pkg-config --cflags herald) $prefix/lib/libherald.a -lck"
    else
        libs="$(pkg-config --cflags --libs herald) -Wl,-rpath,$prefix/lib"
    fi
    $1 $flags "$here/$3" $libs -o "$prefix/program"
    "$prefix/program" >"$prefix/out" || { cat "$prefix/out"; echo "FAILED: $*"; exit 1; }
    count=$((count + 1))
}

# The network center, which has a library of its own.
run_network() { # COMPILER STANDARD static|shared
    if [ "$3" = static ]; then
        libs="$(pkg-config --cflags herald-network) $prefix/lib/libherald-network.a $prefix/lib/libherald.a -lnats -lcrypto -lck"
    else
        libs="$(pkg-config --cflags --libs herald-network) -Wl,-rpath,$prefix/lib"
    fi
    $1 -std=$2 -Wall -Wextra -Wpedantic -Werror -pthread "$here/network.c" $libs -o "$prefix/program"
    "$prefix/program" || { echo "FAILED: network.c, $*"; exit 1; }
    count=$((count + 1))
}

# A program without the library, and a plugin that has a copy of it.
run_plugin() { # COMPILER
    flags="-std=gnu11 -Wall -Wextra -Wpedantic -Werror -pthread"
    $1 $flags -DPLUGIN -fPIC -shared "$here/plugin.c" $(pkg-config --cflags herald) "$prefix/lib/libherald.a" -lck \
        -o "$prefix/plugin.so"
    $1 $flags "$here/plugin.c" -ldl -o "$prefix/program"
    "$prefix/program" "$prefix/plugin.so" || { echo "FAILED: a plugin, $1"; exit 1; }
    count=$((count + 1))
}

# A program with C++ signals, and a plugin that hides its symbols and uses the same ones.
run_cpp_plugin() { # COMPILER
    flags="-std=c++17 -Wall -Wextra -Wpedantic -Werror -pthread"
    libs="$(pkg-config --cflags --libs herald) -Wl,-rpath,$prefix/lib"
    $1 $flags -DPLUGIN -fPIC -shared -fvisibility=hidden "$here/signals.cpp" $libs -o "$prefix/signals.so"
    $1 $flags -DOPENS -rdynamic "$here/signals.cpp" $libs -ldl -o "$prefix/program"
    "$prefix/program" "$prefix/signals.so" || { echo "FAILED: a plugin with signals, $1"; exit 1; }
    # The same with a copy of the library in the plugin (R22).
    $1 $flags -DPLUGIN -fPIC -shared -fvisibility=hidden "$here/signals.cpp" $(pkg-config --cflags herald) \
        "$prefix/lib/libherald.a" -lck -o "$prefix/signals.so"
    "$prefix/program" "$prefix/signals.so" || { echo "FAILED: a plugin with signals and a copy, $1"; exit 1; }
    count=$((count + 2))
}

# A program that adds an observer and ignores the status gets a warning.
warns() { # COMPILER STANDARD
    cat >"$prefix/unused.c" <<-END
	#include <herald/host.h>
	static void hear(HeraldCenterRef c, void *o, HeraldNameRef n, const void *about, const void *info) {
	    (void)c, (void)o, (void)n, (void)about, (void)info;
	}
	int main(void) {
	    HeraldToken token;
	    HeraldHostToken check;
	    HeraldHostInbox inbox;
	    int descriptor;
	    HeraldCenterAddObserver(HeraldCenterGetLocalCenter(), NULL, hear, NULL, NULL, HeraldSuspensionHold);
	    HeraldCenterAddObserverWithOptions(HeraldCenterGetLocalCenter(), NULL, hear, NULL, NULL, NULL, &token);
	    HeraldHostAddObserverUnder(NULL, hear, "org", NULL, &token);
	    HeraldHostRegisterCheck("org", &check);
	    HeraldHostOpenInbox("org", 0, &inbox, &descriptor);
	    HeraldHostOpenInboxUnder("org", 0, &inbox, &descriptor);
	    return 0;
	}
	END
    said=$($1 -std=$2 -Wall -Wextra -O2 -c "$prefix/unused.c" -I"$prefix/include" -o "$prefix/unused.o" 2>&1 | grep -c 'Wunused-result')
    [ "$said" -eq 6 ] || { echo "FAILED: $said of 6 calls that add warn, $1 $2"; exit 1; }
}

for compiler in $2; do
    case $compiler in
    gcc) plus=g++ ;;
    clang) plus=clang++ ;;
    *) plus=${CXX:-c++} ;;
    esac
    make --no-print-directory install NETWORK=1 CC="$compiler" BUILD="$build$([ "$compiler" = "$3" ] || echo "/$compiler")" PREFIX="$top/installed" >/dev/null
    prefix="$top/$compiler"
    mv "$top/installed" "$prefix" # herald.pc names the folder where it is, not where it was
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    for header in herald message transport inspect host network notify; do # each header by itself
        printf '#include <herald/%s.h>\nint main(void) { return 0; }\n' $header >"$prefix/alone.c"
        $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" "$prefix/alone.c" -o "$prefix/alone"
        $plus -x c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" "$prefix/alone.c" -o "$prefix/alone"
    done
    for standard in 17 20; do
        printf '#include <herald/herald.hpp>\nint main() {}\n' >"$prefix/alone.cpp"
        $plus -std=c++$standard -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" "$prefix/alone.cpp" -fsyntax-only
    done
    warns "$compiler" c11
    warns "$plus -x c++" c++17
    for kind in static shared; do
        run $compiler c11 observe.c $kind
        run $plus c++17 observe.cpp $kind
        run $plus c++17 exceptions.cpp $kind
        run $plus c++17 signals.cpp $kind
        run $plus c++20 signals.cpp $kind "-fno-exceptions -fno-rtti"
        run $compiler c11 early.c $kind
        run $compiler c11 fork.c $kind
        run $compiler c11 unwinding.c $kind -fexceptions
        run $compiler c11 untabled.c $kind "-fno-exceptions -fno-asynchronous-unwind-tables -fno-unwind-tables"
        run $compiler gnu11 seccomp.c $kind
        run $compiler gnu11 host.c $kind
        for example in poll messages threads inbox; do
            HERALD_HOST_DIRECTORY=$prefix run $compiler c11 ../../Examples/C/$example.c $kind
        done
        $compiler -std=gnu11 -Wall -Wextra -Wpedantic -Werror -DOTHER_FILE $(pkg-config --cflags herald) \
            -c "$here/notify.c" -o "$prefix/other.o"
        run $compiler gnu11 notify.c $kind "$prefix/other.o"
    done
    for kind in static shared; do
        run_network $compiler c11 $kind
    done
    run_plugin $compiler
    run_cpp_plugin $plus
    sh "$here/copies.sh" "$prefix" $compiler
    count=$((count + 1))
    # Global symbols that are neither Herald's own nor the linker's section marks.
    exported=$(nm -D -g --defined-only "$prefix/lib/libherald.so" | awk '$2 ~ /[A-Z]/ {print $3}' |
        grep -vE '^(Herald|__bss_start$|_edata$|_end$)' || true)
    [ -z "$exported" ] || { echo "FAILED: libherald.so exports $exported"; exit 1; }
    exported=$(nm -D -g --defined-only "$prefix/lib/libherald-network.so" | awk '$2 ~ /[A-Z]/ {print $3}' |
        grep -vE '^(HeraldNetwork|HeraldDurable|__bss_start$|_edata$|_end$)' || true)
    [ -z "$exported" ] || { echo "FAILED: libherald-network.so exports $exported"; exit 1; }
    visible=$(nm -g --defined-only "$prefix/lib/libherald.a" | awk 'NF == 3 {print $3}' | grep -v '^Herald' || true)
    [ -z "$visible" ] || { echo "FAILED: libherald.a shows $visible"; exit 1; }
    sh "$here/readme.sh" "$prefix" "$compiler" "$plus" "$build$([ "$compiler" = "$3" ] || echo "/$compiler")"
    $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror Examples/Signals/signals.c $(pkg-config --cflags --libs herald) \
        -Wl,-rpath,"$prefix/lib" -o "$prefix/signals"
    for way in signalfd pipe; do sh Examples/Signals/test.sh "$prefix/signals" $way; done
    count=$((count + 2))
done
# The C code of the guide is the example's.
awk '/^```c$/ {on = 1; next} /^```/ {on = 0} on' Sources/Herald/Herald.docc/Signals.md | while IFS= read -r line; do
    grep -qF -- "$line" Examples/Signals/signals.c || { echo "FAILED: Signals.md: not in the example: $line"; exit 1; }
done
echo "native: $count passed, 0 failed"
