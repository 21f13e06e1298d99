#!/usr/bin/env bash
# Builds one site of all modules and the C headers: docs.sh SWIFT FOLDER SCRATCH. The site is FOLDER/site; Swift builds
# in SCRATCH, with the package's traits. docc warns about links that do not resolve; its warnings are errors.
set -eu -o pipefail
swift=$1 folder=$2 scratch=$3
tools=$(dirname "$(realpath "$(command -v "$swift")")") # docc, and a clang that extracts declarations
tool() {
    if [ -x "$tools/$1" ]; then echo "$tools/$1"; else command -v "$1" || { echo "docs: there is no $1" >&2 && exit 1; }; fi
}
docc=$(tool docc)
clang=$(tool clang)
modules="HeraldTestSupport HeraldFoundation HeraldCF HeraldNetwork HeraldInstrumentation" # all but Herald
headers=$(ls CSources/CHerald{,Host,Network}/include/herald/*.h CSources/CHeraldCF/include/*.h)
includes=$(printf -- '-I%s ' CSources/CHerald{,Host,Network,CF,Runtime}/include)
rm -rf "$folder"
mkdir -p "$folder/first" "$folder/tmp"
export TMPDIR=$(realpath "$folder/tmp") # docc leaves folders there
trap 'rm -rf "$TMPDIR"' EXIT

# ---- Declarations and their comments ---------------------------------------------------------------------------------

for module in $modules; do
    "$swift" build --quiet --traits Network,Instrumentation --scratch-path "$scratch" --target "$module"
done
for module in Herald $modules; do
    mkdir -p "$folder/symbols/$module"
    # shellcheck disable=SC2086 # words
    "$swift" symbolgraph-extract -module-name "$module" -target "$(uname -m)-unknown-linux-gnu" \
        -I "$scratch/debug/Modules" $includes -minimum-access-level public -skip-inherited-docs \
        -skip-synthesized-members -emit-extension-block-symbols -output-dir "$folder/symbols/$module"
done

# The macros for compilers, and notify.h's own functions, are not for programs. With HERALD_CF_COREFOUNDATION_H, the
# header of HeraldCF includes none of CoreFoundation's.
mkdir -p "$folder/symbols/CHerald"
grep -ohE '\b(herald_notify\w*|HERALD_(EXPORT|ADDS|CF_CENTER|CF_RUN_LOOP))\b' $headers | sort -u >"$folder/ignored"
# shellcheck disable=SC2086
"$clang" -extract-api -x c-header --product-name=CHerald --extract-api-ignores="$folder/ignored" \
    -DHERALD_CF_COREFOUNDATION_H $includes $headers -o "$folder/symbols/CHerald/CHerald.symbols.json"

# Each C header has a page, with the rules of the header.
cp -r CSources/CHerald.docc "$folder"
for header in $headers; do
    awk -f Scripts/header-page.awk "$header" | cat -s >"$folder/CHerald.docc/$(basename "$header" .h)-h.md"
done

# ---- Pages -----------------------------------------------------------------------------------------------------------

# Arguments: MODULE, its catalog, the archive, further options. A page may link to the pages of the archives in $made.
# grep leaves out the empty lines that docc prints.
made=
convert() {
    # shellcheck disable=SC2086
    "$docc" convert "$2" --additional-symbol-graph-dir "$folder/symbols/$1" --output-dir "$3" \
        --fallback-display-name "$1" --fallback-bundle-identifier "$1" --fallback-default-module-kind Module \
        --enable-experimental-external-link-support $made "${@:4}" | { grep . || true; }
    made="$made --dependency $3"
}
# Herald's pages link to the other modules' pages, and these link to Herald's. So Herald's pages are made twice. The
# first ones lack the links.
convert Herald Sources/Herald/Herald.docc "$folder/first/Herald.doccarchive" --diagnostic-level error
first=$made
convert CHerald "$folder/CHerald.docc" "$folder/CHerald.doccarchive" --warnings-as-errors
for module in $modules; do
    convert "$module" "Sources/$module/$module.docc" "$folder/$module.doccarchive" --warnings-as-errors
done
made=${made#"$first"}
DOCC_JSON_PRETTYPRINT=YES convert Herald Sources/Herald/Herald.docc "$folder/Herald.doccarchive" --warnings-as-errors
"$docc" merge "$folder"/*.doccarchive --output-path "$folder/site" --synthesized-landing-page-name Herald
echo '<meta http-equiv="refresh" content="0; url=documentation/herald/">' >"$folder/site/index.html"

# ---- The front page --------------------------------------------------------------------------------------------------

# No two entries have one title. In the JSON, an entry is a line that has only a link.
titles=$(awk '/^ *"doc:[^ ]*",?$/ { gsub(/^ *|,$/, ""); listed[++count] = $0 }
    /^ *"identifier" : "doc:/ { gsub(/^ *"identifier" : |,$/, ""); of = $0 }
    /^ *"title" : / && of { gsub(/^ *"title" : |,$/, ""); title[of] = $0; of = "" }
    END { for (i = 1; i <= count; i++) print title[listed[i]] }' "$folder/site/data/documentation/herald.json")
[ -n "$titles" ] || { echo "docs: the front page lists nothing" >&2; exit 1; }
twice=$(echo "$titles" | sort | uniq -d)
[ -z "$twice" ] || { echo "docs: entries of the front page have one title:" "$twice" >&2; exit 1; }
echo "docs: python3 -m http.server -d $folder/site, then http://localhost:8000/documentation/herald"
