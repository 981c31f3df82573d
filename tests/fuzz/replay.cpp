// The main() of a fuzzer without libFuzzer: answers each file of the folders it is given, once.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator{argv[i]}) {
      std::ifstream file{entry.path(), std::ios::binary};
      const std::string content{std::istreambuf_iterator<char>{file}, {}};
      std::fprintf(stderr, "%s\n", entry.path().filename().c_str());
      // A block of exactly that size, so that the sanitizer sees a byte too many.
      const auto bytes = std::make_unique<std::uint8_t[]>(content.size());
      std::copy(content.begin(), content.end(), bytes.get());
      LLVMFuzzerTestOneInput(bytes.get(), content.size());
      ++files;
    }
  std::printf("%zu inputs\n", files);
  return files > 0 ? 0 : 1;  // an empty corpus would test nothing
}
