# libtilewright: every box in one shared library; only the tw_ names of the public headers are exported.
if(TW_OBJECTS)
  add_library(tilewright SHARED ${TW_OBJECTS})
  target_include_directories(tilewright PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(tilewright PRIVATE PkgConfig::GLIB PkgConfig::JANSSON OpenMP::OpenMP_C ${SLEEF_LIBRARY} m dl)
  set_target_properties(tilewright PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C)
endif()
