# models_kept: model files of every kind that earlier builds wrote are still read, and give the same predictions (models/check).
if(TARGET credence)
  add_test(NAME models_kept COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/models/check $<TARGET_FILE:credence> ${CMAKE_CURRENT_SOURCE_DIR}/models)
  set_tests_properties(models_kept PROPERTIES TIMEOUT 300)
endif()
