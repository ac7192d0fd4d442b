// The codelet of section 2.8 of the Poplar and PopLibs User Guide, as printed there.
#include <poplar/Vertex.hpp>

using namespace poplar;

class AdderVertex : public Vertex {
public:
    Input<float> x;
    Input<float> y;
    Output<float> sum;

    bool compute() {
        *sum = x + y;
        return true;
    }
};
