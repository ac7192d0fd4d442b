#!/bin/sh
# SPDX-License-Identifier: MIT
# man.sh PROGRAM FOLDER: the manual pages of section 1, compressed, from what the program says of itself.
set -eu
program=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/*.1.gz
"$program" man | gzip -9n >"$folder/tilewright.1.gz"
for command in $("$program" complete x | grep -v '^-'); do
  "$program" man "$command" >"$folder/page"
  gzip -9n <"$folder/page" >"$folder/tilewright-$command.1.gz"
  name=$(sed -n '/^\.SH NAME/{n;s/^[^ ]*, \([^ ]*\) .*/\1/p;}' "$folder/page") # that it is installed as, too
  [ -z "$name" ] || echo ".so man1/tilewright-$command.1" | gzip -9n >"$folder/$name.1.gz"
done
rm "$folder/page"
