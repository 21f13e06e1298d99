# reasons.txt and the list of unrun lines: prints each line of the second that has no reason, and each reason whose line
# is gone. Without a list: only the latter. Branches are counted.
FNR == NR {
    if ($0 == "" || /^#/) next
    reason[$0] = 1
    next
}
/^[^:]*:[0-9]+:branch:/ { branches++; next }
{
    file = $0; sub(/:.*/, "", file); sub(/^CSources\//, "", file)
    code = $0; sub(/^[^:]*:[0-9]+:/, "", code)
    if ((file ": " code) in reason) next
    line = $0; sub(/^[^:]*:/, "", line); sub(/:.*/, "", line)
    print file ":" line ": " code
    unexplained++
}
END {
    for (known in reason) {
        file = known; sub(/:.*/, "", file)
        code = known; sub(/^[^:]*: /, "", code)
        while ((getline text < ("CSources/" file)) > 0) {
            gsub(/^ +| +$/, "", text)
            if (text == code) found[known] = 1
        }
        close("CSources/" file)
        if (!(known in found)) { print "Tests/Coverage/reasons.txt: this line is gone: " known; gone++ }
    }
    if (ARGC > 2)
        printf "coverage: %d lines without a reason, %d reasons without a line; %d branches were never taken\n", unexplained, gone, branches
    exit unexplained + gone > 0
}
