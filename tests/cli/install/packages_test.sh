# SPDX-License-Identifier: MIT
# What packages are made of: pages of man for every command, uninstalling, pkg-config files of the build tree; and where
# Debian's tools are, the packages themselves: programs that need no clang run from the first two of them.
. "$1/tests/cli/lib.sh"
case $CC in *-fsanitize*) sanitized=1 ;; *) sanitized= ;; esac
export MANWIDTH=100
for command in $("$tilewright" complete x | grep -v '^-'); do
  page=$build/man/tilewright-$command.1.gz
  [ -s "$page" ] || fail "no page of man for $command"
  zcat "$page" >"$work/page.1"
  grep -q '^\.SH EXAMPLES' "$work/page.1" || fail "the page of $command has no example"
  command -v man >/dev/null || continue
  (cd "$work" && LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l page.1 >page.txt 2>page.err) || fail "man does not show the page of $command"
  [ ! -s "$work/page.err" ] || { fail "the page of $command:"; cat "$work/page.err"; }
  usage=$("$tilewright" help "$command" | sed -n '1s/^usage: //p' | tr -s ' ')
  tr -s ' \n' ' ' <"$work/page.txt" | grep -qF -e "$(printf %s "$usage" | cut -c1-60)" || fail "no usage on the page of $command"
done
for name in popc cslc cs_python poplar_profile_summary; do
  zcat "$build/man/$name.1.gz" | grep -q '^\.so man1/tilewright-' || fail "no page of man for $name"
done

# What packing leaves of lists of files below /usr is nothing that `ninja uninstall` may follow (cpack and lintian stand in).
mkdir -p "$work/stub/bin" "$work/stub/dist"
echo /opt/mine >"$work/stub/install_manifest.txt"
printf '#!/bin/sh\ncd "%s" && echo /usr/x >install_manifest_programs.txt && echo /usr/y >install_manifest.txt\n' "$work/stub" >"$work/stub/bin/cpack"
printf '#!/bin/sh\n' >"$work/stub/bin/lintian"
chmod +x "$work/stub/bin/cpack" "$work/stub/bin/lintian"
PATH="$work/stub/bin:$PATH" expect 0 sh "$source/packaging/deb.sh" "$work/stub"
[ "$(cat "$work"/stub/install_manifest*.txt)" = /opt/mine ] || fail 'lists of packed files stay in the build folder'
mkdir "$work/tmp" # a signal in the midst of it
echo 'kill -TERM $PPID' >>"$work/stub/bin/cpack"
PATH="$work/stub/bin:$PATH" TMPDIR="$work/tmp" expect 130 sh "$source/packaging/deb.sh" "$work/stub"
[ "$(cat "$work"/stub/install_manifest*.txt)" = /opt/mine ] || fail 'a signal leaves lists of packed files'
[ -z "$(ls "$work/tmp")" ] || fail 'a signal leaves files behind'

# Programs against the build tree.
export PKG_CONFIG_PATH="$build/pkgconfig"
cp "$source/examples/poplar/adder/adder.c" "$source/examples/poplar/adder/adder_codelets.cpp" "$work"
cd "$work" || exit 1
expect 0 sh -c "$CC adder.c $(pkg-config --cflags --libs tilewright) -o adder"
expect 0 ./adder 2 3
prints out '2 + 3 = 5'

# A graph of the AI Engine by its CMake target; what was installed can be taken away again, and nothing else.
prefix=$work/prefix
mkdir -p "$prefix/bin" graph && echo mine >"$prefix/bin/mine"
expect 0 cmake --install "$build" --prefix "$prefix"
cat >graph/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(graph CXX)
find_package(tilewright 0.2 REQUIRED)
add_executable(graph graph.cpp)
target_link_libraries(graph PRIVATE tilewright::adf)
END
cp "$source/examples/aie/graph.cpp" graph/
expect 0 cmake -S graph -B graph/build -G Ninja "-DCMAKE_PREFIX_PATH=$prefix"
expect 0 cmake --build graph/build
(cd graph && expect 0 build/graph) || failures=1
expect 0 cmake "-DBUILD=$build" -P "$source/cmake/uninstall.cmake"
[ "$(cd "$prefix" && find . -type f -o -type l)" = ./bin/mine ] || { fail 'left behind:'; find "$prefix" -type f -o -type l; }
[ ! -e "$prefix/share" ] || fail 'empty folders are left behind'
expect 1 cmake "-DBUILD=$build" -P "$source/cmake/uninstall.cmake"
prints err 'nothing was installed'

for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || finish
done
[ -z "$sanitized" ] || finish
expect 0 cpack --config "$build/CPackConfig.cmake" -B "$work/dist" -D CPACK_DEBIAN_COMPRESSION_TYPE=none
root=$work/root
for package in libtilewright0 tilewright; do
  expect 0 dpkg-deb -x "$work"/dist/${package}_*.deb "$root"
  dpkg-deb -f "$work"/dist/${package}_*.deb Depends | grep -q 'clang\|llvm' && fail "$package needs clang"
done
unset TILEWRIGHT_ROOT PKG_CONFIG_PATH
export LD_LIBRARY_PATH="$root/usr/lib"
cd "$root/usr/share/doc/tilewright" || exit 1
expect 0 "$root/usr/bin/tilewright" csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,20
expect 0 "$root/usr/bin/tilewright" pto run examples/pto/softmax/softmax.pto --target a2a3
expect 1 "$root/usr/bin/tilewright" run --device ipu-model examples/poplar/adder/adder.c
expect 1 "$root/usr/bin/tilewright" run examples/poplar/cxx/adder.cpp
prints err 'the package tilewright-poplar'
readelf -d "$root/usr/bin/tilewright" "$root"/usr/lib/*.so.* | grep -q 'RUNPATH\|RPATH' && fail 'packages name folders to search'
size=$(du -sk "$root" | cut -f1)
[ "$size" -le 61440 ] || fail "CSL and PTO take $size KB"
finish
