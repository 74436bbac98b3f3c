# SPDX-License-Identifier: Apache-2.0
# capstan_embed(SOURCE FOLDER NAMESPACE): writes a C++ source with a function EmbeddedFiles(), which returns the
# path and the text of each file in the folder. Its header is written by hand.
function(capstan_embed source folder namespace)
  file(GLOB_RECURSE paths LIST_DIRECTORIES false RELATIVE "${folder}" CONFIGURE_DEPENDS "${folder}/*" "${folder}/.*")
  list(SORT paths)
  list(REMOVE_DUPLICATES paths)
  set(rows "")
  foreach(path IN LISTS paths)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${path}")
    file(READ "${folder}/${path}" text)
    string(APPEND rows "    {\"${path}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "// Made by capstan_embed.
#include \"cmd/capstan/new/embedded_files.h\"

namespace @namespace@ {

const std::vector<EmbeddedFile>& EmbeddedFiles() {
  static const std::vector<EmbeddedFile> files = {
@rows@  };
  return files;
}

}  // namespace @namespace@
")
endfunction()
