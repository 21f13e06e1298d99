# Makes a page of the documentation from a C header: the comment at the header's head, and the one at its end that
# begins with "The rules.", as Markdown. The first sentence is the page's summary. Several indented lines, or indented
# lines after an empty one, are code or a table. Any other indented line begins a paragraph.

# Prints the line that was read before. `following` is the line after it.
function print_line(following) {
    if (!code && line ~ /^ / && (is_empty || following ~ /^ /)) { code = 1; print "\n```" }
    if (code && line ~ /^[^ ]/) { code = 0; print "```\n" }
    begins = is_empty
    is_empty = line == ""
    if (code) { sub(/^     /, "", line); print line; return }
    if (sub(/^ +/, "", line)) print ""
    gsub(/</, "\\<", line)
    if (begins && match(line, /^[A-Z][A-Z, ']+( \([^)]*\))?\./))
        line = "**" substr(line, 1, RLENGTH) "**" substr(line, RLENGTH + 1)
    print line
}

NR == 1 { name = FILENAME; sub(/.*\/include\//, "", name); print "# " name "\n" }
has_ended { if (/^\/\* The rules\.$/) has_ended = 0; line = ""; next }
/^ \* The rules stand at the end: /, /^ \*\// { if (!/^ \*\//) next }
{ ends = sub(/ \*\/$/, ""); sub(/^(\/\*| \*) ?/, "") }
!has_summary {
    gsub(/</, "\\<")
    if (!match($0, /\.( |$)/)) { print; next }
    has_summary = 1
    print substr($0, 1, RSTART) "\n\n## Overview\n"
    line = substr($0, RSTART + 2)
    next
}
{ print_line($0); line = $0 }
ends { print_line(""); if (code) print "```"; code = 0; print ""; has_ended = 1 }
