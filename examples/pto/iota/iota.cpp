// SPDX-License-Identifier: MIT
// Numbering in C++: the keys of a countdown and the flat positions of a 4 x 16 table, made on the chip and stored.
//   c++ -std=c++17 iota.cpp $(pkg-config --cflags --libs tilewright) $(pkg-config --variable=ascend_cflags
//   tilewright)
//   TILEWRIGHT_PTO_TRACE=1 ./a.out
// prints: countdown: 9 8 7 6 5 4 3 2
// prints: row 3 of the table begins at 48
#include <cstdio>
#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
using Row = Tile<TileType::Vec, int32_t, 1, 16>;
using Scratch = Tile<TileType::Vec, float, 1, 512>; // A2/A3 make the numbers of a vector in it
using RowInMemory = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;

void countdown(int32_t *out)
{
    Row keys;
    TCI<Row, int32_t, 1>(keys, 9);
    RowInMemory memory(out);
    TSTORE(memory, keys);
}

void positions(int32_t *table, int rows)
{
    Row row;
    Scratch scratch;
    TASSIGN(row, 0x0);
    TASSIGN(scratch, 0x400);
    for (int r = 0; r < rows; r++) {
        TCI<Row, Scratch, int32_t, 0>(row, 16 * r, scratch);
        RowInMemory memory(table + 16 * r);
        TSTORE(memory, row);
    }
}
} // namespace

int main()
{
    static int32_t keys[16], table[4 * 16];
    countdown(keys);
    positions(table, 4);
    std::printf("countdown:");
    for (int i = 0; i < 8; i++) std::printf(" %d", keys[i]);
    std::printf("\nrow 3 of the table begins at %d\n", table[3 * 16]);
    return 0;
}
