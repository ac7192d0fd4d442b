# SPDX-License-Identifier: MIT
# Static functions have names that a debugger and grep can tell apart: no more than two files of src share one.
. "$1/tests/cli/lib.sh"
cd "$source" || exit 1

# names FILE...: "name file" a line, of functions that are defined static (or declared ahead of their definition).
names() {
  awk '/^(static|INLINE)[ \t].*\(/ && !/=/ {
    line = $0
    gsub(/(__attribute__ *\(\(|TW_PRINTF\()[^)]*\)+/, "", line)
    if (match(line, /[A-Za-z_][A-Za-z0-9_]*\(/)) print substr(line, RSTART, RLENGTH - 1), FILENAME
  }' "$@" | sort -u
}
shared() { awk '{ files[$1] = files[$1] " " $2; n[$1]++ } END { for (name in n) if (n[name] > 2) print name ":" files[name] }' "$@" | sort; }

# It sees what it should.
for file in a b c; do
  {
    printf 'static __attribute__((noinline)) int put(int x)\n{\n}\nstatic const char *own_%s(void);\nstatic int list[] = { f(1) };\n' $file
    [ $file = c ] || echo 'static void pair(void)'
  } >"$work/$file.c"
done
(cd "$work" && names a.c b.c c.c | shared) >"$work/seen"
echo 'put: a.c b.c c.c' | cmp -s - "$work/seen" || { fail 'names are not seen as they are:'; cat "$work/seen"; }

find src -name '*.[ch]' -o -name '*.cpp' -o -name '*.inc' | sort >"$work/files"
# shellcheck disable=SC2046  # no name of ours has a blank
names $(cat "$work/files") >"$work/names"
[ "$(wc -l <"$work/names")" -gt 3000 ] || fail 'no names were read'
shared "$work/names" >"$work/shared"
[ ! -s "$work/shared" ] || { fail 'static functions of one name in more than two files:'; cat "$work/shared"; }
finish
