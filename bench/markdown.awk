# SPDX-License-Identifier: MIT
# awk -v name=BENCH -f markdown.awk ROWS PAGE: the page, with a table of the rows' medians in the place of BENCH. A row
# is `what TAB value TAB unit TAB kind TAB limit`, the first of a run `machine TAB processor, level, load`.
BEGIN { FS = "\t" }

FNR == NR && $1 == "machine" { machine = $2; next }
FNR == NR {
    if (!($1 in count)) order[++rows] = $1
    values[$1, ++count[$1]] = $2
    unit[$1] = $3
    limit[$1] = $4 == "-" ? "" : $4 " " figure($5, $3)
    kind[$1] = $4
    bound[$1] = $5
    next
}

$0 == "<!-- bench: " name " -->" {
    print
    print ""
    runs = count[order[1]]
    print (runs == 1 ? "One run; " : "Medians of " runs " runs; ") machine "."
    print ""
    print "| | limit | measured |"
    print "|---|---|---|"
    for (r = 1; r <= rows; r++) {
        what = order[r]
        m = median(what)
        over = (kind[what] == "at most" && m > bound[what]) || (kind[what] == "at least" && m < bound[what])
        print "| " what " | " limit[what] " | " figure(m, unit[what]) (over ? ": missed" : "") " |"
    }
    print ""
    inside = 1
    next
}
inside && $0 == "<!-- end -->" { inside = 0 }
!inside { print }

# Three digits, as people write them.
function figure(value, unit,    text) {
    value += 0
    text = value >= 99.95 || value == int(value) ? sprintf("%.0f", value) : value >= 9.995 ? sprintf("%.1f", value) : value >= 0.0995 ? sprintf("%.2f", value) : sprintf("%.2g", value)
    return text (unit == "" ? "" : " " unit)
}

function median(what,    n, i, j, v, sorted) {
    n = count[what]
    for (i = 1; i <= n; i++) {
        v = values[what, i] + 0
        for (j = i - 1; j > 0 && sorted[j] > v; j--) sorted[j + 1] = sorted[j]
        sorted[j + 1] = v
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}
