# SPDX-License-Identifier: MIT
# Poplar in C++: <poplar/...> over the C API, as a library of its own under the name that programs link.
if(NOT TARGET tilewright)
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS src/poplar/cxx/*.cpp)
# Libraries of one source each: reports of profiles, and trace points.
foreach(name IN ITEMS pva pvti)
  add_library(tw_${name} SHARED src/poplar/cxx/${name}.cpp)
  list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/src/poplar/cxx/${name}.cpp)
  target_include_directories(tw_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(tw_${name} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
                        SOVERSION 0 CXX_STANDARD 11 CXX_STANDARD_REQUIRED ON)
  tw_installed_beside(tw_${name} "$ORIGIN")
  tw_harden(tw_${name})
  target_compile_options(tw_${name} PRIVATE -fvisibility=default)
endforeach()
target_link_libraries(tw_pva PUBLIC tilewright PRIVATE PkgConfig::JANSSON)
add_library(poplar SHARED ${sources})
target_include_directories(poplar PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(poplar PUBLIC tilewright tw_pva PRIVATE PkgConfig::JANSSON)
set_target_properties(poplar PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 CXX_STANDARD 11
                      CXX_STANDARD_REQUIRED ON)
tw_installed_beside(poplar "$ORIGIN")
tw_harden(poplar)
# Calls inside the library stay inside: programs replace none of its functions.
target_compile_options(poplar PRIVATE -fvisibility=default -fno-semantic-interposition)
target_link_options(poplar PRIVATE -Wl,-Bsymbolic-functions)

# find_package(poplar), pva and libpvti give the targets that builds against the SDK name: poplar, popc_bin, pva, libpvti.
install(DIRECTORY include/pva include/pvti include/gccs DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT poplar)
foreach(name IN ITEMS pva libpvti)
  install(FILES cmake/${name}Config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/${name} COMPONENT poplar)
endforeach()
install(TARGETS poplar tw_pva tw_pvti EXPORT tilewright-poplar LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT poplar)
install(FILES cmake/poplarConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/poplar COMPONENT poplar)
tw_pkg_config(poplar poplar)
if(NOT TW_TEST_SCRIPTS)
  return()
endif()

# What the layer costs over the C API; ./dev bench runs it with the others.
add_executable(bench_cxx EXCLUDE_FROM_ALL bench/bench_cxx.cpp bench/machine.c)
target_include_directories(bench_cxx PRIVATE bench)
target_compile_options(bench_cxx PRIVATE -O3)
target_link_libraries(bench_cxx PRIVATE poplar)
if(TARGET benches)
  add_dependencies(benches bench_cxx)
endif()

# tests/poplar/cxx/*.cpp: programs that end with 0 when all is right.
file(GLOB tests CONFIGURE_DEPENDS tests/poplar/cxx/*.cpp)
foreach(source IN LISTS tests)
  cmake_path(GET source STEM name)
  add_executable(poplar_cxx_${name} ${source})
  target_link_libraries(poplar_cxx_${name} PRIVATE poplar tw_pva tw_pvti)
  tw_define_folders(${source})
  add_test(NAME poplar.cxx_${name} COMMAND poplar_cxx_${name})
  if(TARGET tests)
    add_dependencies(tests poplar_cxx_${name})
  endif()
endforeach()

# The Python module of pva reads what a program in C++ wrote, and says the same.
add_test(NAME poplar.pva_python COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/poplar/cxx/pva_report.py
         $<TARGET_FILE:poplar_cxx_reports> ${CMAKE_SOURCE_DIR}/python $<TARGET_FILE:tilewright>)
if(TW_SANITIZE) # the interpreter is not linked with a sanitizer
  set_tests_properties(poplar.pva_python PROPERTIES DISABLED TRUE)
endif()

add_test(NAME poplar.cxx_standards COMMAND sh ${CMAKE_SOURCE_DIR}/tests/poplar/cxx/forms.sh ${CMAKE_SOURCE_DIR})
if(TW_SANITIZE) # compiles only
  set_tests_properties(poplar.cxx_standards PROPERTIES DISABLED TRUE)
endif()

# The guide's snippets and command lines; with those of its text where it lies beside the project.
set(sanitizers "")
if(TW_SANITIZE)
  set(sanitizers "SANITIZE=-fsanitize=${TW_SANITIZE}")
endif()
add_test(NAME poplar.cxx_guide COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/poplar/cxx/guide.py ${CMAKE_SOURCE_DIR}
                                       ${CMAKE_BINARY_DIR} ${CMAKE_CXX_COMPILER})
set_tests_properties(poplar.cxx_guide PROPERTIES ENVIRONMENT "${sanitizers}")

# Examples in C++, built like a user's programs; "prints: ..." in their first comment is their test.
foreach(name IN ITEMS adder callbacks functions matvec remote replicas)
  set(source ${CMAKE_SOURCE_DIR}/examples/poplar/cxx/${name}.cpp)
  add_executable(example_cxx_${name} ${source})
  target_link_libraries(example_cxx_${name} PRIVATE poplar)
  set_target_properties(example_cxx_${name} PROPERTIES CXX_STANDARD 11
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  add_test(NAME examples.cxx_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${source}
                                             $<TARGET_FILE:example_cxx_${name}>)
  if(COMMAND tw_example_on_tiles)
    tw_example_on_tiles(cxx_${name} ${source} $<TARGET_FILE:example_cxx_${name}>)
  endif()
endforeach()
