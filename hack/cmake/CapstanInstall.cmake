# SPDX-License-Identifier: Apache-2.0
# Where things are installed, and the number in the names of the shared libraries.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_LIBRARY_ARCHITECTURE AND EXISTS /etc/debian_version)
  # GNUInstallDirs uses this folder of Debian only for the prefix /usr, but the packages always have it.
  set(CMAKE_INSTALL_LIBDIR "lib/${CMAKE_LIBRARY_ARCHITECTURE}" CACHE PATH "Folder of the libraries")
endif()
if(PROJECT_IS_TOP_LEVEL OR CAPSTAN_INSTALL)
  include(GNUInstallDirs)
  set(CAPSTAN_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/capstan")
endif()
# Before 1.0 a new minor version may change the ABI.
set(CAPSTAN_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(CAPSTAN_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
