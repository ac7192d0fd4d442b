# SPDX-License-Identifier: MIT
# What the pages print is what happens. A fenced block with a file's name behind its language is written to that file; in a
# block `console` a line `$ command` is run, and what it prints (both streams) is compared with the lines below it, line by
# line: `...` in a line stands for anything in it, a line `...` for any lines. A command fails exactly when its lines on the
# page have `error`, `deadlock` or `tilewright COMMAND:`. Each page has a folder of its own, in which its steps run in order.
. "$1/tests/cli/lib.sh"
PATH=$build/bin:$PATH
export PATH
export ASAN_OPTIONS=detect_leaks=0 # as printed, the programs leave freeing to their end
export NO_COLOR=1
ulimit -c 0
unset POPLAR_ENGINE_OPTIONS TILEWRIGHT_DEVICES
case ${CXX:-} in *-fsanitize*) ;; *) unset CC CXX ;; esac # as a reader has it: graphs of the AI Engine by clang

# steps PAGE: its files, and for command N the files N.sh, N.wanted and N.line in ../steps.
steps() {
  awk '
    function close_step() { if (step) { close(step ".sh"); close(step ".wanted"); step = "" } }
    /^```/ && kind { close_step(); if (file) close(file); kind = file = ""; next }
    /^```[a-z+]+ [A-Za-z0-9_.]+$/ {
      kind = "file"; n++; file = sprintf("../steps/%03d.", n) $2; printf "" >file; next
    }
    /^```console$/ { kind = "console"; next }
    /^```/ { kind = "other"; next }
    kind == "file" { print >file }
    kind == "console" && /^\$ / {
      close_step(); n++; step = sprintf("../steps/%03d", n)
      print substr($0, 3) >(step ".sh"); printf "" >(step ".wanted"); print FNR >(step ".line"); close(step ".line")
      next
    }
    kind == "console" && step { print >(step ".wanted") }' "$1"
}

# same WANTED GOT: whether the lines agree; else says the first line of WANTED that nothing matches.
same() {
  awk '
    function fits(text, pattern,   p, q) { # `...` inside of a line
      while ((p = index(pattern, "...")) > 0) {
        if (first && substr(text, 1, p - 1) != substr(pattern, 1, p - 1)) return 0
        if (!first && p > 1) {
          if (!(q = index(text, substr(pattern, 1, p - 1)))) return 0
          text = substr(text, q)
        }
        text = substr(text, p); pattern = substr(pattern, p + 3); first = 0
      }
      if (first) return text == pattern
      return length(text) >= length(pattern) && substr(text, length(text) - length(pattern) + 1) == pattern
    }
    function match_line(text, pattern) { first = 1; return fits(text, pattern) }
    function match_from(i, j) {
      if (i > most) most = i
      if (i > wanted) return j > got
      if (w[i] == "...") {
        for (; j <= got + 1; j++) if (match_from(i + 1, j)) return 1
        return 0
      }
      return j <= got && match_line(g[j], w[i]) && match_from(i + 1, j + 1)
    }
    FILENAME == ARGV[1] { w[++wanted] = $0; next }
    /^==[0-9]+==WARNING: ASan doesn/ { next } # the sanitizer on fibers
    { sub(/ +$/, ""); g[++got] = $0 }
    END {
      if (match_from(1, 1)) exit 0
      print "  the page has: " (most > wanted ? "nothing more" : w[most])
      for (j = 1; j <= got; j++) print "  printed: " g[j]
      exit 1
    }' "$1" "$2"
}

# run_page PAGE LEAST: runs its steps, at least LEAST commands.
run_page() {
  name=$(basename "$1" .md)
  mkdir -p "$work/$name/here" "$work/$name/steps"
  cd "$work/$name/here" || exit 1
  steps "$1"
  commands=0
  for step in ../steps/*; do
    case $step in
      *.sh) ;;
      *.wanted | *.line) continue ;;
      *) cp "$step" "$(basename "$step" | cut -d. -f2-)"; continue ;;
    esac
    commands=$((commands + 1))
    base=${step%.sh}
    sh "$step" >"$work/printed" 2>&1 </dev/null
    got=$?
    wanted=0
    ! grep -qE "error|deadlock|^tilewright [a-z]+: " "$base.wanted" || wanted=1
    [ "$((got != 0))" = "$wanted" ] || fail "$name.md:$(cat "$base.line"): exit status $got: $(cat "$step")"
    same "$base.wanted" "$work/printed" || fail "$name.md:$(cat "$base.line"): prints something else: $(cat "$step")"
  done
  [ "$commands" -ge "$2" ] || fail "$name.md: $commands commands, $2 and more were expected"
}

while read -r page least; do
  [ -z "${TW_PAGE:-}" ] || [ "$TW_PAGE" = "$page" ] || continue
  run_page "$source/docs/$page.md" "$least"
done <<'END'
tutorial-csl 6
tutorial-pto 13
tutorial-aie 14
tutorial-poplar 9
four-machines 1
coming-from-cann 1
faq 4
debugging 10
END
finish
