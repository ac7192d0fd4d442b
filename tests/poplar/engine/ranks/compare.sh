#!/bin/sh
# SPDX-License-Identifier: MIT
# A program prints the same alone and as several ranks. Arguments: number of ranks, program with its arguments, "--", the
# launcher with its options.
set -u
ranks=$1
shift
program=
while [ "$1" != -- ]; do
    program="$program $1"
    shift
done
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
$program >"$folder/alone" 2>"$folder/alone.err" || { cat "$folder/alone" "$folder/alone.err"; exit 1; }
"$@" -n "$ranks" $program >"$folder/ranks" 2>"$folder/ranks.err" ||
    { cat "$folder/ranks" "$folder/ranks.err"; exit 1; }
[ -s "$folder/alone" ] || { echo "nothing was printed"; exit 1; }
diff "$folder/alone" "$folder/ranks" || { echo "alone (<) and as $ranks ranks (>) are not equal"; exit 1; }
