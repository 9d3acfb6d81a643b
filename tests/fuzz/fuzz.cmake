# The targets tests/fuzz/fuzz_<name>.c are linked with replay.c into one program, fuzz_tests, which every test run gives a few seconds per target. If
# CREDENCE_FUZZ is on (clang only; scripts/fuzz), each target is also linked with libFuzzer, as fuzz_<name>.

# Seconds for all targets together.
set(CREDENCE_FUZZ_SECONDS 30 CACHE STRING "Seconds that a test run fuzzes for, all targets together")

set(fuzz_names number decompress reader schema filter mail tokens selector settings structure combination costs event network questions model evaluation hmm sequences)
if(CREDENCE_COMMAND)
  list(APPEND fuzz_names given) # of the command's own sources
endif()
list(LENGTH fuzz_names count)
math(EXPR fuzz_each "${CREDENCE_FUZZ_SECONDS} / ${count}")
if(fuzz_each LESS 1)
  set(fuzz_each 1)
endif()

if(CREDENCE_FUZZ)
  target_compile_options(credence_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Every target defines the same two functions (fuzz.h): they get names of their own here.
set(fuzz_sources fuzz/support.c fuzz/training.c)
set(CREDENCE_FUZZ_ENTRIES)
foreach(name IN LISTS fuzz_names)
  set_source_files_properties(fuzz/fuzz_${name}.c PROPERTIES
    COMPILE_DEFINITIONS "LLVMFuzzerTestOneInput=fuzz_${name}_input;fuzz_seeds=fuzz_${name}_seeds")
  list(APPEND fuzz_sources fuzz/fuzz_${name}.c)
  string(APPEND CREDENCE_FUZZ_ENTRIES "FUZZ_TARGET(${name})\n")
endforeach()
if(CREDENCE_COMMAND)
  list(APPEND fuzz_sources ${CMAKE_SOURCE_DIR}/cli/core/lists.c ${CMAKE_SOURCE_DIR}/cli/core/string_buffer.c)
endif()
set(fuzz_entries ${CMAKE_CURRENT_BINARY_DIR}/entries/fuzz)
file(CONFIGURE OUTPUT ${fuzz_entries}/fuzz_entries.h CONTENT "@CREDENCE_FUZZ_ENTRIES@" @ONLY)
add_library(fuzz_objects OBJECT ${fuzz_sources})
target_include_directories(fuzz_objects PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/cli)
target_link_libraries(fuzz_objects PRIVATE credence_flags ZLIB::ZLIB PkgConfig::ZSTD)

function(fuzz_executable target driver)
  add_executable(${target} ${driver} $<TARGET_OBJECTS:fuzz_objects> ${CREDENCE_OBJECTS})
  target_include_directories(${target} PRIVATE ${fuzz_entries} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE credence_flags ZLIB::ZLIB PkgConfig::ZSTD ${CREDENCE_TEXT_LIBRARIES} Threads::Threads m)
  if(CREDENCE_COMMAND)
    target_link_libraries(${target} PRIVATE PkgConfig::UTF8PROC)
  endif()
endfunction()

fuzz_executable(fuzz_tests fuzz/replay.c)
foreach(name IN LISTS fuzz_names)
  add_test(NAME fuzz_${name} COMMAND fuzz_tests ${name} ${fuzz_each})
  set_tests_properties(fuzz_${name} PROPERTIES TIMEOUT 300 LABELS memory)
  if(CREDENCE_FUZZ)
    fuzz_executable(fuzz_${name} fuzz/libfuzzer.c)
    target_compile_definitions(fuzz_${name} PRIVATE FUZZ_INPUT=fuzz_${name}_input)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()
