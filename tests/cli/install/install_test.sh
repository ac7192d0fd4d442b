# SPDX-License-Identifier: MIT
# The installed tree works for programs outside, wherever it is moved: pkg-config, CMake, the program and its names.
. "$1/tests/cli/lib.sh"
prefix="$work/here/with blank"

expect 0 cmake --install "$build" --prefix "$work/first"
mkdir -p "$work/here"
mv "$work/first" "$prefix"
case $(find "$prefix" -type l -name 'popc') in '') fail 'no popc' ;; esac
[ -x "$prefix/bin/tilewright" ] && [ -e "$prefix/bin/popc" ] || fail 'no commands are installed'
for name in "$prefix"/bin/*; do
  [ -s "$prefix/share/bash-completion/completions/${name##*/}" ] || fail "bash's completion of ${name##*/} is missing"
  [ -s "$prefix/share/fish/vendor_completions.d/${name##*/}.fish" ] || fail "fish's completion of ${name##*/} is missing"
done
pc=$(dirname "$(find "$prefix" -name tilewright.pc)")

mkdir "$work/outside"
cd "$work/outside" || exit 1
cp "$source/examples/poplar/adder/adder.c" "$source/examples/poplar/adder/adder_codelets.cpp" \
   "$source/examples/poplar/scale/scale.c" "$source/examples/poplar/scale/scale_host.c" .
# The build tree must not be needed: headers of codelets come from the installed tree, as the mark shows.
unset TILEWRIGHT_ROOT
echo '#define INSTALLED_TREE 1' >>"$prefix/include/tilewright/codelet.h"
printf '#ifndef INSTALLED_TREE\n#error headers of another tree\n#endif\n' >>scale.c
flags=$(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs tilewright) || fail 'pkg-config does not know tilewright'
expect 0 sh -c "$CC adder.c $flags -o adder"
expect 0 ./adder 2 3
prints out '2 + 3 = 5'
expect 0 sh -c "$CC scale_host.c $flags -o scale_host"
expect 0 ./scale_host
prints out 'x[1471][511] = 1024'

mkdir project
cp adder.c project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(tilewright 0.2 REQUIRED)
add_executable(adder adder.c)
target_link_libraries(adder PRIVATE tilewright::tilewright)
END
expect 0 cmake -S project -B project/build -G Ninja "-DCMAKE_PREFIX_PATH=$prefix"
expect 0 cmake --build project/build
expect 0 project/build/adder 4 5
prints out '4 + 5 = 9'

# Poplar in C++, with the names that builds against the vendor's SDK use.
cat >host.cpp <<'END'
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>
int main()
{
    poplar::Device d = poplar::IPUModel().createDevice();
    poplar::Graph g(d);
    poplar::Engine e(g, poplar::program::Sequence());
    e.load(d);
    pvti::TraceChannel channel("outside");
    std::cout << e.getReport().compilation().target().numTiles() << " tiles\n";
}
END
cxxflags=$(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs poplar) || fail 'pkg-config does not know poplar'
expect 0 sh -c "$CXX -std=c++11 host.cpp $cxxflags -lpva -lpvti -o host"
expect 0 ./host
prints out '1472 tiles'
# The libraries under the names that programs link, and as one in C.
cp "$source/examples/poplar/libs/operations.cpp" "$source/examples/poplar/libs/regression.c" .
expect 0 sh -c "$CXX -std=c++11 operations.cpp $cxxflags -lpopops -lpoplin -lpoputil -o operations"
expect 0 ./operations
prints out 'x + y: 1.5 3 4.5 6'
libflags=$(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs tilewright_poplibs) || fail 'pkg-config does not know the libraries'
expect 0 sh -c "$CC regression.c $libflags -o regression"
expect 0 ./regression
prints out 'y = 3.00 x + 0.50 after 200 steps'
mkdir cxx
cp host.cpp cxx
cat >cxx/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(outside CXX)
find_package(poplar REQUIRED)
find_package(pva REQUIRED)
find_package(libpvti REQUIRED)
add_executable(host host.cpp)
target_link_libraries(host PRIVATE poplar pva libpvti)
get_target_property(popc popc_bin LOCATION)
execute_process(COMMAND ${popc} --list-targets COMMAND_ERROR_IS_FATAL ANY)
END
expect 0 cmake -S cxx -B cxx/build -G Ninja "-DCMAKE_PREFIX_PATH=$prefix"
expect 0 cmake --build cxx/build
expect 0 cxx/build/host
prints out '1472 tiles'

# Checks of pointers of AI Engine kernels, by pkg-config and by CMake.
cat >load.c <<'END'
#include <tilewright/aie.h>
static short data[64];
int main(int argc, char **argv) { return (*(volatile v16int16 *)(void *)((char *)data + 1 + argc))[0] | (argv == 0); }
END
case $CC in *-fsanitize*) gcc= ;; *) gcc=$($CC --version | grep 'Free Software') ;; esac
if [ -n "$gcc" ] && grep -qw avx /proc/cpuinfo; then
  check=$(PKG_CONFIG_PATH="$pc" pkg-config --variable=aie_check_gcc tilewright)
  libs=$(PKG_CONFIG_PATH="$pc" pkg-config --variable=aie_check_libs tilewright) # the blank in the path stays one
  expect 0 sh -c "$CC $check load.c '${libs% -l*}' ${libs##* } $flags -o load"
  expect 0 ./load
  prints err 'load.c:3: load: '
  mkdir check
  cp load.c check
  cat >check/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(tilewright 0.2 REQUIRED)
add_executable(load load.c)
target_link_libraries(load PRIVATE tilewright::tilewright_aie_check)
END
  expect 0 cmake -S check -B check/build -G Ninja "-DCMAKE_PREFIX_PATH=$prefix"
  expect 0 cmake --build check/build
  expect 0 check/build/load
  prints err 'load.c:3: load: '
fi

# Headers under names that Ascend owns: only where they are asked for.
cp "$source/examples/pto/iota/iota.cpp" .
[ ! -e "$prefix/include/pto" ] && [ ! -e "$prefix/include/acl" ] || fail 'names of a vendor lie in the include folder'
ascend=$(PKG_CONFIG_PATH="$pc" pkg-config --variable=ascend_cflags tilewright)
expect 0 sh -c "$CXX -std=c++17 iota.cpp $ascend $flags -o iota"
expect 0 ./iota
prints out 'row 3 of the table begins at 48'
mkdir ascend
cp iota.cpp ascend
cat >ascend/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(outside CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(tilewright 0.2 REQUIRED)
add_executable(iota iota.cpp)
target_link_libraries(iota PRIVATE tilewright::ascend)
END
expect 0 cmake -S ascend -B ascend/build -G Ninja "-DCMAKE_PREFIX_PATH=$prefix"
expect 0 cmake --build ascend/build
expect 0 ascend/build/iota

expect 0 "$prefix/bin/popc" adder_codelets.cpp -o adder.gp
[ -s adder.gp ] || fail 'popc wrote nothing'
expect 0 "$prefix/bin/tilewright" run adder.c 1 1
prints out '1 + 1 = 2'
expect 0 "$prefix/bin/poplar_profile_summary" --help
finish
