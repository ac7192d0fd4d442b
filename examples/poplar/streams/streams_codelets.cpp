// SPDX-License-Identifier: MIT
// A running mean of the samples that pass by: state stays on the tile from run to run.
#include <poplar/Vertex.hpp>

using namespace poplar;

class RunningMean : public Vertex {
  public:
    Input<Vector<float>> samples;
    Output<Vector<float>> means;
    InOut<float> sum;
    InOut<unsigned> count;

    bool compute()
    {
        float total = *sum;
        unsigned n = *count;
        for (unsigned i = 0; i < samples.size(); ++i) {
            total += samples[i];
            means[i] = total / ++n;
        }
        *sum = total;
        *count = n;
        return true;
    }
};
