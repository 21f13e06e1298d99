# Reads gcov -b -t of many files. Prints the lines and branches of CSources that nothing has run: FILE:LINE:CODE, and
# FILE:LINE:branch:CODE for a line that was run and has a branch that was never taken. A header's line is in many files:
# one run counts.
function note() { # all branches of the line before have been read
    if (key == "") return
    if (line_runs > runs[key]) runs[key] = line_runs
    for (i = 0; i < ways; i++) if (taken[i]) way[key, i] = 1
    if (ways > most[key]) most[key] = ways
    key = ""
}
/^ *-: +0:Source:/ { note(); file = $0; sub(/.*:Source:/, "", file); next }
file !~ /^CSources\// { next }
/^ *[^ :]+: *[0-9]+:/ {
    note()
    split($0, part, ":")
    count = part[1]; number = part[2]; gsub(/[ *]/, "", count); gsub(/ /, "", number)
    if (count == "-" || number == 0) next
    code = $0; sub(/^[^:]*:[^:]*:/, "", code); gsub(/^ +| +$/, "", code)
    key = file ":" number
    text[key] = code
    # Branches that the compiler adds: for unwinding, for macros in a line without a condition, for a mutation's name.
    plain = code !~ /(if|for|while|switch) \(|\?|&&|\|\|/ || code ~ /cleanup\(|HERALD_HOOKS|HERALD_CALL|HERALD_RETAIN/
    line_runs = count ~ /^[0-9]/ ? 1 : 0
    ways = 0
    next
}
/^branch/ { if (!plain && $0 !~ /\(throw\)/) taken[ways++] = $0 ~ /taken [1-9]/; next }
END {
    note()
    for (key in text) {
        if (!runs[key]) { print key ":" text[key]; continue }
        for (i = 0; i < most[key]; i++) if (!way[key, i]) { print key ":branch:" text[key]; break }
    }
}
