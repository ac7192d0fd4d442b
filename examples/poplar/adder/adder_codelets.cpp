// The smallest codelet: two numbers in, their sum out.
#include <poplar/Vertex.hpp>

struct Plus : poplar::Vertex {
    poplar::Input<float> x, y;
    poplar::Output<float> sum;

    bool compute() {
        *sum = *x + *y;
        return true;
    }
};
