# What `cmake --install` puts where: the command with its manual pages and completion, both libraries, the headers, a
# pkg-config file and a CMake package.

if(TARGET credence)
  install(TARGETS credence RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET credence_mpi)
  install(TARGETS credence_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The page with which `credence export --as html` answers in a browser, where scripts/web has built it.
install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/build/web/credence.html DESTINATION ${CMAKE_INSTALL_DATADIR}/credence OPTIONAL)
if(TARGET credence_manual)
  install(DIRECTORY ${CREDENCE_MANUAL}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${CREDENCE_MANUAL}/completion/credence
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CREDENCE_MANUAL}/completion/_credence DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${CREDENCE_MANUAL}/completion/credence.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
list(TRANSFORM CREDENCE_KINDS PREPEND credence_ OUTPUT_VARIABLE CREDENCE_LIBRARIES)
install(TARGETS ${CREDENCE_LIBRARIES} EXPORT credence-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/credence DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

# The prefix is found from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH CREDENCE_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" CREDENCE_PREFIX_FROM_PC "${CREDENCE_PREFIX_FROM_PC}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(CREDENCE_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(CREDENCE_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(CREDENCE_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  set(CREDENCE_PC_PREFIX "\${pcfiledir}/${CREDENCE_PREFIX_FROM_PC}")
  set(CREDENCE_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(CREDENCE_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(CREDENCE_PC_REQUIRES)
if(CREDENCE_ZLIB)
  string(APPEND CREDENCE_PC_REQUIRES " zlib")
endif()
if(CREDENCE_ZSTD)
  string(APPEND CREDENCE_PC_REQUIRES " libzstd")
endif()
set(CREDENCE_PC_LIBRARIES)
foreach(name IN LISTS CREDENCE_TEXT_LIBRARIES)
  string(APPEND CREDENCE_PC_LIBRARIES "-l${name} ")
endforeach()
configure_file(cmake/credence.pc.in ${CMAKE_CURRENT_BINARY_DIR}/credence.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/credence.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/credence)
install(EXPORT credence-targets NAMESPACE credence:: DESTINATION ${package_folder})
configure_package_config_file(cmake/credence-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/credence-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/credence-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/credence-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/credence-config-version.cmake
        DESTINATION ${package_folder})
