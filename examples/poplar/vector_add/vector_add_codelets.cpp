// The codelet of section 3.3 of the guide: all workers of a tile add their share of two vectors. As printed, but for
// the loop header, which has four clauses there ("...; i += MultiVertex::numWorkers(); ++i)") and three in C++.
#include <poplar/Vertex.hpp>

using namespace poplar;

class AddTwoVectors : public MultiVertex {
public:
    Input<Vector<unsigned>> a;
    Input<Vector<unsigned>> b;
    Output<Vector<unsigned>> c;

    bool compute(unsigned workerId) {
        const auto numElements = a.size();
        for (std::size_t i = workerId;
             i < numElements;
             i += MultiVertex::numWorkers()) {
            c[i] = a[i] + b[i];
        }
        return true;
    }
};
