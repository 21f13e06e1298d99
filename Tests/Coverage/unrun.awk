# Reads what llvm-cov export -format=lcov writes. Prints the lines and branches of CSources that nothing has run:
# FILE:LINE:CODE, and FILE:LINE:branch:CODE for a line that was run and has a way that was never taken. (Not lines
# that name a step which a mutation leaves out: of that there is one way only.)
function is_code(line) { return line ~ /[a-z]/ && line !~ /^(#|\(void\)|} while \(0\))/ }
/^SF:/ {
    file = substr($0, 4)
    sub(/.*\/CSources\//, "CSources/", file)
    split("", text)
    for (count = 0; (getline line < file) > 0;) {
        gsub(/^ +| +$/, "", line)
        text[++count] = line
    }
    close(file)
    next
}
file !~ /^CSources\// { next }
/^DA:/ { split(substr($0, 4), part, ","); if (part[2] == 0) unrun[part[1]] = 1; next }
/^BRDA:/ { split(substr($0, 6), part, ","); if (part[4] == "0") untaken[part[1]] = 1; next }
/^end_of_record/ {
    for (number in unrun) if (is_code(text[number])) print file ":" number ":" text[number]
    for (number in untaken)
        if (!(number in unrun) && is_code(text[number]) && text[number] !~ /STEP\(/) print file ":" number ":branch:" text[number]
    split("", unrun)
    split("", untaken)
}
