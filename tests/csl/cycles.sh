#!/bin/sh
# SPDX-License-Identifier: MIT
# cycles.sh BIN [DIR]: programs whose cycles others have published (cycles/rows.csv; WSE-3, the vendor's simulator), run
# with the programs of BIN: those of ours, and those in DIR, a checkout of the vendor's public examples, when it is given.
# Prints published, ours and the ratio of each row, and the error of each group: the geometric mean of max(ratio, 1/ratio).
# BOUNDS="group bound ..." makes a group's error above its bound a failure; a row that gives no figure always is one.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/cycles" && pwd) || exit 1
bin=$(cd "$1" && pwd) || exit 1
dir=${2:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The output of a program of ours; each set of parameters runs once.
run_ours() {
  out="$work/$(printf '%s' "$1$2" | tr -c 'a-z0-9' _)"
  [ -e "$out" ] || "$bin/tilewright" csl run "$here/$1" --arch=wse3 ${2:+--params=$2} >"$out" 2>"$out.err" || cat "$out.err" >&2
}

# A program of DIR: its own script, in a copy, with a change of the script's text.
run_foreign() {
  out="$work/$(basename "$1")"
  [ ! -e "$out" ] || return 0
  cp -r "$dir/$(dirname "$1")" "$work/all.$$" || return 1
  sed "$2" "$work/all.$$/$(basename "$1")/commands_wse3.sh" >"$work/commands.sh"
  (cd "$work/all.$$/$(basename "$1")" && PATH=$bin:$PATH bash "$work/commands.sh") >"$out" 2>&1
  rm -rf "$work/all.$$"
}

# Lines of ours are "@cycle name cycles"; `window` is from the first line to the last, less what the first one costs.
figure() {
  case $1 in
  window) awk -F'[@ ]' 'NR == 1 { from = $2 } { to = $2 } END { if (NR) print to - from - 180 }' "$out" ;;
  'Max cycles' | cycles_send) sed -n "s/.*$1[^=:]*[=:] *\([0-9]*\).*/\1/p" "$out" | tail -n 1 ;;
  *) awk -v name="$1" '{ sub(/^@[0-9]+ /, ""); value = $NF; sub(/ [0-9]+$/, ""); if ($0 == name) print value }' "$out" ;;
  esac
}

# Fields with commas are in quotes; they become fields between tabs.
sed '1d; s/^\([^,]*\),\([^,]*\),"\([^"]*\)",/\1\t\2\t\3\t/; t rest
  s/^\([^,]*\),\([^,]*\),\([^,]*\),/\1\t\2\t\3\t/
  :rest
  s/\t\([^\t,]*\),\([^\t,]*\),\(.*\)$/\t\1\t\2\t\3/' "$here/rows.csv" >"$work/rows"
tab=$(printf '\t')
while IFS= read -r row; do
  field() { printf '%s\n' "$row" | cut -d"$tab" -f"$1"; }
  group=$(field 1) program=$(field 2) parameters=$(field 3) line=$(field 4) published=$(field 5)
  if [ "$group" = programs ]; then
    [ -n "$dir" ] || continue
    run_foreign "$program" "$parameters"
    ours=$(figure "$line") name=$(basename "$program")
    [ -n "$ours" ] || { echo "$program gives no figure; its output ends:" && tail -n 3 "$out"; } >&2
  else
    run_ours "$program" "$parameters"
    ours=$(figure "$line") name=$line
    [ "$line" != window ] || name=$parameters
  fi
  printf '%s\t%s\t%s\t%s\n' "$group" "$name" "$published" "${ours:-0}"
done <"$work/rows" >"$work/figures"
awk -F'\t' -v bounds="${BOUNDS:-}" '
  BEGIN { n = split(bounds, word, " "); for (k = 1; k < n; k += 2) bound[word[k]] = word[k + 1]
          printf "%-11s %-32s %10s %10s %7s\n", "group", "row", "published", "ours", "ratio" }
  { ratio = $4 / $3
    printf "%-11s %-32s %10s %10s %7.3f\n", $1, $2, $3, $4, ratio
    if (!($1 in rows)) order[++groups] = $1
    rows[$1]++
    if (ratio <= 0) { bad = 1; print "  no figure"; next }
    all++; log_all += ratio > 1 ? log(ratio) : -log(ratio)
    if ((ratio > 1 ? ratio : 1 / ratio) > most) most = ratio > 1 ? ratio : 1 / ratio
    log_error[$1] += ratio > 1 ? log(ratio) : -log(ratio)
    if ((ratio > 1 ? ratio : 1 / ratio) > worst[$1]) worst[$1] = ratio > 1 ? ratio : 1 / ratio }
  END { for (k = 1; k <= groups; k++) {
          g = order[k]; error = exp(log_error[g] / rows[g])
          printf "%s: %d rows, error %.3f, worst %.3f%s\n", g, rows[g], error, worst[g],
                 g in bound ? error <= bound[g] ? " (at most " bound[g] ")" : " MORE THAN " bound[g] : ""
          if (g in bound && error > bound[g]) bad = 1 }
        if (all) printf "together: %d rows, error %.3f, worst %.3f\n", all, exp(log_all / all), most
        exit bad }' "$work/figures"
