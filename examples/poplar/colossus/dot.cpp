// SPDX-License-Identifier: MIT
// Inner products of halves with the matrix units: a supervisor vertex loads eight rows of sixteen weights, then a
// worker takes one vector of sixteen after the other.
#include <poplar/Vertex.hpp>

using namespace poplar;

class AmpDot : public SupervisorVertex {
  public:
    Input<Vector<half, VectorLayout::ONE_PTR, 8>> weights; // [8][16]
    Input<Vector<half, VectorLayout::ONE_PTR, 8>> x;       // [count][16]
    Output<Vector<float, VectorLayout::ONE_PTR, 8>> y;     // [count][8]
    unsigned count;
    static const bool isExternalCodelet = true;
};
