// SPDX-License-Identifier: MIT
// Codelets for guide_device_code.c: what section 2.8 and chapter 3 of the guide say about device code.
#include <ipudef.h>
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

// 2.8: macros that are predefined, and one given with the options of addCodelets.
class Macros : public Vertex {
  public:
    Output<Vector<int>> found;

    bool compute()
    {
#ifdef __POPC__
        found[0] = 1;
#endif
#ifdef __IPU__
        found[1] = 1;
#endif
        found[2] = FROM_OPTIONS;
        return true;
    }
};

// 2.8.1: the compiler cannot know the stack of a recursive function, nor what a pointer calls.
DEF_STACK_USAGE(512, "fibonacci")
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int twice(int n)
{
    return 2 * n;
}
DEF_FUNC_CALL_PTRS("apply", "twice")
static int apply(int (*function)(int), int n)
{
    return function(n);
}

class Recursion : public Vertex {
  public:
    InOut<int> value;

    bool compute()
    {
        *value = apply(twice, fibonacci(*value));
        return true;
    }
};

// 2.3.3: short vectors in code and as state; 2.3.4: a structure as state.
struct Range {
    short low, high;
};

class ShortVectors : public Vertex {
  public:
    Input<Vector<float, VectorLayout::SPAN, 16>> in;
    Output<Vector<float>> sums;
    float4 weight;
    Range range;

    bool compute()
    {
        float4 sum = { 0, 0, 0, 0 };
        for (unsigned i = 0; i + 4 <= in.size(); i += 4) sum += *reinterpret_cast<const float4 *>(&in[i]) * weight;
        int2 bounds = { range.low, range.high };
        bounds = bounds * 2;
        char4 small = { 1, 2, 3, 4 };
        small += small;
        for (unsigned i = 0; i < 4; ++i) sums[i] = sum[i] + small[i];
        sums[4] = bounds[0];
        sums[5] = bounds[1];
        return true;
    }
};

// 3.3: each worker id in [0, numWorkers()) is given once.
class Workers : public MultiVertex {
  public:
    Output<Vector<unsigned>> id;

    bool compute(unsigned worker)
    {
        id[worker] = worker + 100 * MultiVertex::numWorkers();
        return true;
    }
};

// 2.3.2: written so that it works for a half of 2 and of 4 bytes.
class HalfSize : public Vertex {
  public:
    Input<Vector<half>> in;
    Output<unsigned> size;
    Output<float> sum;

    bool compute()
    {
        float total = 0;
        for (unsigned i = 0; i < in.size(); ++i) total += static_cast<float>(in[i]);
        *sum = total;
        *size = sizeof(half);
        return true;
    }
};
