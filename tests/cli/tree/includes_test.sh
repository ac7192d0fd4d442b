# SPDX-License-Identifier: MIT
# docs/hacking.md tells the truth: its list of folders is that of the tree; its table of boxes is that of CMakeLists.txt,
# and every #include below src and include keeps to it; boxes have no cycles, systems do not include each other, the
# program includes public headers only.
. "$1/tests/cli/lib.sh"
cd "$source" || exit 1
page=docs/hacking.md

# --- folders: each one of src has its line, each line its folder --------------------------------------------------
sed -n '/^<!-- folders/,/^<!-- end/s/^| `\([^`]*\)\/` .*/\1/p' $page | grep -v '<' | sort >"$work/listed"
find src -mindepth 2 -type d | while read -r folder; do # those that hold code themselves
  [ -z "$(find "$folder" -maxdepth 1 -name "*.[ch]" | head -n 1)" ] || echo "$folder"
done | sort >"$work/there"
while read -r folder; do [ -d "$folder" ] || fail "$page: there is no folder $folder"; done <"$work/listed"
comm -13 "$work/listed" "$work/there" >"$work/unlisted"
[ ! -s "$work/unlisted" ] || { fail "$page has no line for"; cat "$work/unlisted"; }

# --- boxes: "box folder headers may-include" a line, fields by '|' --------------------------------------------------
sed -n '/^<!-- boxes/,/^<!-- end/p' $page | awk -F' *[|] *' 'NF > 5 && $2 != "box" && $2 !~ /^-/ {
  print $2 "|" $3 "|" $4 "|" ($6 == "-" ? "" : $6) }' >"$work/boxes"
sed -n 's/^tw_box(\([^)]*\))$/\1/p' CMakeLists.txt >"$work/cmake"
grep -rnE '^ *# *include *["<]' src include --include='*.c' --include='*.h' --include='*.hpp' --include='*.cpp' \
  --include='*.inc' --include='*.def' | sed -E 's/^([^:]*):([0-9]*): *# *include *(["<])([^">]*).*/\1 \2 \3 \4/' >"$work/includes"
[ "$(wc -l <"$work/boxes")" -gt 8 ] && [ "$(wc -l <"$work/includes")" -gt 500 ] || fail 'nothing was read'

find src include -type f >"$work/files"
# judge BOXES CMAKE FILES INCLUDES: what is wrong, a line each.
judge() {
  awk '
  function system_of(box) { # "core" or the folder of the machine; the program and reports stand beside them
    split(folder[box], part, "/")
    return part[2]
  }
  function may(from, to) { return from == to || (from, to) in below }
  # The box of a file, by the longest folder or header pattern it begins with.
  function owner(path,   box, i, n, list, best, found) {
    best = 0
    for (box in folder) {
      if (index(path, folder[box] "/") == 1 && length(folder[box]) > best) { best = length(folder[box]); found = box }
      n = split(headers[box], list, " ")
      for (i = 1; i <= n; i++)
        if (index(path, "include/" list[i]) == 1 && length(list[i]) > best) { best = length(list[i]); found = box }
    }
    return found
  }
  function normal(path,   before) { # a/../b -> b
    while (path != before) { before = path; sub(/[^\/]+\/\.\.\//, "", path) }
    return path
  }
  FILENAME == ARGV[1] {
    split($0, field, "|")
    box = field[1]; folder[box] = field[2]; headers[box] = field[3]
    n = split(field[4], list, " ")
    for (i = 1; i <= n; i++) {
      to = list[i]
      if (!(to in folder)) { print box " may include " to ", which stands on no row above it"; continue }
      if (system_of(to) != "core" && system_of(to) != system_of(box))
        print box " may include " to ": systems meet in the core only"
      below[box, to] = 1
      for (other in folder) if ((to, other) in below) below[box, other] = 1
    }
    next
  }
  FILENAME == ARGV[2] {
    box = $1
    if (!(box in folder)) { print "CMakeLists.txt has a box " box " that the table does not have"; next }
    if (folder[box] != "src/" $2) print box ": " folder[box] " in the table, src/" $2 " in CMakeLists.txt"
    for (i = 3; i <= NF; i++) if (!may(box, $i)) print box ": CMakeLists.txt links it with " $i ", the table does not"
    for (i = 3; i <= NF; i++) linked[box, $i] = 1
    for (other in folder) if ((box, other) in below && !((box, other) in linked))
      print box ": the table lets it include " other ", CMakeLists.txt does not link it"
    in_cmake[box] = 1
    next
  }
  FILENAME == ARGV[3] { exists[$1] = 1; next }
  {
    from = owner($1); quoted = $3 == "\""
    here = $1; sub(/[^\/]*$/, "", here)
    if (quoted && (normal(here $4) in exists)) path = normal(here $4)
    else if (("src/" $4) in exists) path = "src/" $4
    else if (("include/" $4) in exists) path = "include/" $4
    else if (match($1, /^include\/tilewright\/compat\/[a-z]+\//) && ((substr($1, 1, RLENGTH) $4) in exists))
      path = substr($1, 1, RLENGTH) $4
    else next # of the system, or generated
    client = index($1, "src/cli/") == 1 ? "src/cli/" : index($1, "src/poplar/cxx/") == 1 ? "src/poplar/cxx/" : ""
    if (client != "") {
      if (index(path, "include/") != 1 && index(path, client) != 1)
        print $1 ":" $2 ": " (client == "src/cli/" ? "the program" : client) " includes " $4 ", which is not public"
      next
    }
    to = owner(path)
    if (from == "") { print $1 ": belongs to no box"; next }
    if (to == "") { print $1 ":" $2 ": " $4 " belongs to no box"; next }
    if (index($1, "include/") == 1 && index(path, "src/") == 1) print $1 ":" $2 ": a public header includes " $4
    if (!may(from, to)) print $1 ":" $2 ": " from " includes " $4 " of " to
  }
  END { for (box in folder) if (!(box in in_cmake)) print "CMakeLists.txt has no box " box }' "$@" | sort -u
}
judge "$work/boxes" "$work/cmake" "$work/files" "$work/includes" >"$work/wrong"
[ ! -s "$work/wrong" ] || { fail 'includes that the table does not allow:'; cat "$work/wrong"; }

# The judge sees what it is there for.
finds() { # finds TEXT: with a line more among the includes
  { cat "$work/includes"; echo "$2"; } >"$work/more"
  judge "$work/boxes" "$work/cmake" "$work/files" "$work/more" | grep -qF "$1" || fail "not found: $1"
}
finds 'base includes core/type/type.h of type' 'src/core/base/error.c 1 " core/type/type.h'
finds 'aie includes tilewright/pto.h of pto' 'src/aie/aie.h 1 < tilewright/pto.h'
finds 'the program includes core/base/base.h' 'src/cli/main.c 1 " core/base/base.h'
sed 's/^\(tile|.*\)$/\1 pto/' "$work/boxes" >"$work/cycle"
judge "$work/cycle" "$work/cmake" "$work/files" "$work/includes" | grep -qF 'tile may include pto, which stands on no row above it' ||
  fail 'a cycle is not found'
finish
