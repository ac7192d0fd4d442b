// SPDX-License-Identifier: MIT
// The same work, split between the six workers of a tile in three ways: by a division on the tile, by a quotient and
// a remainder that the host packed, and as a codelet in C++ to compare with.
#include <poplar/Vertex.hpp>

using namespace poplar;

class SquareByTile : public MultiVertex {
  public:
    Input<Vector<int, VectorLayout::ONE_PTR>> in;
    Output<Vector<int>> out;
    static const bool isExternalCodelet = true;
};

class SquareByHost : public MultiVertex {
  public:
    Input<Vector<int, VectorLayout::ONE_PTR>> in;
    Output<Vector<int, VectorLayout::ONE_PTR>> out;
    unsigned short share; // (n / 6) << 3 | n % 6
    static const bool isExternalCodelet = true;
};

class Square : public MultiVertex {
  public:
    Input<Vector<int>> in;
    Output<Vector<int>> out;
    bool compute(unsigned worker)
    {
        unsigned workers = MultiVertex::numWorkers(), share = out.size() / workers, rest = out.size() % workers;
        unsigned begin = share * worker + (worker < rest ? worker : rest), end = begin + share + (worker < rest);
        for (unsigned i = begin; i < end; i++) out[i] = in[i] * in[i] + worker;
        return true;
    }
};
