# SPDX-License-Identifier: MIT
# The C++ examples of the vendor's page on TCI, taken from the page where this machine has it (beside the project), compiled as
# they stand and run on every profile. Arguments: source folder, folder with the library. 77 = no page here.
source=$1 libraries=$2
page=$source/../shared/seeds/pto-tci.txt
[ -f "$page" ] || page=$source/../../shared/seeds/pto-tci.txt
[ -f "$page" ] || { echo "skipped: the page pto-tci.txt is not on this machine"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An example begins with its include and ends with the brace in the first column.
awk '/^#include <pto\/pto-inst.hpp>/ { inside = 1 } inside { print } inside && /^}/ { inside = 0 }' "$page" >"$work/page.cpp"
names=$(sed -n 's/^void \([a-z_]*\)().*/\1/p' "$work/page.cpp")
[ "$(echo "$names" | wc -l)" = 4 ] || { echo "expected four examples on the page, found: $names"; exit 1; }
{ echo "int main() {"; for name in $names; do echo "  $name();"; done; echo "}"; } >>"$work/page.cpp"

${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -I"$source/include" -I"$source/include/tilewright/compat/ascend" "$work/page.cpp" \
  -L"$libraries" -Wl,-rpath,"$libraries" -ltilewright -o "$work/page" || exit 1
for target in cpu a2a3 a5; do
  TILEWRIGHT_PTO_TARGET=$target TILEWRIGHT_PTO_TRACE=1 "$work/page" 2>"$work/trace" || { echo "$target:"; cat "$work/trace"; exit 1; }
  [ "$(grep -c -i tci "$work/trace")" = 4 ] || { echo "$target: the trace does not show four TCI:"; cat "$work/trace"; exit 1; }
done
