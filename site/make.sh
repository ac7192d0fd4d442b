#!/bin/sh
# SPDX-License-Identifier: MIT
# site/make.sh BUILD OUT: the site of docs, reference and sample reports, in OUT/site (`./dev site`; tests/cli/install/site_test.sh).
set -eu
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
rm -rf "$out/pages" "$out/site"
sh "$source/web/samples.sh" "$build/bin/tilewright" "$out/pages/reports"
# Debian's Python: mkdocs is a package of it.
/usr/bin/python3 "$source/site/pages.py" "$source" "$build" "$out"
mkdocs build --quiet --strict --config-file "$out/mkdocs.yml" --site-dir "$out/site"
