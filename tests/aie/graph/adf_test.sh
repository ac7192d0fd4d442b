#!/bin/sh
# SPDX-License-Identifier: MIT
# adf_test.sh SOURCE_DIR ...: <adf.h> compiles with each compiler in each standard that the documentation names.
source=$1
failed=0
for compiler in g++ clang++-19; do
    command -v $compiler >/dev/null || continue
    for standard in c++17 gnu++17 c++20; do
        printf '#include <adf.h>\nclass empty : public adf::graph {};\nint main() { empty g; return g.end(); }\n' |
            $compiler -x c++ -std=$standard -Wall -Wextra -Wno-psabi -Werror -fsyntax-only -I"$source/include" \
                -I"$source/include/tilewright/compat/aie" - || { echo "$compiler -std=$standard failed"; failed=1; }
    done
done
exit $failed
