# SPDX-License-Identifier: Apache-2.0
# Compile options as INTERFACE libraries, so that nothing is global. Libraries and programs link
# capstan_options. A test binary's own files are compiled with capstan_test_options.
set(CAPSTAN_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined or thread")
set(CAPSTAN_TEST_SERVER_OPTIONS "" CACHE STRING "Further compile options of the test server and CEL, e.g. -Og")
option(CAPSTAN_THREAD_SAFETY "clang: check the CAPSTAN_GUARDED_BY annotations, as errors" OFF)

if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
  endif()
endif()

# GCC collects garbage once it uses 128 MiB, again and again for a unit of many sources. Without that, a unit takes a
# tenth less time and up to 1.7 GB of memory, so each core must have 3 GB.
set(capstan_gcc_heap "")
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  cmake_host_system_information(RESULT capstan_host QUERY TOTAL_PHYSICAL_MEMORY NUMBER_OF_LOGICAL_CORES)
  list(GET capstan_host 0 capstan_mebibytes)
  list(GET capstan_host 1 capstan_cores)
  math(EXPR capstan_mebibytes_per_core "${capstan_mebibytes} / ${capstan_cores}")
  if(capstan_mebibytes_per_core GREATER_EQUAL 3000)
    set(capstan_gcc_heap --param=ggc-min-heapsize=2000000)
  endif()
endif()

foreach(options capstan_options capstan_test_options)
  add_library(${options} INTERFACE)
  target_compile_options(${options} INTERFACE -Werror=unused-result "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" ${capstan_gcc_heap})
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${options} INTERFACE
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
  endif()
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Both are about what other files of the folder have in common with a file.
    target_compile_options(${options} INTERFACE -Wno-shadow -Wno-subobject-linkage)
  endif()
  if(CAPSTAN_SANITIZE)
    target_compile_options(${options} INTERFACE -fsanitize=${CAPSTAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${options} INTERFACE -fsanitize=${CAPSTAN_SANITIZE})
  endif()
  if(CAPSTAN_SANITIZE MATCHES "undefined")
    # The places in the code that its messages name are tables of pointers. At fixed addresses the programs need
    # no relocations of them, a third of 125 MB each.
    target_compile_options(${options} INTERFACE -fno-pie)
    target_link_options(${options} INTERFACE -no-pie)
  endif()
  if(CAPSTAN_SANITIZE STREQUAL "thread")
    # TSan does not model fences, and GCC warns about each. Mutexes also order Asio's queues.
    target_compile_definitions(${options} INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  if(CAPSTAN_THREAD_SAFETY)
    target_compile_options(${options} INTERFACE -Wthread-safety -Werror=thread-safety)
  endif()
endforeach()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Optimisation and full debug information of a test's own code quadruple its compile time. The
  # linked libraries are compiled as shipped.
  target_compile_options(capstan_test_options INTERFACE -O0 -g1)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" OR CMAKE_BUILD_TYPE STREQUAL "Release")
  set(branches -fcf-protection)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(branches -mbranch-protection=standard)
  endif()
  target_compile_options(capstan_options INTERFACE -fstack-protector-strong -fstack-clash-protection ${branches} -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -ffunction-sections -fdata-sections)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # At -Os GCC 12 reports the constructor of std::stop_source as a read.
    target_compile_options(capstan_options INTERFACE -Wno-maybe-uninitialized)
    # At -Os GCC 12 can drop the store in "if (a <= b) c = a;", because it considers the member function pure.
    target_compile_options(capstan_options INTERFACE -fno-ipa-modref)
  endif()
  target_link_options(capstan_options INTERFACE -Wl,-z,relro,-z,now -Wl,--gc-sections -Wl,--as-needed)
endif()
