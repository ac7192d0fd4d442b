# SPDX-License-Identifier: MIT
# The site of the documentation, made as `./dev site` makes it and read in a browser (web/test/site.mjs). Skipped where mkdocs,
# Chromium or the npm packages are missing, unless TW_NEED_BROWSER says that they must be there.
. "$1/tests/cli/lib.sh"
without() {
  [ -z "${TW_NEED_BROWSER:-}" ] || { echo "FAILED: $1"; exit 1; }
  echo "skipped: $1 (./dev setup web)"
  exit 77
}
[ -s "$build/generated/report.html" ] || without 'the library was built without the page of reports'
[ -d "$source/web/node_modules/puppeteer-core" ] || without 'the npm packages of web/ are not installed'
command -v chromium >/dev/null 2>&1 || [ -n "${CHROMIUM:-}" ] || without 'Chromium is not installed'
command -v node >/dev/null 2>&1 || without 'Node.js is not installed'
command -v mkdocs >/dev/null 2>&1 || without 'mkdocs is not installed'
/usr/bin/python3 -c 'import pymdownx, mkdocs, material' 2>/dev/null || without 'mkdocs-material is not installed'
case $CC in *-fsanitize*) echo 'skipped: nothing of it runs in the library'; exit 77 ;; esac

export KERNELS=axpy
expect 0 sh "$source/site/make.sh" "$build" "$work"
[ ! -s "$work/err" ] || { fail 'mkdocs complains:'; cat "$work/err"; }
nm -D --defined-only "$build/libtilewright.so" | sed -n 's/.* [TDBR] \(tw_[a-z][a-z0-9_]*\).*/\1/p' >"$work/exported"
export SITE="$work/site" EXPORTED="$work/exported" SHOTS="$build/site-shots"
cd "$source/web" || exit 1
node --test test/site.mjs >"$work/log" 2>&1 || { grep -vE '^#|^ +(duration_ms|type):|^ok ' "$work/log" | head -n 150; fail 'tests in the browser'; }
finish
