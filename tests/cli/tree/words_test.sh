# SPDX-License-Identifier: MIT
# Words of the tree. What comments and pages cite exists: pages below docs/, rows of docs/decisions.md; nothing cites
# what only its author can open. And no sentence of a vendor's document stands in it: where the documents lie beside
# the tree, no twelve words in a row are theirs.
. "$1/tests/cli/lib.sh"
cd "$source" || exit 1
git ls-files >"$work/files" 2>/dev/null && [ -s "$work/files" ] || { echo 'skipped: not a checkout of git'; exit 77; }
grep -vE '^(tests/fuzz/corpus|web/package-lock\.json|docs/(pictures|img))' "$work/files" | tr '\n' '\0' >"$work/list"
every() { xargs -0 grep -HnoIE "$@" <"$work/list"; }

every '\bdocs/[A-Za-z0-9_-]+\.md' | while IFS=: read -r file line page; do
  [ -e "$page" ] || echo "$file:$line: there is no $page"
done >"$work/wrong"
every 'docs/decisions\.md,? [A-Z][0-9]+' | while IFS=: read -r file line words; do
  row=${words##* }
  grep -q "^| $row |" docs/decisions.md || echo "$file:$line: docs/decisions.md has no row $row"
done >>"$work/wrong"
# Issues, and documents that lie beside the tree; tests may read those where they are, and say that they skip.
every '(\(issue[: ]|\b[Ii]ssue [0-9]+|\.\./shared/(decisions|design|style)|\bseeds?\.md\b)' |
  grep -vE '^(tests/cli/tree/words_test\.sh|CHANGELOG\.md):' >>"$work/wrong"
every '\.\./shared/' | grep -vE '^tests/' >>"$work/wrong"
[ ! -s "$work/wrong" ] || { fail 'cited, and not to be found:'; cat "$work/wrong"; }

seeds=
for folder in "$source/../shared/seeds" "$source/../../shared/seeds"; do [ -d "$folder" ] && seeds=$folder; done
if [ -z "$seeds" ] || ! command -v python3 >/dev/null 2>&1; then
  echo 'not compared with documents of vendors: they, or python3, are not here'
  finish
fi
cat >"$work/compare.py" <<'END'
import os, re, sys
WORDS, seeds = 12, sys.argv[1]
word = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+")
theirs = set()
for name in os.listdir(seeds):
    text = [w.lower() for w in word.findall(open(os.path.join(seeds, name), errors="replace").read())]
    theirs.update(tuple(text[i:i + WORDS]) for i in range(len(text) - WORDS + 1))
if len(theirs) < 10000:
    sys.exit("nothing was read")
for path in open(sys.argv[2]).read().split("\0"):
    if not path or path == "tests/golden/profile_guide.txt": # figures and an output format
        continue
    try:
        text = open(path, encoding="utf-8").read()
    except UnicodeDecodeError:
        continue
    found = [(m.group(0).lower(), m.start()) for m in word.finditer(text)]
    for i in range(len(found) - WORDS + 1):
        if tuple(w for w, _ in found[i:i + WORDS]) in theirs:
            line = text.count("\n", 0, found[i][1]) + 1
            print(f"{path}:{line}: {' '.join(w for w, _ in found[i:i + WORDS])}")
            break
END
python3 "$work/compare.py" "$seeds" "$work/list" >"$work/taken" || fail 'the comparison failed'
[ ! -s "$work/taken" ] || { fail 'twelve words in a row that a vendor wrote:'; cat "$work/taken"; }
finish
