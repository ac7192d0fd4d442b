// The four examples of the TCI chapter, as printed there, and a main that runs them.
//   c++ -std=c++17 iota_seed.cpp $(pkg-config --cflags --libs tilewright) && TILEWRIGHT_PTO_TRACE=1 ./a.out
// prints: auto and manual, with tmp and without: ok
#include <pto/pto-inst.hpp>
using namespace pto;
void example_auto() {
    using TileT = Tile<TileType::Vec, int32_t, 1, 16>;
    TileT dst;
    TCI<TileT, int32_t, /*descending=*/0>(dst, /*S=*/0);
}
#include <pto/pto-inst.hpp>
using namespace pto;
void example_auto_tmp() {
    using TileT = Tile<TileType::Vec, int32_t, 1, 16>;
    using TmpT = Tile<TileType::Vec, float, 1, 512>;
    TileT dst;
    TmpT tmp;
    TCI<TileT, TmpT, int32_t, /*descending=*/0>(dst, /*S=*/0, tmp);
}
#include <pto/pto-inst.hpp>
using namespace pto;
void example_manual() {
    using TileT = Tile<TileType::Vec, int32_t, 1, 16>;
    TileT dst;
    TASSIGN(dst, 0x1000);
    TCI<TileT, int32_t, /*descending=*/1>(dst, /*S=*/100);
}
#include <pto/pto-inst.hpp>
using namespace pto;
void example_manual_tmp() {
    using TileT = Tile<TileType::Vec, int32_t, 1, 16>;
    using TmpT = Tile<TileType::Vec, float, 1, 512>;
    TileT dst;
    TmpT tmp;
    TASSIGN(dst, 0x1000);
    TASSIGN(tmp, 0x2000);
    TCI<TileT, TmpT, int32_t, /*descending=*/1>(dst, /*S=*/100, tmp);
}

#include <cstdio>

int main()
{
    example_auto();
    example_auto_tmp();
    example_manual();
    example_manual_tmp();
    std::printf("auto and manual, with tmp and without: ok\n");
    return 0;
}
