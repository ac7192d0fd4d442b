# SPDX-License-Identifier: MIT
# libtilewright: every box in one shared library; only the tw_ names of the public headers are exported.
if(TW_OBJECTS)
  add_library(tilewright SHARED ${TW_OBJECTS})
  target_include_directories(tilewright PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(tilewright PRIVATE PkgConfig::GLIB PkgConfig::JANSSON PkgConfig::ELF OpenMP::OpenMP_C ${SLEEF_LIBRARY} m dl)
  tw_installed_beside(tilewright "")
  target_link_options(tilewright PRIVATE LINKER:--version-script=${CMAKE_SOURCE_DIR}/src/tilewright.map)
  # What kernels call that are compiled with the flags below (docs/aie.md): an archive, so that programs which use these
  # sanitizers for themselves do not get it. A vector access that is off its 16 bytes must go on after the report:
  # without AVX, and with moves for aligned addresses, x86-64 would trap.
  add_library(tilewright_aie_check STATIC src/aie/instrument/hooks.c)
  target_compile_options(tilewright_aie_check PRIVATE -fno-sanitize=all)
  target_link_libraries(tilewright_aie_check PUBLIC tilewright)
  set(TW_AIE_CHECK_GCC -g -Wno-psabi -fsanitize=kernel-address,alignment)
  set(TW_AIE_CHECK_CLANG -g -fsanitize=kernel-address,alignment -fno-sanitize-link-runtime)
  foreach(option IN ITEMS instrumentation-with-call-threshold=0 stack=0 globals=0)
    list(APPEND TW_AIE_CHECK_GCC --param=asan-${option})
    list(APPEND TW_AIE_CHECK_CLANG "SHELL:-mllvm -asan-${option}")
  endforeach()
  list(APPEND TW_AIE_CHECK_CLANG "SHELL:-mllvm -asan-kernel-mem-intrinsic-prefix=1")
  if(TW_X86)
    list(APPEND TW_AIE_CHECK_GCC -mavx -Wa,-muse-unaligned-vector-move)
    # ... and it warns of a section for which clang has a type of its own.
    list(APPEND TW_AIE_CHECK_CLANG -mavx -fno-integrated-as -Wa,-muse-unaligned-vector-move,--no-warn)
  endif()
  target_compile_definitions(tilewright_aie_check INTERFACE TW_AIE_CHECK)
  foreach(language IN ITEMS C CXX)
    target_compile_options(tilewright_aie_check INTERFACE
                           "$<$<COMPILE_LANG_AND_ID:${language},GNU>:${TW_AIE_CHECK_GCC}>"
                           "$<$<COMPILE_LANG_AND_ID:${language},Clang>:${TW_AIE_CHECK_CLANG}>")
  endforeach()
  foreach(compiler IN ITEMS GCC CLANG)
    list(JOIN TW_AIE_CHECK_${compiler} " " TW_AIE_CHECK_${compiler})
    string(REPLACE "SHELL:" "" TW_AIE_CHECK_${compiler} "-DTW_AIE_CHECK ${TW_AIE_CHECK_${compiler}}")
  endforeach()
  set_target_properties(tilewright PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C
                        LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/tilewright.map)
  # tilewright::ascend: the library, and headers under names that Ascend owns.
  add_library(tilewright_ascend INTERFACE)
  add_library(tilewright::ascend ALIAS tilewright_ascend)
  set_target_properties(tilewright_ascend PROPERTIES EXPORT_NAME ascend)
  target_link_libraries(tilewright_ascend INTERFACE tilewright)
  target_include_directories(tilewright_ascend INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include/tilewright/compat/ascend>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tilewright/compat/ascend>)
  # tilewright::adf: the same with <adf.h>; graphs and kernels round as the chip does, without contraction.
  add_library(tilewright_adf INTERFACE)
  add_library(tilewright::adf ALIAS tilewright_adf)
  set_target_properties(tilewright_adf PROPERTIES EXPORT_NAME adf)
  target_link_libraries(tilewright_adf INTERFACE tilewright)
  target_compile_options(tilewright_adf INTERFACE -ffp-contract=off)
  target_compile_features(tilewright_adf INTERFACE cxx_std_17)
  target_include_directories(tilewright_adf INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include/tilewright/compat/aie>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tilewright/compat/aie>)
endif()
