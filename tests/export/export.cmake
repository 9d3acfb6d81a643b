# Exported models, run by what reads their format and compared with predict: export_<format>. They skip by name where the
# tool is not here.
find_program(CREDENCE_INTERPRETER python3)
if(TARGET credence)
  foreach(format json c sql pmml onnx)
    if(CREDENCE_INTERPRETER)
      add_test(NAME export_${format} COMMAND ${CREDENCE_INTERPRETER} ${CMAKE_CURRENT_SOURCE_DIR}/export/exports.py ${format}
               $<TARGET_FILE:credence>)
    else()
      add_test(NAME export_${format} COMMAND sh -c "echo 'skipped: python3 is not here'; exit 77")
    endif()
    set_tests_properties(export_${format} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
endif()
