# tests/mpi/<name>.sh CREDENCE CREDENCE-MPI MPIRUN: several processes of an MPI job beside one. What MPI itself does with memory is not
# for sanitizers.
if(TARGET credence_mpi AND NOT CREDENCE_SANITIZE)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.sh)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME mpi_${name} COMMAND ${script} $<TARGET_FILE:credence> $<TARGET_FILE:credence_mpi> ${MPIEXEC_EXECUTABLE})
    set_tests_properties(mpi_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS mpi)
  endforeach()
  # Its processes are interrupted while they work, which others on the same processors would delay.
  set_tests_properties(mpi_killed PROPERTIES RUN_SERIAL TRUE)
endif()
