# A few kills with the other tests; scripts/kill-test makes as many as one likes.
if(TARGET credence)
  add_executable(kill_credence ${CMAKE_CURRENT_LIST_DIR}/kill.c)
  target_link_libraries(kill_credence PRIVATE credence_flags m)
  add_test(NAME kill_credence COMMAND kill_credence $<TARGET_FILE:credence> 25)
  set_tests_properties(kill_credence PROPERTIES TIMEOUT 300)
endif()
