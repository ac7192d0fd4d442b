# SPDX-License-Identifier: MIT
# The program, linked with the shared library like any user's, and the names its users already type.
if(NOT TARGET tilewright OR NOT EXISTS ${CMAKE_SOURCE_DIR}/include/tilewright/poplar/popc.h)
  return()
endif()
set(TW_CLI_NAMES popc poplar_profile_summary cslc cs_python)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/cli/*.c)
list(FILTER sources EXCLUDE REGEX /src/cli/debugger/) # cmake/debugger.cmake
add_executable(tilewright_program ${sources})
add_dependencies(tilewright_program tw_commit)
set_property(SOURCE src/cli/version.c APPEND PROPERTY INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/commit)
target_include_directories(tilewright_program PRIVATE src) # for "cli/..."; no other header there is public (cli.includes_test)
target_link_libraries(tilewright_program PRIVATE tilewright PkgConfig::GLIB PkgConfig::JANSSON m)
pkg_check_modules(EDIT QUIET IMPORTED_TARGET libedit)
if(EDIT_FOUND)
  target_compile_definitions(tilewright_program PRIVATE TW_HAS_LIBEDIT)
  target_link_libraries(tilewright_program PRIVATE PkgConfig::EDIT)
else()
  message(STATUS "libedit-dev is not there: debuggers read lines without editing and history")
endif()
set_target_properties(tilewright_program PROPERTIES
  OUTPUT_NAME tilewright
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
tw_installed_beside(tilewright_program "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
tw_harden(tilewright_program)
foreach(name IN LISTS TW_CLI_NAMES)
  add_custom_command(TARGET tilewright_program POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink tilewright ${CMAKE_BINARY_DIR}/bin/${name})
endforeach()
