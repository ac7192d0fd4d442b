#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the C++ codelets of a checkout of PopLibs with popc, with the flags of its own build (its CMakeLists.txt and
# cmake/Modules/AddGPLibrary.cmake), and prints pass, or the first error, for each file:
#     poplibs_codelets.sh FOLDER_OF_PROGRAMS CHECKOUT [WORD]      those whose path has the word; JOBS=n at a time
# Nothing of the checkout is part of this project, so nothing here runs by itself. Exits with 0 when all pass.
set -eu
programs=$1 checkout=$(CDPATH='' cd -- "$2" && pwd) word=${3:-}
[ -d "$checkout/lib/popops/codelets" ] || { echo "$2: no checkout of PopLibs: it has no lib/popops/codelets" >&2; exit 2; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

cat >"$here/one" <<'END'
#!/bin/sh
# one PROGRAM OUT CHECKOUT FILE
library=$(dirname "$(dirname "$4")")
name=$(printf %s "$4" | tr / _)
if timeout 600 "$1" popc -O3 -Werror -Wdouble-promotion -DNDEBUG -I "$3/include" -I "$3/$library" \
    -I "$3/$library/codelets" -o "$2/$name.gp" "$3/$4" 2>"$2/$name.log"; then
  echo "pass $4"
else
  echo "FAIL $4: $(grep -m 1 -E 'error' "$2/$name.log" | cut -c 1-300)"
fi
rm -f "$2/$name.gp"
END
chmod +x "$here/one"

(cd "$checkout" && find lib -path '*/codelets/*' -name '*.cpp' | sort | grep -F -e "$word") >"$here/files"
xargs -P "${JOBS:-1}" -n 1 "$here/one" "$programs/tilewright" "$here" "$checkout" <"$here/files" | tee "$here/results"
all=$(wc -l <"$here/files") passed=$(grep -c '^pass ' "$here/results" || :)
echo "$passed of $all codelet files compile"
[ "$passed" = "$all" ]
