# SPDX-License-Identifier: MIT
# What keeps a mistake, or a planted file, from becoming somebody else's code. cli.products_test reads it back from
# all that the build makes.

# Shared libraries are looked for beside the program alone, wherever build and installed tree are moved. CMake's way of
# changing the path at installation leaves an empty element in the build tree, which stands for the current folder: so what
# is installed has one path for both trees, and the build tree a link at the place of the installed libraries.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
function(tw_installed_beside target path) # where its libraries lie, seen from it
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${path}")
endfunction()
set(tw_lib_link ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
if(NOT EXISTS ${tw_lib_link} AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  cmake_path(GET tw_lib_link PARENT_PATH tw_lib_parent)
  file(MAKE_DIRECTORY ${tw_lib_parent})
  file(RELATIVE_PATH tw_lib_target ${tw_lib_parent} ${CMAKE_BINARY_DIR})
  if(tw_lib_target STREQUAL "")
    set(tw_lib_target .)
  endif()
  file(CREATE_LINK "${tw_lib_target}" ${tw_lib_link} SYMBOLIC)
endif()

# All relocations are done at the start and then read-only; no stack is executable.
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# Of the library, its modules and the program: checked string functions, canaries. Sanitizers check more than either, and
# without optimisation the first cannot be had.
#
# Inner loops are left without both. Canaries cost the simulator of a tile 8 % of its instructions (loads and stores) and
# that of the wafer 3 %; checked copies halved repeat loops, with a check around each access to a pair of registers. One
# function is one instruction there, and what it reads has been checked by then.
set(TW_UNCHECKED -fno-stack-protector -U_FORTIFY_SOURCE)
set(TW_INNER_LOOPS /poplar/colossus/sim/ /csl/wse/state/ /csl/wse/pe/ /csl/wse/fabric/)
function(tw_harden target)
  if(TW_SANITIZE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(folder IN LISTS TW_INNER_LOOPS)
    set(inner ${sources})
    list(FILTER inner INCLUDE REGEX ${folder})
    set_source_files_properties(${inner} PROPERTIES COMPILE_OPTIONS "${TW_UNCHECKED}")
  endforeach()
  target_compile_options(${target} PRIVATE -fstack-protector-strong
    "$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
endfunction()
