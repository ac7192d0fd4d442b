# SPDX-License-Identifier: MIT
# cmake -DDIR=... -DOUT=... -DFILES=a,b -P sim_native.cmake: headers of the simulator as texts in C, for translated code.
string(REPLACE "," ";" FILES "${FILES}")
set(rows "")
foreach(name IN LISTS FILES)
  file(READ ${DIR}/${name} text)
  # Texts stand one behind the other: what they include of ours is there already, and glib is not.
  string(REGEX REPLACE "#include \"[^\n]*\n" "" text "${text}")
  string(REGEX REPLACE "#include <glib.h>\n" "" text "${text}")
  file(WRITE ${OUT}.part "${text}")
  file(READ ${OUT}.part hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REPLACE "." "_" id "${name}")
  string(APPEND rows "const char tw__sim_text_${id}[] = { ${bytes}0 };\n")
  string(APPEND declarations "extern const char tw__sim_text_${id}[];\n")
endforeach()
file(REMOVE ${OUT}.part)
file(WRITE ${OUT} "/* Made by cmake/sim_native.cmake from src/poplar/colossus/sim. */\n${declarations}${rows}")
