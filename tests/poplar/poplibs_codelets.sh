#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the C++ codelets of a checkout of PopLibs with popc for the host and for the chips, with the flags of its own
# build (its CMakeLists.txt and cmake/Modules/AddGPLibrary.cmake) and without its assembly; then runs each vertex as
# code of the host and as code of ipu2, on the same states and data (poplibs_values.c). For each file: its vertices by
# what came out of that, or the first error.
#     poplibs_codelets.sh FOLDER_OF_PROGRAMS CHECKOUT [WORD]      those whose path has the word; JOBS=n at a time
# Nothing of the checkout is part of this project, so nothing here runs by itself. Exits with 0 when all compile and
# none differs.
set -eu
programs=$1 checkout=$(CDPATH='' cd -- "$2" && pwd) word=${3:-}
[ -d "$checkout/lib/popops/codelets" ] || { echo "$2: no checkout of PopLibs: it has no lib/popops/codelets" >&2; exit 2; }
values=$(CDPATH='' cd -- "$(dirname "$0")" && pwd)/poplibs_values.c
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cat >"$here/one" <<'END'
#!/bin/sh
# one PROGRAM OUT VALUES CHECKOUT FILE
library=$(dirname "$(dirname "$5")")
name=$(printf %s "$5" | tr / _)
# What is undefined in C++ (shifts by more than a word, divisions by zero, floats that fit no integer) ends the host's run:
# such a state says nothing.
targets='[{"name":"cpu","arch":"cpu","compile-flags":["-O1","-fsanitize-trap=all",
  "-fsanitize=shift,integer-divide-by-zero,float-cast-overflow,bounds,bool,enum"]},
  {"name":"ipu1","arch":"ipu1"},{"name":"ipu2","arch":"ipu2"},{"name":"ipu21","arch":"ipu21"}]'
if timeout 900 "$1" popc --target "$targets" -O3 -Werror -Wdouble-promotion -DNDEBUG -DPOPLIBS_DISABLE_ASM_CODELETS -I "$4/include" \
    -I "$4/$library" -I "$4/$library/codelets" -o "$2/$name.gp" "$4/$5" 2>"$2/$name.log"; then
  states=8
  [ "$(wc -c <"$2/$name.gp")" -lt 4000000 ] || states=3 # hundreds of vertices
  "$1" run "$3" "$2/$name.gp" '' $states >"$2/$name.values" 2>&1
  if [ $? = 0 ]; then result=pass; else result=DIFFER; fi
  echo "$result $5: $(tail -n 1 "$2/$name.values")"
  grep -E '^(differ|chip) ' "$2/$name.values" | cut -c 1-300 | sed 's/^/    /'
else
  echo "FAIL $5: $(grep -m 1 -E 'error' "$2/$name.log" | cut -c 1-300)"
fi
rm -f "$2/$name.gp"
END
chmod +x "$here/one"

(cd "$checkout" && find lib -path '*/codelets/*' -name '*.cpp' | sort | grep -F -e "$word") >"$here/files"
xargs -P "${JOBS:-1}" -n 1 "$here/one" "$programs/tilewright" "$here" "$values" "$checkout" <"$here/files" |
  tee "$here/results"
all=$(wc -l <"$here/files") failed=$(grep -c '^FAIL ' "$here/results" || :) differ=$(grep -c '^DIFFER ' "$here/results" || :)
echo "$((all - failed)) of $all codelet files compile, $((all - failed - differ)) have no vertex that differs"
grep -hE '^(equal|near|close|differ|chip|skipped) ' "$here"/*.values 2>/dev/null |
  awk '{ n[$1]++; all++ } END { if (all) printf "%d vertices: %d equal, %d near, %d close, %d differ, %d fail on the chip, %d with no state to run\n",
        all, n["equal"], n["near"], n["close"], n["differ"], n["chip"], n["skipped"] }'
[ "$failed" = 0 ] && [ "$differ" = 0 ]
