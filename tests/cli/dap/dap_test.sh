# SPDX-License-Identifier: MIT
# `csl debug --dap`, `sim --dap` and `run --dap` as editors use them, and as nobody should: sessions that Python plays.
. "$1/tests/cli/lib.sh"
command -v python3 >/dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
for part in dap_csl dap_sim dap_broken dap_run; do
  mkdir -p "$work/$part"
  python3 "$source/tests/cli/dap/$part.py" "$tilewright" "$work/$part" || fail "$part.py"
done
expect 2 "$tilewright" csl debug --dap layout.csl
prints err 'stands alone'
expect 2 "$tilewright" sim --dap a.s
prints err 'stands alone'
expect 2 "$tilewright" run --dap --debug prog.c
prints err 'serves an editor'
finish
