// SPDX-License-Identifier: MIT
// What the vertices of addend.S hold: adds a pair of numbers to every pair of a vector, in place. `interleaved` says
// which memory the vector lies in; the code is in assembly alone.
#include <poplar/Vertex.hpp>

using namespace poplar;

template <bool interleaved> class Acts : public Vertex {
  public:
    InOut<Vector<float, VectorLayout::SPAN, 8, interleaved>> acts; // an even number
    float addend[2];
    static const bool isExternalCodelet = true;
};

template <bool interleaved> class AddPlain : public Acts<interleaved> {};  // load, add, store: three turns
template <bool interleaved> class AddPace16 : public Acts<interleaved> {}; // loads 16 bytes ahead of the store
template <bool interleaved> class AddPace24 : public Acts<interleaved> {}; // 24 bytes ahead
template <bool interleaved> class AddAxpy : public Acts<interleaved> {};   // 24 bytes, the accumulator as a stage

template class AddPlain<false>;
template class AddPlain<true>;
template class AddPace16<false>;
template class AddPace16<true>;
template class AddPace24<false>;
template class AddPace24<true>;
template class AddAxpy<false>;
template class AddAxpy<true>;
