# SPDX-License-Identifier: MIT
# cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake: writes which commit the sources are, for `tilewright --version`. Run by each
# build, so that it is never stale; the file changes only when the answer does. Archives that git made say it in
# cmake/commit.txt (.gitattributes); a tree that is neither says nothing.
set(commit "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE status ERROR_QUIET)
if(status EQUAL 0)
  file(REAL_PATH "${top}" top)
  file(REAL_PATH "${SOURCE}" real)
endif()
if(status EQUAL 0 AND top STREQUAL real) # not a tree that lies in somebody else's repository
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
  if(commit AND changed)
    string(APPEND commit ", changed")
  endif()
else()
  file(READ ${SOURCE}/cmake/commit.txt text)
  if(text MATCHES "^[0-9a-f]+")
    string(SUBSTRING "${CMAKE_MATCH_0}" 0 12 commit)
  endif()
endif()
set(text "#define TW_COMMIT \"${commit}\"\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT text STREQUAL "${old}")
  file(WRITE ${OUT} "${text}")
endif()
