from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import get


class CredenceConan(ConanFile):
    name = "credence"
    version = "@VERSION@"
    description = "@DESCRIPTION@"
    license = "MIT"
    homepage = "@URL@"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_zlib": [True, False], "with_zstd": [True, False]}
    default_options = {"with_zlib": True, "with_zstd": True}
    languages = "C"

    def requirements(self):
        if self.options.with_zlib:
            self.requires("zlib/[>=1.2.11 <2]")
        if self.options.with_zstd:
            self.requires("zstd/[>=1.5 <2]")

    def layout(self):
        cmake_layout(self)

    def source(self):
        get(self, "@DOWNLOAD@/credence-@VERSION@.tar.gz", sha256="@SHA256_SOURCES@", strip_root=True)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("COMMAND", "MPI", "GMIME", "UNISTRING", "STEMMER"):
            toolchain.cache_variables[f"CREDENCE_{name}"] = False
        toolchain.cache_variables["CREDENCE_ZLIB"] = bool(self.options.with_zlib)
        toolchain.cache_variables["CREDENCE_ZSTD"] = bool(self.options.with_zstd)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["credence"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "pthread"]
