# SPDX-License-Identifier: MIT
# editors/vscode: grammars, snippets, problem matchers and the package; with node also the extension itself, in a stub of
# the editor and with a language server of the test's own.
. "$1/tests/cli/lib.sh"
command -v python3 >/dev/null || exit 77
python3 "$source/tests/cli/editors/editors_check.py" "$source" "$work" || fail 'editors_check.py'

if command -v node >/dev/null; then
  cat >"$work/tilewright" <<END
#!/bin/sh
[ "\$1" != lsp ] || exec node "$source/tests/cli/editors/server.js"
exec "$build/bin/tilewright" "\$@"
END
  chmod +x "$work/tilewright"
  expect 0 node "$source/tests/cli/editors/extension_check.js" "$source/editors/vscode" "$work/tilewright"
fi
finish
