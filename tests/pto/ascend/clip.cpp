// TW_PTO_CLIP_TENSORS: tensors larger than the valid region of a tile are cut to it, for loads and stores, also when
// a tail is
// shorter than the tensor's static extents. Without the macro they are refused (pto_rules_refusals). Exit status 0 =
// all good.
#define TW_PTO_CLIP_TENSORS
#include <pto/pto-inst.hpp>

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
    Data larger(4, 16);
    GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<64, 64, 64, 16, 1>> smaller(from);
    bool refused = false; // what the tensor lacks is not made up
    try {
        TLOAD(larger, smaller);
    } catch (const error &) {
        refused = true;
    }
    CHECK(refused);
    return failures != 0;
}
