# SPDX-License-Identifier: MIT
# The rules of the C API (docs/errors.md, docs/hacking.md), read off the public headers: what makes an object returns it,
# tw_x_free() is the end of each, NULL in place of an object is harmless and the failure that gave it stays, and every
# enumerator has a value of its own, the one that tests/golden/enumerators.txt has: programs that were compiled before
# carry these numbers.
. "$1/tests/cli/lib.sh"
cc=clang-19
command -v $cc >/dev/null || exit 77
export CPATH="$build/include"

cd "$source/include" || exit 1
find tilewright -name '*.h' | grep -v '/detail/\|/compat/\|/codelet.h$' | sort | sed 's/.*/#include <&>/' >"$work/all.c"
[ "$(wc -l <"$work/all.c")" -gt 40 ] || fail 'the headers were not found'
# What the headers declare, without comments and macros, of this project's headers only.
$cc -std=gnu11 -E -DTW_NO_CALL_SITES -I. "$work/all.c" |
  awk '/^# [0-9]+ "/ { ours = $3 ~ /tilewright\//; next } ours' >"$work/text" || exit 1

# --- functions: "result name(parameters)", one a line
awk 'BEGIN { RS = ";" } /__attribute__\(\(visibility\("default"\)\)\)/ {
  sub(/.*__attribute__\(\(visibility\("default"\)\)\)[ \n]*/, ""); gsub(/[ \n]+/, " ")
  sub(/ ?__attribute__\(\(format.*/, ""); print }' "$work/text" >"$work/functions"
[ "$(wc -l <"$work/functions")" -gt 700 ] || fail "$(wc -l <"$work/functions") functions were found"
awk 'BEGIN { RS = ";" } { gsub(/[ \n]+/, " ") } /typedef struct tw_[a-z_0-9]+ tw_[a-z_0-9]+ ?$/ { print $NF }' "$work/text" |
  sort -u | while read -r type; do grep -q "struct $type {" "$work/text" || echo "$type"; done >"$work/opaque"
[ "$(wc -l <"$work/opaque")" -gt 15 ] || fail 'the opaque types were not found'

grep -E '[(,] ?(tw|char|void|uint8_t|unsigned|size_t)[a-z_0-9 ]*\*\*' "$work/functions" >"$work/bad" &&
  { fail 'an object, a text or bytes in an out-parameter: return it'; cat "$work/bad"; }
grep -E '^[^(*]* tw_[a-z_0-9]*_new(_[a-z_0-9]*)?\(' "$work/functions" >"$work/bad" &&
  { fail 'tw_x_new() returns the pointer'; cat "$work/bad"; }
grep -oE ' \*?tw_[a-z_0-9]+_(unref|release|close|delete|destroy|dispose|drop)\(' "$work/functions" | tr -d ' *(' | while read -r name; do
  # a lock that is acquired is released: no end of an object
  case $name in *_release) grep -q "[ *]${name%release}acquire(" "$work/functions" && continue ;; esac
  echo "$name"
done >"$work/bad"
[ ! -s "$work/bad" ] || { fail 'the end of an object is called tw_x_free()'; cat "$work/bad"; }
grep -E '[ *]tw_[a-z_0-9]+_free\(' "$work/functions" | grep -v '^void ' >"$work/bad" &&
  { fail 'tw_x_free() returns nothing'; cat "$work/bad"; }
while read -r type; do # whatever is handed out to be kept can be freed
  grep -qE "^$type \*" "$work/functions" || continue
  grep -qE "[ *]${type}_free\(" "$work/functions" || fail "$type can be made, but there is no ${type}_free()"
done <"$work/opaque"

# Options begin with their size (base.h).
tr '\n' ' ' <"$work/text" | grep -oE 'typedef struct tw_[a-z_]+ \{ *[a-z_0-9]+ \**[a-z_]+' >"$work/structs"
grep -E 'struct tw_([a-z_]*_options|ipu_model|pto_launch) ' "$work/structs" >"$work/options"
[ "$(wc -l <"$work/options")" -gt 8 ] || fail 'the structs of options were not found'
grep -v '{ *size_t size$' "$work/options" >"$work/bad" && { fail 'the first member of options is size_t size:'; cat "$work/bad"; }

