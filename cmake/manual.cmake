# Writes the manual pages and the completion of the command into FOLDER/man1 and FOLDER/completion. CREDENCE is the
# command line that runs it. Pages of verbs that are no more do not stay.

function(run_credence file)
  execute_process(COMMAND ${CREDENCE} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "credence ${ARGN} failed: ${failed}")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1 ${FOLDER}/completion)
run_credence(help.txt help)
file(STRINGS ${FOLDER}/help.txt usages REGEX "^  [a-z]+ +[A-Z]")
if(NOT usages)
  message(FATAL_ERROR "credence help lists no verbs")
endif()
foreach(usage IN LISTS usages)
  string(REGEX REPLACE "^  ([a-z-]+) .*" "\\1" verb "${usage}")
  run_credence(man1/credence-${verb}.1 help --man ${verb})
endforeach()
run_credence(completion/credence help --completion bash)
run_credence(completion/_credence help --completion zsh)
run_credence(completion/credence.fish help --completion fish)
# The last one: it stands for all of them where the build looks what is old.
run_credence(man1/credence.1 help --man)
