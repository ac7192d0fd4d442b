// SPDX-License-Identifier: MIT
// A vertex in C++: edges are members, one call of compute() is its work. True means: all went well.
#include <poplar/Vertex.hpp>

class Plus : public poplar::Vertex {
  public:
    poplar::Input<float> left;
    poplar::Input<float> right;
    poplar::Output<float> total;

    bool compute()
    {
        *total = *left + *right;
        return true;
    }
};
