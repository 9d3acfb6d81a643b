# The tallies where doubles are computed with more digits than they have: nothing is sliced there, and the sums are the
# same to the bit. Only a compiler for x86 can be asked for such doubles.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mfpmath=387 CREDENCE_HAS_X87)
if(CREDENCE_HAS_X87 AND NOT CREDENCE_SANITIZE)
  file(GLOB_RECURSE x87_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.c ${CMAKE_SOURCE_DIR}/src/math/*.c
       ${CMAKE_SOURCE_DIR}/src/stats/*.c)
  add_library(credence_x87 OBJECT ${x87_sources})
  target_compile_options(credence_x87 PRIVATE -mfpmath=387)
  target_include_directories(credence_x87 PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src
                             ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(credence_x87 PRIVATE credence_flags)
  foreach(name math_slices math_products math_products_ways stats_moments_batch)
    credence_test(x87_${name} ${CMAKE_CURRENT_SOURCE_DIR}/unit/${name}.c LAYERS x87 table io text)
    target_compile_options(x87_${name} PRIVATE -mfpmath=387)
  endforeach()
endif()
