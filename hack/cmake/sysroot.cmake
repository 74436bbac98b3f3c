# SPDX-License-Identifier: Apache-2.0
# The toolchain of the presets release-amd64 and release-arm64: Debian's compiler, and the headers and
# libraries of hack/sysroot instead of the machine's.
set(CAPSTAN_ARCH "" CACHE STRING "Debian's name of the architecture: amd64 or arm64")
set(CAPSTAN_SYSROOT "" CACHE PATH "The folder that hack/sysroot prints. Default: the newest one in the cache")
if(CAPSTAN_ARCH STREQUAL "arm64")
  set(processor aarch64)
elseif(CAPSTAN_ARCH STREQUAL "amd64")
  set(processor x86_64)
else()
  message(FATAL_ERROR "CAPSTAN_ARCH=${CAPSTAN_ARCH} is not supported; use amd64 or arm64")
endif()
if(NOT CAPSTAN_SYSROOT)
  execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/../sysroot" --cached ${CAPSTAN_ARCH}
    OUTPUT_VARIABLE CAPSTAN_SYSROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(CAPSTAN_SYSROOT "${CAPSTAN_SYSROOT}" CACHE PATH "" FORCE)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CAPSTAN_ARCH CAPSTAN_SYSROOT)
set(triplet "${processor}-linux-gnu")

if(NOT CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL processor)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${processor})
  # Tests, and the programs that print their man page and completion, run under QEMU.
  find_program(CAPSTAN_QEMU qemu-${processor} REQUIRED)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CAPSTAN_QEMU};-L;${CAPSTAN_SYSROOT}")
endif()
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)

set(CMAKE_SYSROOT "${CAPSTAN_SYSROOT}")
# The archives come first, because Debian has another libglog.a.
set(CMAKE_FIND_ROOT_PATH ${CAPSTAN_ARCHIVES} "${CAPSTAN_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CAPSTAN_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CAPSTAN_SYSROOT}/usr/lib/${triplet}/pkgconfig:${CAPSTAN_SYSROOT}/usr/share/pkgconfig")

# The cross compiler's own C and C++ libraries come from packages without security updates, so those of
# the sysroot come first.
file(GLOB gcc LIST_DIRECTORIES true "${CAPSTAN_SYSROOT}/usr/lib/gcc/${triplet}/*")
set(libraries "-B${CAPSTAN_SYSROOT}/usr/lib/${triplet} -B${gcc}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${libraries}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${libraries}")
# No path of the machine is in the compiled code.
set(CMAKE_C_FLAGS_INIT "-ffile-prefix-map=${CAPSTAN_SYSROOT}=")
set(CMAKE_CXX_FLAGS_INIT "-ffile-prefix-map=${CAPSTAN_SYSROOT}=")
