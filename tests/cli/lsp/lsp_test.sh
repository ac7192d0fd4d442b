# SPDX-License-Identifier: MIT
# `tilewright lsp` as editors use it, and as nobody should: sessions that Python plays.
. "$1/tests/cli/lib.sh"
command -v python3 >/dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
for part in lsp_broken lsp_sessions; do
  mkdir -p "$work/files"
  python3 "$source/tests/cli/lsp/$part.py" "$tilewright" "$work/files" || fail "$part.py"
done
expect 2 "$tilewright" lsp file.csl
prints err 'an editor starts it'
finish
