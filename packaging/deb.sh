#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh BUILD: packages for Debian of what was built, into BUILD/dist (cmake/packages.cmake; ./dev deb calls it).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$1
rm -f "$build"/dist/*.deb
log=$(mktemp)
# cpack leaves lists of what it put into packages, below /usr, where `ninja uninstall` looks for what was installed from here.
lists=$(mktemp -d)
lists_back() {
  rm -f "$build"/install_manifest*.txt
  for list in "$lists"/*.txt; do [ ! -e "$list" ] || mv "$list" "$build/"; done
}
trap 'lists_back; rm -rf "$log" "$lists"' EXIT
trap 'exit 130' INT TERM HUP # dash runs no trap of EXIT when a signal ends it
for list in "$build"/install_manifest*.txt; do [ ! -e "$list" ] || mv "$list" "$lists/"; done
cpack --config "$build/CPackConfig.cmake" -B "$build/dist" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
rm -rf "$build/dist/_CPack_Packages"
# What is not mended, and why: packaging/lintian.tags.
if command -v lintian >/dev/null 2>&1; then
  lintian --fail-on error,warning --suppress-tags-from-file "$here/packaging/lintian.tags" "$build"/dist/*.deb
else
  echo 'deb: lintian is not installed: the packages were not checked' >&2
fi
cd "$build/dist"
for file in *.deb *.tar.xz; do [ ! -e "$file" ] || sha256sum "$file"; done >SHA256SUMS
cat SHA256SUMS
