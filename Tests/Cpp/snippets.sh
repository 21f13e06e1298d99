#!/bin/sh
# Compiles the C++ code of the guide as a reader would paste it: FOLDER "COMPILERS" "INCLUDES"
#
# Each block that is fenced as `cpp` is the body of a function of its own. Before it come the lines of the last comment
#
#      <!-- cpp setup
#      struct View { ... };
#      -->
#
# of the page. A block that includes something is a file of its own. Compiled as C++17 and as C++20, except that a block
# with std::stop_... in it is compiled as C++20 alone.
set -eu
folder=$1/snippets
rm -rf "$folder"
mkdir -p "$folder"
for page in Sources/Herald/Herald.docc/*.md README.md; do
    awk -v page="$page" -v base="$folder/$(basename "$page" .md)" '
        /^<!-- cpp setup$/ {reads = 1; setup = "#line " NR + 1 " \"" page "\"\n"; next}
        reads && /^-->$/ {reads = 0; next}
        reads {setup = setup $0 "\n"; next}
        /^```cpp$/ {on = 1; code = ""; first = NR + 1; next}
        on && /^```$/ {
            on = 0
            file = base "-" first ".cpp"
            line = "#line " first " \"" page "\"\n"
            if (code ~ /#include/) printf "%s%s", line, code > file
            else printf "#include <herald/herald.hpp>\n%svoid snippet();\nvoid snippet() {\n%s%s}\n", setup, line, code > file
            close(file)
            next
        }
        /^```/ {other = !other; next}
        on {code = code $0 "\n"}' "$page"
done
count=0
for file in "$folder"/*.cpp; do
    for compiler in $2; do
        for standard in 17 20; do
            [ $standard = 17 ] && grep -q stop_ "$file" && continue
            $compiler -std=c++$standard -Wall -Wextra -Wpedantic -Werror -Wno-unused-variable \
                -Wno-unused-but-set-variable -Wno-unused-function $3 -fsyntax-only "$file" || { echo "FAILED: $file"; exit 1; }
            count=$((count + 1))
        done
    done
done
[ $count -gt 0 ] || { echo "FAILED: no C++ code in the guide"; exit 1; }
echo "snippets: $count passed, 0 failed"
