#!/bin/sh
# SPDX-License-Identifier: MIT
# What ./dev poplibs gives to PopLibs' CMake on a machine with ccache and on one without; the script `enable`.
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

# Sourced twice, by the plainest shell, in a folder with a blank; what was set stays behind it.
python3 -B -c "import pathlib, sys
sys.path.insert(0, '$1/tests/poplar')
import poplibs
prefix = pathlib.Path('$dir/a prefix')
prefix.mkdir()
(prefix / 'enable').write_text(poplibs.enable_script(prefix))" || exit 1
got=$(env -i PATH=/usr/bin:/bin CPATH=/before sh -euc '. "$1"; . "$1"
  echo "$POPLAR_ROOT|$POPLAR_SDK_ENABLED|$PATH|$CPATH|$LIBRARY_PATH|$LD_LIBRARY_PATH|$PKG_CONFIG_PATH|$CMAKE_PREFIX_PATH"' \
  sh "$dir/a prefix/enable")
p="$dir/a prefix"
[ "$got" = "$p|$p|$p/bin:/usr/bin:/bin|$p/include:/before|$p/lib|$p/lib|$p/lib/pkgconfig|$p" ] || { echo "enable: $got"; exit 1; }
