// SPDX-License-Identifier: MIT
// One block of a matrix product: c[rows][cols] = a[rows][inner] x b[inner][cols], row-major. Workers take rows in
// turn.
#include <poplar/Vertex.hpp>

using namespace poplar;

class MatMulBlock : public MultiVertex {
  public:
    Input<Vector<float>> a;
    Input<Vector<float>> b;
    Output<Vector<float>> c;
    unsigned inner;
    unsigned cols;

    bool compute(unsigned worker)
    {
        const unsigned rows = c.size() / cols;
        for (unsigned row = worker; row < rows; row += MultiVertex::numWorkers()) {
            float *sum = &c[row * cols];
            for (unsigned col = 0; col < cols; ++col) sum[col] = 0;
            for (unsigned k = 0; k < inner; ++k)
                for (unsigned col = 0; col < cols; ++col) sum[col] += a[row * inner + k] * b[k * cols + col];
        }
        return true;
    }
};
