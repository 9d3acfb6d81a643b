# A toolchain for the systems that zig's C compiler can build for. scripts/cross sets these variables:
#   CREDENCE_ZIG         the compiler, as words of a shell
#   CREDENCE_ZIG_TARGET  zig's name of the system, such as x86_64-windows-gnu
#   CREDENCE_ZIG_OPTIONS options for the compiler and the linker
#   CREDENCE_ZIG_PREFIX  where scripts/dependencies has put the libraries
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CREDENCE_ZIG CREDENCE_ZIG_TARGET CREDENCE_ZIG_OPTIONS CREDENCE_ZIG_PREFIX CREDENCE_ZIG_TOOLS)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${CREDENCE_ZIG_TARGET}")
if(CREDENCE_ZIG_TARGET MATCHES "windows")
  set(CMAKE_SYSTEM_NAME Windows)
elseif(CREDENCE_ZIG_TARGET MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "" CACHE STRING "")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "")
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

# CMake wants a compiler of one word.
if(NOT CREDENCE_ZIG_TOOLS)
  set(CREDENCE_ZIG_TOOLS "${CMAKE_BINARY_DIR}/zig" CACHE PATH "")
endif()
foreach(tool cc ar ranlib dlltool rc)
  set(words ${tool})
  if(tool STREQUAL cc)
    # zig compiles the C library of the system anew for each combination of such options, so all programs get the same.
    set(words "cc -target ${CREDENCE_ZIG_TARGET} ${CREDENCE_ZIG_OPTIONS}")
  endif()
  if(NOT EXISTS ${CREDENCE_ZIG_TOOLS}/${tool})
    file(WRITE ${CREDENCE_ZIG_TOOLS}/${tool} "#!/bin/sh\nexec ${CREDENCE_ZIG} ${words} \"$@\"\n")
    file(CHMOD ${CREDENCE_ZIG_TOOLS}/${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER ${CREDENCE_ZIG_TOOLS}/cc)
set(CMAKE_AR ${CREDENCE_ZIG_TOOLS}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${CREDENCE_ZIG_TOOLS}/ranlib CACHE FILEPATH "")
set(CMAKE_RC_COMPILER ${CREDENCE_ZIG_TOOLS}/rc CACHE FILEPATH "")

set(CMAKE_FIND_ROOT_PATH "${CREDENCE_ZIG_PREFIX}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} "${CREDENCE_ZIG_PREFIX}/lib/pkgconfig")
