# The programs in examples, compiled as their users compile them: with the public headers and the shared library only.
# Test examples_NAME runs examples/NAME.c and compares its output with tests/examples/NAME.txt (run.sh).

file(GLOB example_programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.c)
foreach(source IN LISTS example_programs)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_include_directories(example_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(example_${name} PRIVATE -UCRD_EXPERIMENTAL -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror)
  target_link_libraries(example_${name} PRIVATE credence_shared credence_flags)
  add_test(NAME examples_${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/examples/run.sh $<TARGET_FILE:example_${name}>
           ${CMAKE_CURRENT_SOURCE_DIR}/examples/${name}.txt)
endforeach()
