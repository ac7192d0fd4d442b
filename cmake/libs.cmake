# SPDX-License-Identifier: MIT
# The libraries of graph programs, docs/libraries.md: libtilewright_poplibs, on top of libtilewright and its public
# headers, and linker scripts with the names that programs link. A vendor's own libraries win that lie earlier on the path.
if(NOT TARGET tilewright OR NOT TARGET tw_libs)
  return()
endif()
add_library(tilewright_poplibs SHARED $<TARGET_OBJECTS:tw_libs>)
target_link_libraries(tilewright_poplibs PUBLIC tilewright PRIVATE PkgConfig::GLIB m)
target_link_options(tilewright_poplibs PRIVATE LINKER:--version-script=${CMAKE_SOURCE_DIR}/src/tilewright.map)
set_target_properties(tilewright_poplibs PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C
                      LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/tilewright.map)
tw_installed_beside(tilewright_poplibs "$ORIGIN")

# The archive of vertices beside the library: single operations, written by a generator from the table of expressions.
# Without it, as in a cross build, each is compiled when it is first met.
if(TARGET tilewright_program AND TARGET popc_module AND NOT CMAKE_CROSSCOMPILING)
  add_executable(gen_libs src/poplar/libs/gen/gen_libs.c)
  target_link_libraries(gen_libs PRIVATE tw_libs)
  set(archive ${CMAKE_BINARY_DIR}/tilewright/libs.gp)
  set(parts "")
  foreach(part RANGE 3)
    set(text ${CMAKE_BINARY_DIR}/generated/libs_${part}.c)
    add_custom_command(OUTPUT ${text} VERBATIM COMMAND gen_libs ${part} 4 ${text} DEPENDS gen_libs)
    list(APPEND parts ${text})
  endforeach()
  add_custom_command(OUTPUT ${archive} VERBATIM COMMAND tilewright_program popc ${parts} -o ${archive}
                     DEPENDS ${parts} tilewright_program popc_module)
  # Products of matrices and convolutions are worth code for each level of CPUs that kernels are compiled for
  # (src/core/base/cpu.c): an archive for each level, of which a graph reads one.
  set(products "")
  foreach(name IN ITEMS matmul conv)
    foreach(type IN ITEMS float half)
      set(text ${CMAKE_BINARY_DIR}/generated/libs_${name}_${type}.c)
      add_custom_command(OUTPUT ${text} VERBATIM COMMAND gen_libs ${name} ${type} ${text} DEPENDS gen_libs)
      list(APPEND products ${text})
    endforeach()
  endforeach()
  set(level_baseline 0)
  set(level_avx2 1)
  set(level_avx512 2)
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND levels avx2 avx512)
  endif()
  set(archives ${archive})
  foreach(level IN LISTS levels)
    set(product ${CMAKE_BINARY_DIR}/tilewright/libs-${level}.gp)
    add_custom_command(OUTPUT ${product} VERBATIM
                       COMMAND tilewright_program popc -DTW_LEVEL=${level_${level}} -Wno-psabi ${products} -o ${product}
                       DEPENDS ${products} tilewright_program popc_module)
    list(APPEND archives ${product})
  endforeach()
  add_custom_target(libs_gp ALL DEPENDS ${archives})
  install(FILES ${archives} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT poplar)
endif()

set(TW_LIBS poputil popops poplin popnn poprand popsparse gcl)
foreach(name IN LISTS TW_LIBS)
  file(WRITE ${CMAKE_BINARY_DIR}/lib${name}.so "/* ${name} of Tilewright */ INPUT(-ltilewright_poplibs)\n")
  install(FILES ${CMAKE_BINARY_DIR}/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT poplar)
endforeach()
install(TARGETS tilewright_poplibs EXPORT tilewright-poplar LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT poplar)
tw_pkg_config(tilewright_poplibs poplar)
install(DIRECTORY include/poputil include/popops include/poplin include/popnn include/poprand include/popsparse
        include/gcl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT poplar)
if(NOT TW_TEST_SCRIPTS)
  return()
endif()

# tests/poplar/libs/cxx/*.cpp: programs that end with 0 when all is right, in the vendor's oldest language.
file(GLOB tests CONFIGURE_DEPENDS tests/poplar/libs/cxx/*.cpp)
foreach(source IN LISTS tests)
  cmake_path(GET source STEM name)
  add_executable(libs_cxx_${name} ${source})
  target_link_libraries(libs_cxx_${name} PRIVATE poplar tilewright_poplibs)
  set_target_properties(libs_cxx_${name} PROPERTIES CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON)
  add_test(NAME libs.cxx_${name} COMMAND libs_cxx_${name})
  if(TARGET tests)
    add_dependencies(tests libs_cxx_${name})
  endif()
endforeach()

# Examples, built like a user's programs; "prints: ..." in their first comment is their test.
set(on_tiles variables operations regression conjugate_gradient kmeans) # the others train for longer than a simulator should
foreach(name IN ITEMS variables operations regression lstm lstm_layer conjugate_gradient conv_net conv_net_cxx
        transformer transformer_layer kmeans sparse_layer)
  file(GLOB source ${CMAKE_SOURCE_DIR}/examples/poplar/libs/${name}.c*)
  add_executable(example_libs_${name} ${source})
  if(source MATCHES "\\.c$") # the C++ library is not for it
    target_link_libraries(example_libs_${name} PRIVATE tilewright tilewright_poplibs m)
  else()
    target_link_libraries(example_libs_${name} PRIVATE poplar tilewright_poplibs)
  endif()
  set_target_properties(example_libs_${name} PROPERTIES CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  add_test(NAME examples.libs_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${source}
                                              $<TARGET_FILE:example_libs_${name}>)
  if(COMMAND tw_example_on_tiles AND name IN_LIST on_tiles)
    tw_example_on_tiles(libs_${name} ${source} $<TARGET_FILE:example_libs_${name}>)
  endif()
endforeach()

# Those that read files: a script draws the digits.
foreach(name IN ITEMS mnist mnist_regression)
  file(GLOB source ${CMAKE_SOURCE_DIR}/examples/poplar/libs/${name}.c*)
  add_executable(example_libs_${name} ${source})
  target_link_libraries(example_libs_${name} PRIVATE $<$<STREQUAL:${name},mnist>:tilewright>
                                                     $<$<STREQUAL:${name},mnist_regression>:poplar> tilewright_poplibs)
  set_target_properties(example_libs_${name} PROPERTIES CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  add_test(NAME examples.libs_${name}
           COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${source} sh -c
                   "python3 \"$1\" \"$2\" && exec \"$3\" \"$2\"" sh
                   ${CMAKE_SOURCE_DIR}/examples/poplar/libs/mnist_data.py ${CMAKE_BINARY_DIR}/examples/digits_${name}
                   $<TARGET_FILE:example_libs_${name}>)
endforeach()
