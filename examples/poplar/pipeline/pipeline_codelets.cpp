// SPDX-License-Identifier: MIT
// Three stages of a small signal chain: smooth, square, running sum over a block.
#include <poplar/Vertex.hpp>

using namespace poplar;

class Smooth : public Vertex {
  public:
    Input<Vector<float>> in; // two samples longer than out
    Output<Vector<float>> out;

    bool compute()
    {
        for (unsigned i = 0; i < out.size(); ++i) out[i] = 0.25f * in[i] + 0.5f * in[i + 1] + 0.25f * in[i + 2];
        return true;
    }
};

class Square : public Vertex {
  public:
    Input<Vector<float>> in;
    Output<Vector<float>> out;

    bool compute()
    {
        for (unsigned i = 0; i < out.size(); ++i) out[i] = in[i] * in[i];
        return true;
    }
};

class Sum : public Vertex {
  public:
    Input<Vector<float>> in;
    Output<float> out;

    bool compute()
    {
        float sum = 0;
        for (float value : in) sum += value;
        *out = sum;
        return true;
    }
};
