{ lib, stdenv, fetchurl, cmake, ninja, pkg-config, libunistring, libstemmer, utf8proc, zlib, zstd }:

stdenv.mkDerivation rec {
  pname = "credence";
  version = "@VERSION@";
  src = fetchurl {
    url = "@DOWNLOAD@/credence-${version}.tar.gz";
    sha256 = "@SHA256_SOURCES@";
  };
  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ libunistring libstemmer utf8proc zlib zstd ];
  cmakeFlags = [ "-DCREDENCE_GMIME=OFF" "-DCREDENCE_MPI=OFF" "-DCREDENCE_LINK_STEMMER=ON" ];
  meta = {
    description = "@DESCRIPTION@";
    homepage = "@URL@";
    license = lib.licenses.mit;
    mainProgram = "credence";
    platforms = lib.platforms.unix;
  };
}
