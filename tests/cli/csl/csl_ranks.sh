#!/bin/sh
# SPDX-License-Identifier: MIT
# csl_ranks.sh "RANKS..." PROGRAM csl run LAYOUT [option...]: runs a program on the wafer as one process and as so many
# ranks, with 1 and 2 threads each; trace, profile, report, memory of all PEs and what is printed have to be the same bytes.
counts=$1
shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# containers may forbid copies from process to process, and say so on the standard error
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
run() { # folder, then the command
  mkdir "$dir/$1"
  to=$dir/$1
  shift
  (cd "$to" && "$@" --trace=trace --profile=profile --report=report --memory=memory --stats) >"$to/out" 2>&1 ||
    { cat "$to/out"; echo "csl_ranks: $* fails"; exit 1; }
  for file in trace profile report memory out; do
    [ -s "$to/$file" ] || { echo "csl_ranks: no $file of $*"; exit 1; }
    cmp "$dir/one/$file" "$to/$file" || { echo "csl_ranks: $* has another $file"; exit 1; }
  done
}
run one "$@" --threads=1
for count in $counts; do
  for threads in 1 2; do
    OMP_NUM_THREADS=$threads run "$count.$threads" "$@" --threads=$threads -n "$count"
  done
done
