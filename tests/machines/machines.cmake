# The probe of scripts/machines, for this machine: the library links without the decompressors, and the probe answers.
set(probe_objects ${CREDENCE_OBJECTS})
add_executable(machines_probe ${CMAKE_CURRENT_LIST_DIR}/probe.c "$<FILTER:${probe_objects},EXCLUDE,/(gzip|zstd)\\.c>")
target_include_directories(machines_probe PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(machines_probe PRIVATE credence_flags ${CREDENCE_TEXT_LIBRARIES} Threads::Threads m)
set(probe_examples ${CMAKE_SOURCE_DIR}/examples)
add_test(NAME machines_probe_table COMMAND machines_probe ${probe_examples}/iris.csv species method=aode)
add_test(NAME machines_probe_network COMMAND machines_probe ${probe_examples}/asia.bif)
