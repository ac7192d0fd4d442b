#!/bin/sh
# SPDX-License-Identifier: MIT
# What ./dev poplibs gives to PopLibs' CMake on a machine with ccache and on one without.
command -v python3 >/dev/null 2>&1 || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
launcher() {
  python3 -B -c "import os, sys
os.environ['PATH'] = '$1'
sys.path.insert(0, '$2/tests/poplar')
import poplibs
print(poplibs.launcher())"
}
[ "$(launcher "$dir" "$1")" = -DCMAKE_CXX_COMPILER_LAUNCHER= ] || { echo 'without ccache'; exit 1; }
printf '#!/bin/sh\n' >"$dir/ccache"
chmod +x "$dir/ccache"
[ "$(launcher "$dir" "$1")" = -DCMAKE_CXX_COMPILER_LAUNCHER=ccache ] || { echo 'with ccache'; exit 1; }
