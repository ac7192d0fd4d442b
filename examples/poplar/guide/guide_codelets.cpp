// SPDX-License-Identifier: MIT
// Codelets for the programs of this folder.
#include <poplar/Vertex.hpp>

using namespace poplar;

class AddInPlace : public Vertex { // body variable of the loops: value += amount
  public:
    InOut<Vector<unsigned>> value;
    Input<unsigned> amount;

    bool compute()
    {
        for (unsigned &v : value) v += *amount;
        return true;
    }
};

class LessThan : public Vertex {
  public:
    Input<unsigned> a;
    Input<unsigned> b;
    Output<unsigned> result;
    bool opposite;

    bool compute()
    {
        *result = (*a < *b) != opposite;
        return true;
    }
};
