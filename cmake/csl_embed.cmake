# SPDX-License-Identifier: MIT
# cmake -DDIR=... -DOUT=... -P csl_embed.cmake: the files DIR/**.csl as a table in C, in the order of their names.
file(GLOB_RECURSE files RELATIVE ${DIR} ${DIR}/*.csl)
list(SORT files)
set(texts "")
set(rows "")
set(k 0)
foreach(path IN LISTS files)
  file(READ ${DIR}/${path} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "\\.csl$" "" name "${path}")
  string(APPEND texts "static const char text_${k}[] = { ${bytes}0 }; /* ${path} */\n")
  string(APPEND rows "    { \"${name}\", text_${k}, sizeof text_${k} - 1 },\n")
  math(EXPR k "${k} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by cmake/csl_embed.cmake from src/csl/lang/lib. */
#include <stddef.h>

typedef struct tw__csl_library_file {
    const char *name;
    const char *text;
    size_t size;
} tw__csl_library_file;

extern const tw__csl_library_file tw__csl_library_files[];

${texts}
const tw__csl_library_file tw__csl_library_files[] = {
${rows}    { NULL, NULL, 0 }
};
")
