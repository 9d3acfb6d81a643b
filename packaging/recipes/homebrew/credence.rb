class Credence < Formula
  desc "@DESCRIPTION@"
  homepage "@URL@"
  url "@DOWNLOAD@/credence-@VERSION@.tar.gz"
  sha256 "@SHA256_SOURCES@"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "libunistring"
  depends_on "snowball"
  depends_on "utf8proc"
  depends_on "zstd"
  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCREDENCE_GMIME=OFF", "-DCREDENCE_MPI=OFF",
           "-DCREDENCE_LINK_STEMMER=ON", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"days.csv").write shell_output("#{bin}/credence example tennis")
    system bin/"credence", "train", "days.csv", "--target", "Play", "-o", "days.model"
    assert_match "No", shell_output("#{bin}/credence predict days.model --given Outlook=Sunny,Wind=Strong")
  end
end
