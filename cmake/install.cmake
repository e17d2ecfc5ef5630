# What is installed, by component: bin (the command), lib (the shared library), dev (header, archive,
# pkg-config and CMake files), doc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The same modes whatever the umask is.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(ICE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/icefsck")

if(TARGET icefsck)
  install(TARGETS icefsck RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT bin)
endif()
if(TARGET icefsck_shared)
  install(TARGETS icefsck_shared EXPORT icefsckTargets
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT lib NAMELINK_COMPONENT dev
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT icefsckTargets NAMESPACE icefsck:: DESTINATION "${ICE_CMAKE_DIR}" COMPONENT dev)
endif()
install(TARGETS icefsck_static EXPORT icefsckStaticTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT icefsckStaticTargets NAMESPACE icefsck:: DESTINATION "${ICE_CMAKE_DIR}" COMPONENT dev)
install(FILES include/icefsck.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)

# Man pages and completions are written by the command that was built.
if(TARGET icefsck AND NOT CMAKE_CROSSCOMPILING AND NOT ICE_SANITIZE AND NOT ICE_FUZZ)
  file(STRINGS src/cli/commands.def command_rows REGEX "^CLI_COMMAND")
  set(ICE_MANUAL "${CMAKE_BINARY_DIR}/manual")
  set(pages "${ICE_MANUAL}/icefsck.1")
  set(write_pages COMMAND icefsck help --man > "${ICE_MANUAL}/icefsck.1")
  foreach(row IN LISTS command_rows)
    string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" name "${row}")
    list(APPEND pages "${ICE_MANUAL}/icefsck-${name}.1")
    list(APPEND write_pages COMMAND icefsck help --man ${name} > "${ICE_MANUAL}/icefsck-${name}.1")
  endforeach()
  foreach(pair "bash;icefsck" "zsh;_icefsck" "fish;icefsck.fish")
    list(GET pair 0 shell)
    list(GET pair 1 file)
    list(APPEND completions "${ICE_MANUAL}/${shell}/${file}")
    list(APPEND write_pages COMMAND "${CMAKE_COMMAND}" -E make_directory "${ICE_MANUAL}/${shell}"
         COMMAND icefsck help --completion ${shell} > "${ICE_MANUAL}/${shell}/${file}")
  endforeach()
  add_custom_command(OUTPUT ${pages} ${completions}
                     COMMAND "${CMAKE_COMMAND}" -E make_directory "${ICE_MANUAL}" ${write_pages}
                     DEPENDS icefsck COMMENT "Writing man pages and completions" VERBATIM)
  add_custom_target(manual ALL DEPENDS ${pages} ${completions})
  install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT bin)
  install(FILES "${ICE_MANUAL}/bash/icefsck" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT bin)
  # Debian's zsh looks for what packages bring elsewhere.
  set(zsh_folder site-functions)
  if(EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)
  endif()
  install(FILES "${ICE_MANUAL}/zsh/_icefsck" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder}" COMPONENT bin)
  install(FILES "${ICE_MANUAL}/fish/icefsck.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT bin)
endif()

# ---- what the archive needs, for pkg-config and for find_package ----

set(ICE_CONFIG_MODULES "ZLIB=zlib;ZSTD=libzstd;DEFLATE=libdeflate")
set(ICE_CONFIG_PACKAGES "")
set(ICE_PC_REQUIRES "zlib libzstd libdeflate")
set(ICE_PC_LIBS "-lsnappy -pthread")
if(ICE_WITH_BZIP2)
  list(APPEND ICE_CONFIG_PACKAGES BZip2)
  string(PREPEND ICE_PC_LIBS "-lbz2 ")
endif()
if(ICE_WITH_LZMA)
  list(APPEND ICE_CONFIG_PACKAGES LibLZMA)
  string(APPEND ICE_PC_REQUIRES " liblzma")
endif()
if(ICE_WITH_SQLITE)
  list(APPEND ICE_CONFIG_MODULES "SQLITE=sqlite3")
  string(APPEND ICE_PC_REQUIRES " sqlite3")
endif()

foreach(part LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${part}}")
    set(ICE_PC_${part} "${CMAKE_INSTALL_${part}}")
  else()
    set(ICE_PC_${part} "\${prefix}/${CMAKE_INSTALL_${part}}")
  endif()
endforeach()
# Where the files lie is known when they are installed: cmake --install --prefix may name another place.
set(ICE_PC_IN "${CMAKE_CURRENT_LIST_DIR}/icefsck.pc.in")
configure_file("${CMAKE_CURRENT_LIST_DIR}/install_pc.cmake.in" "${CMAKE_BINARY_DIR}/install_pc.cmake" @ONLY)
install(SCRIPT "${CMAKE_BINARY_DIR}/install_pc.cmake" COMPONENT dev)

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/icefsckConfig.cmake.in" "${CMAKE_BINARY_DIR}/icefsckConfig.cmake"
                              INSTALL_DESTINATION "${ICE_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break the API.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/icefsckConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/icefsckConfig.cmake" "${CMAKE_BINARY_DIR}/icefsckConfigVersion.cmake"
        DESTINATION "${ICE_CMAKE_DIR}" COMPONENT dev)

# ---- documents ----

file(GLOB ICE_PAGES CONFIGURE_DEPENDS docs/*.md docs/*.svg)
install(FILES README.md CHANGELOG.md SECURITY.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT doc)
install(FILES ${ICE_PAGES} DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" COMPONENT doc)
file(GLOB ICE_SCHEMAS CONFIGURE_DEPENDS schemas/*.json)
if(ICE_SCHEMAS)
  install(FILES ${ICE_SCHEMAS} DESTINATION "${CMAKE_INSTALL_DATADIR}/icefsck" COMPONENT bin)
endif()
