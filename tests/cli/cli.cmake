# One ctest test a script of command lines: cli_<name> for tests/cli/<name>.test. run.sh says how they are written.
if(TARGET credence)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.test)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli_${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh $<TARGET_FILE:credence> ${script})
    set_tests_properties(cli_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
                         ENVIRONMENT "CREDENCE_DATA=${CREDENCE_DATA};CREDENCE_EXAMPLES=${CMAKE_SOURCE_DIR}/examples")
  endforeach()
  set_tests_properties(cli_progress cli_compare PROPERTIES LABELS clock)

  # Reports and drawings by themselves, with what they stand on.
  file(GLOB core_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/core/*.c)
  add_library(cli_core_objects OBJECT ${core_sources})
  target_include_directories(cli_core_objects PRIVATE ${CMAKE_SOURCE_DIR}/cli ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(cli_core_objects PRIVATE credence_static PkgConfig::UTF8PROC)
  foreach(name report_formats graph_drawings)
    add_executable(cli_${name} ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.c $<TARGET_OBJECTS:cli_core_objects>)
    target_include_directories(cli_${name} PRIVATE ${CMAKE_SOURCE_DIR}/cli)
    target_link_libraries(cli_${name} PRIVATE credence_static PkgConfig::UTF8PROC PkgConfig::CMOCKA)
    add_test(NAME cli_${name} COMMAND cli_${name})
  endforeach()
endif()
