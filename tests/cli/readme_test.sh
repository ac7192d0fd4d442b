# The program of the README compiles and runs as printed there.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
export ASAN_OPTIONS=detect_leaks=0 # as printed, the program leaves freeing to its end

# block N: the N-th ```c block.
block() {
  awk -v wanted="$1" '/^```c$/ { n++; on = 1; next } /^```$/ { on = 0 } on && n == wanted' "$source/README.md"
}
block 1 >prog.c
block 2 >scale.c
expect 0 "$tilewright" run prog.c
prints out 'Cycles by vertex type:'
prints out 'Scale'
finish
