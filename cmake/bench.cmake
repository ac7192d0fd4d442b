# SPDX-License-Identifier: MIT
# bench/bench_*.c: each prints a table and a ratio against a named peer or limit. `./dev bench` runs them all.
file(GLOB benches CONFIGURE_DEPENDS bench/bench_*.c)
if(NOT TW_X86) # their peers are written for it
  list(FILTER benches EXCLUDE REGEX "/bench_(aie|aie_more|vec_math|wse)[.]c$")
endif()
add_custom_target(benches)
if(TARGET popc_module)
  add_dependencies(benches popc_module)
endif()
foreach(source IN LISTS benches)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL ${source} bench/machine.c)
  target_compile_options(${name} PRIVATE -O3)
  target_include_directories(${name} PRIVATE bench src include ${CMAKE_BINARY_DIR}/generated)
  tw_define_folders(${source})
  foreach(box IN LISTS TW_BOXES)
    if(TARGET tw_${box})
      target_link_libraries(${name} PRIVATE tw_${box})
    endif()
  endforeach()
  add_dependencies(benches ${name})
endforeach()

# Loops that bench_pto compares with, once per dispatch level of the kernels.
foreach(level IN LISTS TW_VEC_LEVELS)
  set(wrapper ${CMAKE_BINARY_DIR}/generated/bench/pto_peers_${level}.c)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#define TW_LEVEL ${level}\n#include \"peers/pto_peers.c\"\n")
  set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "${TW_VEC_FLAGS_${level}}"
                                                    OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/bench/peers/pto_peers.c)
  target_sources(bench_pto PRIVATE ${wrapper})
endforeach()
target_link_libraries(bench_pto PRIVATE ${CMAKE_DL_LIBS})
