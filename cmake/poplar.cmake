# Poplar in C++: <poplar/...> over the C API, as a library of its own under the name that programs link.
if(NOT TARGET tilewright)
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS src/poplar/cxx/*.cpp)
add_library(poplar SHARED ${sources})
target_include_directories(poplar PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(poplar PUBLIC tilewright PRIVATE PkgConfig::JANSSON)
set_target_properties(poplar PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 CXX_STANDARD 11
                      CXX_STANDARD_REQUIRED ON)
target_compile_options(poplar PRIVATE -fvisibility=default)

# find_package(poplar) gives the targets that builds against the SDK name: poplar, popc_bin.
install(TARGETS poplar EXPORT tilewright LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES cmake/poplarConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/poplar)
configure_file(cmake/poplar.pc.in poplar.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/poplar.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(NOT BUILD_TESTING)
  return()
endif()

# tests/poplar/cxx/*.cpp: programs that end with 0 when all is right.
file(GLOB tests CONFIGURE_DEPENDS tests/poplar/cxx/*.cpp)
foreach(source IN LISTS tests)
  cmake_path(GET source STEM name)
  add_executable(poplar_cxx_${name} ${source})
  target_link_libraries(poplar_cxx_${name} PRIVATE poplar)
  target_compile_definitions(poplar_cxx_${name} PRIVATE TW_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME poplar.cxx_${name} COMMAND poplar_cxx_${name})
  if(TARGET tests)
    add_dependencies(tests poplar_cxx_${name})
  endif()
endforeach()

# Examples in C++, built like a user's programs; "prints: ..." in their first comment is their test.
foreach(name IN ITEMS matvec)
  set(source ${CMAKE_SOURCE_DIR}/examples/poplar/cxx/${name}.cpp)
  add_executable(example_cxx_${name} ${source})
  target_link_libraries(example_cxx_${name} PRIVATE poplar)
  set_target_properties(example_cxx_${name} PROPERTIES CXX_STANDARD 11
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
  add_test(NAME examples.cxx_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${source}
                                             $<TARGET_FILE:example_cxx_${name}>)
endforeach()
