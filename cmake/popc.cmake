# SPDX-License-Identifier: MIT
# The module that holds the only code linked with libclang; src/poplar/codelet/compile/clang_module.c loads it with dlopen from
# tw__lib_dir(). A cross build may do without: the library then says that the module is missing.
set(required REQUIRED)
if(CMAKE_CROSSCOMPILING)
  set(required "")
endif()
find_library(LIBCLANG NAMES clang-19 PATHS /usr/lib/llvm-19/lib ${required})
find_path(LIBCLANG_INCLUDE clang-c/Index.h PATHS /usr/lib/llvm-19/include ${required} NO_DEFAULT_PATH)
if(NOT LIBCLANG OR NOT LIBCLANG_INCLUDE)
  message(STATUS "No libclang 19 for ${CMAKE_SYSTEM_PROCESSOR}: this build compiles no codelets in C++")
  return()
endif()
file(GLOB clang_sources CONFIGURE_DEPENDS src/poplar/codelet/clang/*.c)
add_library(popc_module MODULE ${clang_sources})
target_include_directories(popc_module PRIVATE src)
target_include_directories(popc_module SYSTEM PRIVATE ${LIBCLANG_INCLUDE})
target_link_libraries(popc_module PRIVATE PkgConfig::GLIB PkgConfig::JANSSON ${LIBCLANG})
set_target_properties(popc_module PROPERTIES PREFIX "" OUTPUT_NAME popc LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tilewright)
tw_installed_beside(popc_module "")
tw_harden(popc_module)
install(TARGETS popc_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT poplar)

# Whoever uses codelets wants the module at run time.
foreach(user IN ITEMS tw_codelet tilewright)
  if(TARGET ${user})
    add_dependencies(${user} popc_module)
  endif()
endforeach()
