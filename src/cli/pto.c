/* `tilewright pto`: so far the library's own; moves here. */
#include "cli.h"

#include <tilewright/pto.h>

const tw__command tw__command_pto = {
    .name = "pto",
    .arguments = "run|check|fmt|info|list ...",
    .summary = "run and check programs of tile instructions (PTO-AS)",
    .help =
        "  run FILE [option...]     check a PTO-AS program for a target, then execute it\n"
        "  check FILE [--target T]  only check it; --target all: for each of them\n"
        "  fmt FILE                 print it in its canonical form, with its comments\n"
        "  fmt -i FILE...           write it back instead (--in-place)\n"
        "  fmt --check FILE...      only say which are not in that form (exit status 1)\n"
        "  info NAME...             operands, types and rules of an instruction\n"
        "  list [WORD]              all instructions, or those with WORD in their line\n"
        "\n"
        "FILE - is the standard input. Options of run:\n"
        "  --target cpu|a2a3|a5  set of rules and memory sizes; default: the module's pto.target_arch, else cpu\n"
        "  --function NAME       what to run; default: the first function\n"
        "  --arg NAME=VALUE      an argument, or a name that plain assembly leaves open: a number; zeros, such as\n"
        "                        f32[16x16]; or an array, @file.npy. NAME@D: of device D alone\n"
        "  --out NAME=FILE.npy   writes an argument's memory, or a tile of the function, as it is at the end. "
        "NAME@D: of\n"
        "                        device D, else of device 0\n"
        "  --blocks N            runs on N blocks, which may wait for one another\n"
        "  --devices N           runs on N devices of so many blocks; each has its own copy of the arrays\n"
        "  --vectors 0|1|2       a block is a cube core and vector cores, or (0) one core that does both; default: "
        "2 when the\n"
        "                        program has FIFOs between sections, or functions, of both kinds; else 0\n"
        "  --manual              a tile without an address is an error\n"
        "  --max-steps N         stops after N operations; default 2^40\n"
        "  --trace               prints each instruction with the valid region of its destinations\n"
        "  --profile [FILE.json] prints cycles (estimated) by pipe and instruction, or writes them for tilewright "
        "profile\n",
    .example = "tilewright pto run examples/pto/softmax/softmax.pto --target a2a3",
    .words =
        "run check fmt info list --target --manual --function --arg --out --blocks --devices --vectors --trace "
        "--profile --max-steps --check --in-place",
    .files = ".pto .npy",
    .main = tw_pto_main,
};
