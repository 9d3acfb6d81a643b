# The house itself: what is installed, what is exported, who includes whom, and whether the README tells the truth.

set(house ${CMAKE_CURRENT_LIST_DIR})

# Checks of the sources and scripts do not depend on the build: the build without sanitizers runs them.
if(NOT CREDENCE_SANITIZE)
  add_test(NAME house_layers COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-layers ${CMAKE_SOURCE_DIR})
  add_test(NAME house_layers_caught COMMAND ${house}/layers_caught ${CMAKE_SOURCE_DIR}/scripts/check-layers)
  add_test(NAME house_words COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-words ${CMAKE_SOURCE_DIR})
  add_test(NAME house_format COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-format ${CMAKE_SOURCE_DIR})
  set_tests_properties(house_format PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME house_setup COMMAND ${house}/setup_asks ${CMAKE_SOURCE_DIR}/scripts/setup)
  add_test(NAME house_console_caught COMMAND ${house}/console_caught ${house}/console)
  add_test(NAME house_tidy COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-tidy ${CMAKE_BINARY_DIR})
  set_tests_properties(house_tidy PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
add_test(NAME house_exports
         COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-exports $<TARGET_FILE:credence_shared>)
add_test(NAME house_unused COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-unused $<TARGET_FILE:credence_static>)

# How it is measured is shown without what measuring needs.
find_program(CREDENCE_INTERPRETER python3)
if(CREDENCE_INTERPRETER)
  add_test(NAME house_measure_help COMMAND ${CREDENCE_INTERPRETER} -I -S ${CMAKE_SOURCE_DIR}/bench/scale/measure.py --help)
endif()

add_test(NAME house_without_cmocka
         COMMAND ${house}/without_cmocka ${CMAKE_COMMAND} ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})

# A sanitized library asks its user for the same sanitizer.
set(house_flags)
if(CREDENCE_SANITIZE)
  set(house_flags -fsanitize=${CREDENCE_SANITIZE})
elseif(CREDENCE_COVERAGE)
  set(house_flags --coverage)
endif()
add_test(NAME house_install
         COMMAND ${house}/install ${CMAKE_COMMAND} ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER}
                 "${house_flags}")
set_tests_properties(house_install PROPERTIES TIMEOUT 300)

if(TARGET credence)
  foreach(document README.md docs/course.md docs/least-squares.md docs/gibbs.md docs/coming-from.md docs/evaluate.md
          docs/decide.md docs/families.md docs/terms.md docs/text.md docs/combine.md docs/aode.md docs/trees.md docs/normal.md docs/normal-mixture.md docs/fitted.md docs/query.md docs/formats.md docs/forms.md docs/profile.md docs/shards.md docs/merging.md docs/networks.md
          docs/networks-learning.md docs/hidden.md docs/latent.md docs/explain.md docs/pictures.md docs/table.md docs/networks-causes.md docs/networks-decisions.md docs/structure.md docs/continuous-nodes.md docs/sequences.md docs/sequence-answers.md docs/tagging.md
          docs/tutorials/classify-a-table.md docs/tutorials/classify-texts.md docs/tutorials/network-by-hand.md
          docs/tutorials/network-from-data.md docs/tutorials/hidden-markov-model.md docs/tutorials/into-production.md)
    get_filename_component(name ${document} NAME_WE)
    string(TOLOWER ${name} name)
    add_test(NAME house_console_${name}
             COMMAND ${house}/console ${CMAKE_SOURCE_DIR}/${document} $<TARGET_FILE_DIR:credence>)
    set_tests_properties(house_console_${name} PROPERTIES ENVIRONMENT "CREDENCE_DATA=${CREDENCE_DATA}")
  endforeach()
endif()
# The README shows the very program that house_install builds and runs.
add_test(NAME house_readme_program
         COMMAND ${house}/readme_program ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/examples/classify.c)
# The library alone, without decompressors: what a binding or a browser embeds.
add_test(NAME house_library_alone COMMAND ${house}/library_alone ${CMAKE_COMMAND} ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
set_tests_properties(house_library_alone PROPERTIES TIMEOUT 300)