# --- NULL: every function of an object, one process each, after a call that made none
{
  cat "$work/all.c"
  cat <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(const char *name, tw_status status, const char *kept)
{
    if (status == TW_E_FILE_LOAD && tw_error_status() == TW_E_FILE_LOAD && strcmp(kept, tw_error_message()) == 0) return;
    printf("%s(NULL): %s, \"%s\"\n", name, tw_status_name(status), tw_error_message());
    exit(2);
}

C
  awk -v opaque="$work/opaque" '
    function zero(p,   type) { # an argument of nothing
      if (p ~ /^ ?char [a-z_]+\[/) return "(char[512]){ 0 }"
      if (p ~ /[*([]/) return "(void *)0"
      type = p; sub(/ ?[A-Za-z_0-9]+$/, "", type); sub(/const /, "", type)
      return "(" type "){ 0 }"
    }
    BEGIN { while ((getline type < opaque) > 0) is_opaque[type] = 1 }
    match($0, /tw_[a-z_0-9]+\(/) {
      name = substr($0, RSTART, RLENGTH - 1); result = substr($0, 1, RSTART - 1)
      args = substr($0, RSTART + RLENGTH); sub(/\)[^)]*$/, "", args)
      n = split(args, arg, ",")
      type = arg[1]; sub(/^const /, "", type); sub(/ \*[a-z_]*$/, "", type)
      if (!(type in is_opaque)) next
      call = name "((void *)0"
      for (i = 2; i <= n; i++) if (arg[i] !~ /\.\.\./) call = call ", " zero(arg[i])
      names[++count] = name
      if (result ~ /^tw_status/) print "static void call" count "(const char *kept) { check(\"" name "\", " call "), kept); }"
      else print "static void call" count "(const char *kept) { (void)" call "); check(\"" name "\", TW_E_FILE_LOAD, kept); }"
    }
    END {
      print "static const struct { const char *name; void (*call)(const char *kept); } calls[] = {"
      for (i = 1; i <= count; i++) print "    { \"" names[i] "\", call" i " },"
      print "};"
    }' "$work/functions"
  cat <<'C'
int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int state;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            char kept[512];
            if (tw_profile_load_file("/nowhere/at/all")) exit(3);
            snprintf(kept, sizeof kept, "%s", tw_error_message());
            calls[i].call(kept);
            exit(0);
        }
        waitpid(child, &state, 0);
        if (state == 0) continue;
        failed++;
        if (!WIFEXITED(state) || WEXITSTATUS(state) != 2) printf("%s(NULL): it crashes\n", calls[i].name);
    }
    printf("%zu calls\n", sizeof calls / sizeof *calls);
    return failed ? 1 : 0;
}
C
} >"$work/null.c"
# shellcheck disable=SC2086  # CC may carry flags
${CC:-gcc} -std=gnu11 -w -DTW_NO_CALL_SITES -I. "$work/null.c" -o "$work/null" -L"$build" -ltilewright_poplibs -ltilewright -Wl,-rpath,"$build" &&
  "$work/null" >"$work/out" || { fail 'NULL in place of an object:'; cat "$work/out"; }
[ "$(sed -n 's/ calls$//p' "$work/out")" -gt 450 ] || fail 'the functions of objects were not found'

# --- enumerators: "name value" of each, and the enum that it is in
awk 'BEGIN { RS = "}" } match($0, /enum[ \n]*[a-z_0-9]*[ \n]*\{[^{]*$/) {
  body = substr($0, RSTART); name = body; sub(/\{.*/, "", name); sub(/^enum/, "", name); gsub(/[ \n]/, "", name)
  sub(/^[^{]*\{/, "", body)
  n = split(body, part, ",")
  for (i = 1; i <= n; i++) { gsub(/[ \n]+/, " ", part[i]); sub(/^ /, "", part[i]); sub(/ $/, "", part[i]); if (part[i] != "") print name ":" part[i] }
}' "$work/text" >"$work/enumerators"
[ "$(wc -l <"$work/enumerators")" -gt 500 ] || fail "$(wc -l <"$work/enumerators") enumerators were found"
grep -v ' = ' "$work/enumerators" >"$work/bad" && { fail 'enumerators without a value of their own:'; cat "$work/bad"; }
# Two rows of one table with one number; constants without an enum's name may be alike.
grep -E '^[a-z_0-9]+:[A-Za-z_0-9]+ = -?[0-9]+$' "$work/enumerators" | sed 's/:[A-Za-z_0-9]* = / /' | sort | uniq -d >"$work/bad"
[ ! -s "$work/bad" ] || { fail 'two enumerators have one value (enum, value):'; cat "$work/bad"; }
# Values of attributes are found by their place in the text of a row.
sed -n 's/^\(tw_pto_[a-z_]*_attr\):\([A-Z_0-9]*\) = /\1 \2 /p' "$work/enumerators" | awk '$1 != before { next_value = 0; before = $1 }
  $3 != next_value++ { print }' >"$work/bad"
[ ! -s "$work/bad" ] || { fail 'values of an attribute are not counted in order:'; cat "$work/bad"; }

{
  cat "$work/all.c"
  echo '#include <stdio.h>'
  echo 'int main(void) {'
  sed 's/^[^:]*:\([A-Za-z_0-9]*\).*/printf("\1 %lld\\n", (long long)\1);/' "$work/enumerators"
  echo 'return 0; }'
} >"$work/print.c"
$cc -std=gnu11 -DTW_NO_CALL_SITES -I. "$work/print.c" -o "$work/print" && "$work/print" | LC_ALL=C sort >"$work/values" ||
  fail 'the list of values was not made'
golden=$source/tests/golden/enumerators.txt
if ! diff "$golden" "$work/values" >"$work/changed"; then
  if [ -n "${TW_GOLDEN-}" ]; then
    cp "$work/values" "$golden"
  else
    fail 'values of enumerators: a line with < that is gone or has another value breaks programs that were compiled before;'
    echo 'one with > alone is new and its line belongs into tests/golden/enumerators.txt (./dev golden):'
    cat "$work/changed"
  fi
fi
finish
