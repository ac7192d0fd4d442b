# SPDX-License-Identifier: MIT
# The compiler of C and C++ for the IPU's tile: a module that holds the only code linked with clang's C++ libraries;
# src/poplar/colossus/cc/load.c loads it with dlopen from tw__lib_dir(). Where clang's or LLVM's headers are not, it is not
# built, and what needs it says so.
#
# tw_cc: its parts that know neither clang nor LLVM. tw_cc_llvm: the others. Tests link them, the module consists of them.
file(GLOB_RECURSE cc_sources CONFIGURE_DEPENDS src/poplar/colossus/cc/*.c)
set(cc_plain ${cc_sources})
list(FILTER cc_plain EXCLUDE REGEX "/cc/(front/|sel/|rt/|load)")
set(cc_llvm ${cc_sources})
list(FILTER cc_llvm INCLUDE REGEX "/cc/(front|sel)/")
if(cc_plain)
  add_library(tw_cc STATIC ${cc_plain})
  target_link_libraries(tw_cc PUBLIC tw_colossus)
  target_compile_options(tw_cc PRIVATE ${TW_FUZZ_OPTIONS})
  tw_harden(tw_cc)
endif()

find_path(CLANG_CPP_INCLUDE clang/Frontend/CompilerInstance.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_path(LLVM_C_INCLUDE llvm-c/Core.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_library(CLANG_CPP_LIBRARY NAMES libclang-cpp.so.19.1 clang-cpp PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
find_library(LLVM_LIBRARY NAMES LLVM-19 PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
if(CMAKE_CROSSCOMPILING OR NOT CLANG_CPP_INCLUDE OR NOT CLANG_CPP_LIBRARY OR NOT LLVM_C_INCLUDE OR NOT LLVM_LIBRARY)
  message(STATUS "libclang-19-dev or llvm-19-dev is not there: C and C++ are not compiled for the IPU's tile")
  return()
endif()
file(GLOB cc_front CONFIGURE_DEPENDS src/poplar/colossus/cc/front/*.cpp src/poplar/colossus/cc/sel/*.cpp)
add_library(tw_cc_llvm STATIC ${cc_llvm} ${cc_front})
target_include_directories(tw_cc_llvm SYSTEM PUBLIC ${CLANG_CPP_INCLUDE})
target_compile_options(tw_cc_llvm PRIVATE ${TW_FUZZ_OPTIONS})
target_link_libraries(tw_cc_llvm PUBLIC tw_colossus ${CLANG_CPP_LIBRARY} ${LLVM_LIBRARY})
if(TARGET tw_cc)
  target_link_libraries(tw_cc_llvm PUBLIC tw_cc)
endif()
set_source_files_properties(${cc_front} PROPERTIES COMPILE_OPTIONS "-fno-exceptions;-fno-rtti")
tw_harden(tw_cc_llvm)

# What of the library it needs lies in it once more, hidden.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/cc.map CONTENT "{ global: tw__cc_module; local: *; };\n")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/cc_module.c
     CONTENT "extern const int tw__cc_module;\nextern const int *const tw__cc_kept;\nconst int *const tw__cc_kept = &tw__cc_module;\n")
add_library(cc_module MODULE ${CMAKE_BINARY_DIR}/generated/cc_module.c)
target_link_libraries(cc_module PRIVATE tw_cc_llvm)
target_link_options(cc_module PRIVATE LINKER:--version-script=${CMAKE_BINARY_DIR}/generated/cc.map)
set_target_properties(cc_module PROPERTIES PREFIX "" OUTPUT_NAME cc LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tilewright
                      LINKER_LANGUAGE CXX)
tw_installed_beside(cc_module "")
install(TARGETS cc_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT poplar)
foreach(user IN ITEMS tilewright)
  if(TARGET ${user})
    add_dependencies(${user} cc_module)
  endif()
endforeach()
