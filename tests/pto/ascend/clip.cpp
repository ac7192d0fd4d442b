// SPDX-License-Identifier: MIT
// TW_PTO_CLIP_TENSORS: of a tensor and a tile whose extents differ, the part that both have moves, whichever is
// larger.
// Without the macro they are refused (pto_rules_refusals). Exit status 0 = all good.
#define TW_PTO_CLIP_TENSORS
#include <pto/pto-inst.hpp>

#include <cmath>
#include <cstdio>

using namespace pto;

static int failures;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                         \
        }                                                       \
    } while (0)

int main()
{
    using Global = GlobalTensor<float, Shape<1, 1, 1, 4, 16>, Stride<64, 64, 64, 16, 1>>;
    using Data = Tile<TileType::Vec, float, 4, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
    float from[64], to[64];
    for (int rows = 1; rows <= 4; rows++)
        for (int cols = 1; cols <= 16; cols++) {
            for (int i = 0; i < 64; i++) from[i] = float(i), to[i] = -1;
            Data t(rows, cols);
            for (uint32_t i = 0; i < 64; i++) t.SetValue(i, -2);
            Global source(from), result(to);
            TLOAD(t, source);
            TSTORE(result, t);
            TSTORE<AtomicType::AtomicAdd>(result, t);
            CHECK(source.GetShape(3) == 4 && source.GetShape(4) == 16); // the program's own tensor stays
            for (int i = 0; i < 64; i++) {
                const bool in = i / 16 < rows && i % 16 < cols;
                CHECK(t.GetValue(uint32_t(i)) == (in ? float(i) : -2));
                CHECK(to[i] == (in ? 2 * float(i) : -1));
            }
        }
    // Tails of the other kind: the tile says more than the tensor has. The rest keeps what it held, or is padded.
    using Padded = Tile<TileType::Vec, float, 4, 16, BLayout::RowMajor, DYNAMIC, DYNAMIC, SLayout::NoneBox, 512,
                        PadValue::Max>;
    for (int cols = 1; cols <= 16; cols++) {
        using Dynamic = GlobalTensor<float, Shape<1, 1, 1, 4, DYNAMIC>, Stride<64, 64, 64, 16, 1>>;
        for (int i = 0; i < 64; i++) from[i] = float(i), to[i] = -1;
        Dynamic source(from, { cols }), result(to, { cols });
        Data larger(4, 16);
        Padded padded(4, 16);
        for (uint32_t i = 0; i < 64; i++) larger.SetValue(i, -2);
        TLOAD(larger, source);
        TLOAD(padded, source);
        TSTORE(result, larger);
        CHECK(larger.GetValidCol() == 16 && larger.GetValidRow() == 4);
        for (int i = 0; i < 64; i++) {
            const bool in = i % 16 < cols;
            CHECK(larger.GetValue(uint32_t(i)) == (in ? float(i) : -2));
            CHECK(in ? padded.GetValue(uint32_t(i)) == float(i) : std::isinf(padded.GetValue(uint32_t(i))));
            CHECK(to[i] == (in ? float(i) : -1));
        }
    }
    return failures != 0;
}
