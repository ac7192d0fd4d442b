# SPDX-License-Identifier: MIT
# Floors inside the boxes: docs/hacking.md lists the folders of each box, lowest first, and a folder uses names and headers
# of its own and of those before it only. Names are read from the objects (nm), so a declaration cannot hide a use.
. "$1/tests/cli/lib.sh"
cd "$source" || exit 1
command -v nm >/dev/null || exit 77
page=docs/hacking.md

# "box folder" a line, in the order of the page; `.` is the box's own folder.
sed -n '/^<!-- boxes/,/^<!-- end/p' $page | awk -F' *[|] *' 'NF > 5 && $2 != "box" && $2 !~ /^-/ { print $2, $3 }' >"$work/boxes"
sed -n '/^<!-- floors/,/^<!-- end/p' $page | awk -F' *[|] *' 'NF > 3 && $2 != "box" && $2 !~ /^-/ {
  n = split($3, list, " ")
  for (i = 1; i <= n; i++) print $2, list[i] }' >"$work/floors"

# Uses: "from-file to-file what" a line. Headers of the box's own folder serve all floors: what they include counts.
for box in $(cut -d' ' -f1 "$work/boxes"); do
  objects=$build/CMakeFiles/tw_$box.dir/src
  [ -d "$objects" ] || continue
  find "$objects" -name '*.o' -exec nm -A -g {} + 2>/dev/null | sed "s,^$build/CMakeFiles/tw_$box.dir/,,; s,\.o:, ," |
    awk 'NF == 4 && $3 ~ /[TDBRVWC]/ { print "D", $4, $1 }
         NF == 3 && $2 == "U" { print "U", $3, $1 }'
done >"$work/symbols"
[ "$(wc -l <"$work/symbols")" -gt 1000 ] || fail 'no names were read'
find src -type f >"$work/files"
awk 'FILENAME == ARGV[1] { exists[$1] = 1; next } # objects of files that are gone may lie about
  !($3 in exists) { next }
  $1 == "D" { home[$2] = $3 }
  $1 == "U" { use[++n] = $0 }
  END { for (i = 1; i <= n; i++) { split(use[i], w, " "); if (w[2] in home) print w[3], home[w[2]], w[2] } }' \
  "$work/files" "$work/symbols" >"$work/uses"
grep -rnE '^ *# *include *"' src --include='*.c' --include='*.h' --include='*.inc' --include='*.def' |
  sed -E 's/^([^:]*):[0-9]*: *# *include *"([^"]*)".*/\1 \2/' | awk '
  FILENAME == ARGV[1] { exists[$1] = 1; next }
  { here = $1; sub(/[^\/]*$/, "", here); path = here $2
    while (path != before) { before = path; sub(/[^\/]+\/\.\.\//, "", path) }
    if (!(path in exists)) path = "src/" $2
    if (path in exists) print $1, path, "#include" }' "$work/files" - >>"$work/uses"

# judge BOXES FLOORS USES: what goes up, a line each; what the page does not say.
judge() {
  awk '
  function box_of(path,   b, best, found) { # the longest folder it begins with
    best = 0
    for (b in folder) if (index(path, folder[b] "/") == 1 && length(folder[b]) > best) { best = length(folder[b]); found = b }
    return found
  }
  function floor_of(path, box,   rest) { # the part of its folder below the box
    rest = substr(path, length(folder[box]) + 2)
    if (!sub(/\/[^\/]*$/, "", rest)) return "."
    return rest
  }
  FILENAME == ARGV[1] { folder[$1] = $2; next }
  FILENAME == ARGV[2] {
    if (!($1 in folder)) print "there is no box " $1
    level[$1, $2] = ++count[$1]
    next
  }
  {
    box = box_of($1)
    if (box == "" || box_of($2) != box) next
    a = floor_of($1, box); b = floor_of($2, box)
    if (a == b || (b == "." && $2 ~ /\.(h|def)$/)) next # headers of the box itself stand below everything
    if (!((box, a) in level)) { print box ": no floor for " a; next }
    if (!((box, b) in level)) { print box ": no floor for " b; next }
    if (level[box, a] < level[box, b]) print $1 " -> " $2 ": " $3
  }' "$@" | sort -u
}
judge "$work/boxes" "$work/floors" "$work/uses" >"$work/wrong"
[ ! -s "$work/wrong" ] || { fail "uses that go up ($page says which folder stands on which):"; cat "$work/wrong"; }

# The judge sees what it is there for.
finds() { # finds TEXT USE: with a line more among the uses
  { cat "$work/uses"; echo "$2"; } >"$work/more"
  judge "$work/boxes" "$work/floors" "$work/more" | grep -qF "$1" || fail "not found: $1"
}
finds 'isa/text.c -> src/poplar/colossus/sim/run.c: tw__x' 'src/poplar/colossus/isa/text.c src/poplar/colossus/sim/run.c tw__x'
finds 'colossus: no floor for attic' 'src/poplar/colossus/attic/a.c src/poplar/colossus/isa/text.c tw__x'
finish
