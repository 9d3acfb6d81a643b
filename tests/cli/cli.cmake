# One ctest test a script of command lines: cli_<name> for tests/cli/<name>.test. run.sh says how they are written.
if(TARGET credence)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.test)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli_${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh $<TARGET_FILE:credence> ${script})
    set_tests_properties(cli_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300
                         ENVIRONMENT "CREDENCE_DATA=${CREDENCE_DATA};CREDENCE_EXAMPLES=${CMAKE_SOURCE_DIR}/examples")
  endforeach()
endif()
