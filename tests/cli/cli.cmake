# One ctest test a script of command lines: cli_<name> for tests/cli/<name>.test. run.sh says how they are written.
if(TARGET credence)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.test)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli_${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh $<TARGET_FILE:credence> ${script})
    set_tests_properties(cli_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
                         ENVIRONMENT "CREDENCE_DATA=${CREDENCE_DATA};CREDENCE_EXAMPLES=${CMAKE_SOURCE_DIR}/examples")
  endforeach()

  # Reports by themselves, with what they stand on.
  file(GLOB core_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/core/*.c)
  add_executable(cli_report_formats ${CMAKE_CURRENT_SOURCE_DIR}/cli/report_formats.c ${core_sources})
  target_include_directories(cli_report_formats PRIVATE ${CMAKE_SOURCE_DIR}/cli)
  target_link_libraries(cli_report_formats PRIVATE credence_static PkgConfig::UTF8PROC PkgConfig::CMOCKA)
  add_test(NAME cli_report_formats COMMAND cli_report_formats)
endif()
