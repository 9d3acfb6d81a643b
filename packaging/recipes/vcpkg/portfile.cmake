vcpkg_download_distfile(archive
  URLS "@DOWNLOAD@/credence-@VERSION@.tar.gz"
  FILENAME "credence-@VERSION@.tar.gz"
  SHA512 @SHA512_SOURCES@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_cmake_configure(SOURCE_PATH "${source}"
  OPTIONS -DCREDENCE_COMMAND=OFF -DCREDENCE_MPI=OFF -DCREDENCE_GMIME=OFF -DCREDENCE_UNISTRING=OFF -DCREDENCE_STEMMER=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/credence)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
