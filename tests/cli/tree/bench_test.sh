# SPDX-License-Identifier: MIT
# docs/performance.md has a table's place for each benchmark, and no other; `./dev bench --markdown` fills a place with
# medians of runs, leaves the text around it, and does the same again with the table it wrote. Each command of ./dev
# tells of itself instead of starting when it is asked for help.
. "$1/tests/cli/lib.sh"

(cd "$source/bench" && ls bench_*.c bench_*.cpp) | sed 's/\..*//' | sort >"$work/benches"
sed -n 's/^<!-- bench: \(.*\) -->$/\1/p' "$source/docs/performance.md" | sort >"$work/places"
cmp -s "$work/benches" "$work/places" || { fail 'benchmarks and places differ:'; diff "$work/benches" "$work/places"; }

mkdir "$work/built"
cat >"$work/built/bench_one" <<'END'
#!/bin/sh
run=$(cat "$0.run" 2>/dev/null || echo 0)
echo $((run + 1)) >"$0.run"
[ -z "${BENCH_ROWS:-}" ] || {
  printf 'machine\tsome processor, load %s\n' "$run"
  set -- 30 2 1 # medians: 2 of three
  eval "value=\${$((run % 3 + 1))}"
  printf 'time of it\t%s.004\tns\tat most\t1.5\n' "$value"
  printf 'peer / ours\t0.5%s\t\tat least\t0.5\n' "$value"
  printf 'bytes\t123456\tB\t-\t0\n'
} >>"$BENCH_ROWS"
END
printf '#!/bin/sh\nexit 1\n' >"$work/built/bench_two"
chmod +x "$work/built/bench_one" "$work/built/bench_two"
printf 'before\n<!-- bench: bench_one -->\nold\n<!-- end -->\nafter\n<!-- bench: bench_two -->\nkept\n<!-- end -->\n' \
  >"$work/page.md"
cat >"$work/wanted" <<'END'
before
<!-- bench: bench_one -->

Medians of 3 runs; some processor, load 2.

| | limit | measured |
|---|---|---|
| time of it | at most 1.50 ns | 2.00 ns: missed |
| peer / ours | at least 0.50 | 0.52 |
| bytes |  | 123456 B |

<!-- end -->
after
<!-- bench: bench_two -->
kept
<!-- end -->
END
bench() { expect "$1" env PAGE="$work/page.md" sh "$source/bench/run.sh" "$work/built" --markdown "$2"; }
bench 0 bench_one
cmp -s "$work/page.md" "$work/wanted" || { fail 'the page is not as it should be:'; diff "$work/wanted" "$work/page.md"; }
rm "$work/built/bench_one.run"
bench 0 one
cmp -s "$work/page.md" "$work/wanted" || fail 'a second time the page is another'
bench 1 two # a limit is missed; nothing measured, so the table stays
cmp -s "$work/page.md" "$work/wanted" || fail 'a table was lost'
bench 1 three
mv "$work/built/bench_one" "$work/built/bench_other"
bench 1 other # the page has no place for it
prints err 'has no place for bench_other'

commands=$(sed -n 's/^  \([a-z-]*\)).*;;$/\1/p' "$source/dev")
[ "$(echo "$commands" | wc -l)" -gt 20 ] || fail "the commands of ./dev were not found: $commands"
for command in $commands; do
  expect 0 timeout 10 "$source/dev" "$command" --help
  prints out "  $command "
done
expect 1 "$source/dev" nosuch --help
prints err "unknown command 'nosuch'"
finish
