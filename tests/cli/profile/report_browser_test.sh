# SPDX-License-Identifier: MIT
# The page in a real browser: each view, link and key, figures against the JSON (web/test). Skipped where Chromium or
# the npm packages are missing, unless TW_NEED_BROWSER says that they must be there.
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

export TILEWRIGHT="$tilewright" SOURCE="$source" WORK="$work" SHOTS="$build/report-shots"
cd "$source/web" || exit 1
node --test --test-concurrency=1 test/*.test.mjs >"$work/log" 2>&1 || { grep -vE '^#|^ +(duration_ms|type):|^ok ' "$work/log" | head -n 150; fail 'tests in the browser'; }
finish
