# SPDX-License-Identifier: MIT
# The module of `tilewright run --debug`: the interactive mode of `sim` and the debug adapter once more, in the process of the
# user's program; src/poplar/engine/debugger.c loads it with dlopen from tw__lib_dir().
if(NOT TARGET tilewright_program)
  return()
endif()
file(GLOB TW_SIM_SESSION CONFIGURE_DEPENDS src/cli/dap/*.c) # also of fuzz_dap
foreach(name IN ITEMS commands dap debug expr frames save show source watch)
  list(APPEND TW_SIM_SESSION src/cli/colossus/sim_${name}.c)
endforeach()
list(APPEND TW_SIM_SESSION src/cli/lines.c src/cli/words.c src/cli/messages.c)
file(GLOB debugger_sources CONFIGURE_DEPENDS src/cli/debugger/*.c)
add_library(debugger_module MODULE ${debugger_sources} ${TW_SIM_SESSION})
target_include_directories(debugger_module PRIVATE src)
target_link_libraries(debugger_module PRIVATE tilewright PkgConfig::GLIB PkgConfig::JANSSON m)
if(EDIT_FOUND)
  target_compile_definitions(debugger_module PRIVATE TW_HAS_LIBEDIT)
  target_link_libraries(debugger_module PRIVATE PkgConfig::EDIT)
endif()
set_target_properties(debugger_module PROPERTIES PREFIX "" OUTPUT_NAME debugger
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tilewright)
tw_installed_beside(debugger_module "$ORIGIN/..")
tw_harden(debugger_module)
install(TARGETS debugger_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT programs)
add_dependencies(tilewright_program debugger_module)
