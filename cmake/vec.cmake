# SPDX-License-Identifier: MIT
# The kernels of vec: every file of src/core/vec/kernels is compiled once per dispatch level. A generated wrapper names the
# level, since one target cannot hold a source twice with different flags.
set(TW_VEC_LEVELS baseline)
if(TW_X86)
  list(APPEND TW_VEC_LEVELS avx2 avx512)
endif()
set(TW_VEC_FLAGS_baseline "")
set(TW_VEC_FLAGS_avx2 -mavx2 -mf16c -mfma -mbmi -mbmi2)
set(TW_VEC_FLAGS_avx512 ${TW_VEC_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)

# No trap and no errno depends on a kernel; selects of floats become vector code. Signs of zero and NaN stay.
set(TW_VEC_FLAGS -fno-trapping-math -fno-math-errno ${TW_UNCHECKED})
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT TW_SANITIZE) # checked loops become no vectors
  list(APPEND TW_VEC_FLAGS -O3)
endif()

# The elementary functions: one file per level, written for its width. A pragma in the file is not enough for clang, which
# takes the calling convention of wide vectors from the command line.
foreach(level IN LISTS TW_VEC_LEVELS)
  set_source_files_properties(src/core/vec/math_${level}.c PROPERTIES COMPILE_OPTIONS
                              "-fno-math-errno;${TW_UNCHECKED};${TW_VEC_FLAGS_${level}}")
endforeach()

if(TARGET tw_vec)
  file(GLOB kernels CONFIGURE_DEPENDS src/core/vec/kernels/*.c)
  foreach(kernel IN LISTS kernels)
    get_filename_component(family ${kernel} NAME_WE)
    foreach(level IN LISTS TW_VEC_LEVELS)
      set(wrapper ${CMAKE_BINARY_DIR}/generated/vec/${family}_${level}.c)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#define TW_LEVEL ${level}\n#include \"core/vec/kernels/${family}.c\"\n")
      set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "${TW_VEC_FLAGS};${TW_VEC_FLAGS_${level}}"
                                                        OBJECT_DEPENDS ${kernel})
      target_sources(tw_vec PRIVATE ${wrapper})
    endforeach()
  endforeach()
endif()
