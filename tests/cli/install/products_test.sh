# SPDX-License-Identifier: MIT
# What the build makes and what is installed of it, as the loader sees it (readelf): shared libraries are looked for beside
# the program alone, nothing can be planted in the current folder, no stack is executable, relocations are read-only from
# the start. Both trees work where they are moved to.
. "$1/tests/cli/lib.sh"
command -v readelf >/dev/null || exit 77
case $CC in *-fsanitize*) sanitized=1 ;; *) sanitized= ;; esac

# Programs and shared objects below a folder; nothing that a tool of the build made for itself.
products() {
  find "$1" -name CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) -print |
    while read -r file; do
      [ "$(head -c 4 "$file" | od -An -tx1)" = ' 7f 45 4c 46' ] && printf '%s\n' "$file"
    done
}

# judge FILE: what readelf says of it, in $work/elf.
judge() {
  readelf -dlW "$1" >"$work/elf"
  path=$(sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/:\2:/p' "$work/elf")
  case $path in
    *::*) fail "$1: an empty element, the current folder, in $path" ;;
  esac
  # clang's OpenMP lies in the system's folder of that compiler.
  rest=$(printf '%s' "$path" | tr ':' '\n' | grep -v '^$' | grep -v '^\$ORIGIN\(/\|$\)\|^/usr/lib/llvm-[0-9]*/lib$')
  [ -z "$rest" ] || fail "$1: looks for libraries in '$rest', which is not beside it"
  grep -q 'GNU_STACK.* RW ' "$work/elf" || fail "$1: the stack is executable"
  grep -q GNU_RELRO "$work/elf" || fail "$1: relocations stay writable"
  grep -q 'BIND_NOW\|Flags:.* NOW' "$work/elf" || fail "$1: relocations are made late"
  grep -q 'Requesting program interpreter' "$work/elf" || return 0
  grep -q 'Flags:.* PIE' "$work/elf" || fail "$1: a program at a fixed address"
}

# Of the library and the programs: canaries and checked functions of libc.
hardened() {
  [ -z "$sanitized" ] || return 0
  readelf -W --dyn-syms "$1" >"$work/symbols"
  grep -q '__stack_chk_fail' "$work/symbols" || fail "$1: no canary anywhere"
  case $2 in c) grep -q '__[a-z]*_chk@' "$work/symbols" || fail "$1: no checked function of libc" ;; esac
}

expect 0 cmake --install "$build" --prefix "$work/installed"
for tree in "$build" "$work/installed"; do
  products "$tree" >"$work/products"
  [ "$(wc -l <"$work/products")" -ge 5 ] || fail "hardly any product in $tree"
  while read -r file; do judge "$file"; done <"$work/products"
done
grep -q CMAKE_BUILD_TYPE:STRING=Debug "$build/CMakeCache.txt" && level=plain || level=c
hardened "$tilewright" $level
hardened "$build/libtilewright.so" $level
hardened "$build/tilewright/popc.so" plain # it prints into buffers of GLib only

# A planted library stays unused.
mkdir "$work/planted"
cd "$work/planted" || exit 1
printf '#include <stdio.h>\n__attribute__((constructor)) static void planted(void) { puts("PLANTED"); }\n' >planted.c
expect 0 sh -c "${CC%% *} -shared -fPIC planted.c -o planted.so"
for name in $(readelf -d "$tilewright" "$build/libtilewright.so" "$build/tilewright/popc.so" |
              sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-\|^libc\.' | sort -u) popc.so tilewright/popc.so; do
  mkdir -p "$(dirname "$name")" && cp planted.so "$name"
done
printf '#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex {\npublic:\n    poplar::Input<int> x;\n    bool compute() { return true; }\n};\n' >a.cpp
libraries=$(find "$work/installed" -name libtilewright.so) installed=$work/installed/bin/tilewright
for program in "$tilewright" "$installed"; do
  expect 0 "$program" popc --target cpu a.cpp -o a.gp
  grep PLANTED "$work/out" && fail "$program runs what lies in the current folder"
done

# What the program links on the spot: host programs look where the library lies, and nowhere else.
printf '#include <stdio.h>\n#include <tilewright/tilewright.h>\nint main(void) { return !puts(tw_version()); }\n' >host.c
touch -d '1 hour ago' host.c # so that the second run finds the first one's program
[ "$sanitized" ] || for program in "$tilewright" "$installed"; do
  # The linker itself reads a libgcc_s.so.1 of the current folder, as a script of gcc's names it: planted once it is done.
  rm -f libgcc_s.so.1
  expect 0 "$program" run host.c
  cp planted.so libgcc_s.so.1
  expect 0 "$program" run host.c
  grep PLANTED "$work/out" && fail "a program of $program run runs what lies in the current folder"
done
[ "$sanitized" ] || find "$XDG_CACHE_HOME" -type f -name host | while read -r made; do
  path=$(readelf -dW "$made" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/\2/p')
  [ "$path" = "$build" ] || [ "$path" = "$(dirname "$libraries")" ] || fail "a host program looks in '$path'"
done || failures=1
find "$XDG_CACHE_HOME" -type f -name '*.so' | while read -r made; do
  readelf -dW "$made" | grep 'RPATH\|RUNPATH' && fail "$made: a codelet with a search path"
done || failures=1
if [ -z "$sanitized" ]; then # a search path cannot hold every name
  mkdir "$work/a:b" && cp -a "$work/installed" "$work/a:b/tree"
  rm -f libgcc_s.so.1
  expect 1 "$work/a:b/tree/bin/tilewright" run host.c
  prints err 'a colon'
  mkdir "$work/a,b" && cp -a "$work/installed" "$work/a,b/tree"
  expect 0 "$work/a,b/tree/bin/tilewright" run host.c
  (cd "$work" && TILEWRIGHT_ROOT=installed expect 0 "$tilewright" run planted/host.c) || failures=1
fi

# A build tree that was moved.
mkdir "$work/moved" && cp -a "$build/bin" "$build/tilewright" "$build"/lib*.so* "$work/moved/"
mkdir -p "$work/moved/$(dirname "$(cd "$build" && find lib* -maxdepth 1 -type l ! -name '*.so*' | head -n 1)")"
(cd "$build" && find lib* -maxdepth 1 -type l ! -name '*.so*' -exec cp -a {} "$work/moved/{}" \;)
LD_DEBUG=libs "$work/moved/bin/tilewright" --version >"$work/out" 2>"$work/err" </dev/null || fail 'a moved build tree does not start'
grep 'calling init:.*libtilewright' "$work/err" | grep -q "$work/moved/" || { fail 'it loads the library of another tree'; grep tilewright "$work/err"; }
rm -rf "$work/here" && mv "$work/installed" "$work/here"
LD_DEBUG=libs "$work/here/bin/tilewright" --version >"$work/out" 2>"$work/err" </dev/null || fail 'a moved installed tree does not start'
grep 'calling init:.*libtilewright' "$work/err" | grep -q "$work/here/" || fail 'it loads the library of another tree'
finish
