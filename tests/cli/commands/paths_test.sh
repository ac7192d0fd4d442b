# SPDX-License-Identifier: MIT
# Sources in a folder whose name has blanks, quotes, a backslash, letters beyond ASCII and what means something to a
# shell or to make: every command compiles and runs them, or says that the name is what it cannot take.
. "$1/tests/cli/lib.sh"
folder="$work/a 'b' c\\d é \$e #f %g &h;(i)"
mkdir "$folder" && cd "$folder" || exit 1
cp -r "$source/examples" . || exit 1

works() {
  expect 0 "$tilewright" "$@"
}
for place in . "$folder"; do
  works run "$place/examples/poplar/scale/scale_host.c"
  works run "$place/examples/poplar/vector_add/vector_add.c"
  works popc "$place/examples/poplar/vector_add/vector_add_codelets.cpp" -o "$place/x .gp"
  works asm "$place/examples/poplar/colossus/addend.S" -o "$place/x .o"
  works objdump -d "$place/x .o"
  works pto check "$place/examples/pto/softmax/softmax.pto"
  works cslc "$place/examples/csl/gemv/layout.csl" --arch=wse2 --params=M:4,N:6 -o "$place/x out"
  works csl check "$place/examples/csl/fifo/layout.csl"
done

# With a quote or a line break, which #include cannot hold.
for name in 'say "x"' 'two
lines'; do
  mkdir "$name" && cp "$source/examples/aie/graph.cpp" "$source/examples/pto/softmax/softmax.pto" "$name/" || exit 1
  expect 1 "$tilewright" aie run "$name/graph.cpp"
  prints err 'a quote or a line break: rename it'
  works pto check "$name/softmax.pto"
  cp "$source/examples/poplar/vector_add/vector_add_codelets.cpp" "$name/"
  case $name in
    say*) works popc "$name/vector_add_codelets.cpp" -o x.gp ;;
    *)
      expect 1 "$tilewright" popc "$name/vector_add_codelets.cpp" -o y.gp
      prints err 'has a control character: rename it'
      ;;
  esac
done
finish
