// SPDX-License-Identifier: MIT
// The heat equation on one tile's part of a plate, and the question whether it still changes anywhere.
#include <poplar/Vertex.hpp>

using namespace poplar;

// One time step. `in` and `out` are blocks of cells with a frame one cell wide around them: the neighbours' edges,
// put there by copies before the step. Workers take rows in turn.
class HeatStep : public MultiVertex {
  public:
    Input<Vector<float>> in;
    InOut<Vector<float>> out;           // its frame is left alone
    Input<Vector<unsigned char>> fixed; // no frame; 1 = keeps its temperature
    Output<Vector<float>> change;       // largest change that each worker saw
    unsigned rows, cols;
    float rate; // of the difference to the four neighbours that flows in one step

    bool compute(unsigned worker)
    {
        const unsigned width = cols + 2;
        float largest = 0;
        for (unsigned row = worker; row < rows; row += MultiVertex::numWorkers()) {
            const float *cell = &in[(row + 1) * width + 1];
            float *result = &out[(row + 1) * width + 1];
            const unsigned char *keep = &fixed[row * cols];
            for (unsigned i = 0; i < cols; ++i) {
                const float *c = cell + i;
                float flow = rate * ((c[-1] + c[1]) + (*(c - width) + c[width]) - 4.0f * c[0]);
                flow = keep[i] ? 0.0f : flow;
                result[i] = c[0] + flow;
                flow = flow < 0 ? -flow : flow;
                largest = flow > largest ? flow : largest;
            }
        }
        change[worker] = largest;
        return true;
    }
};

class Largest : public Vertex {
  public:
    Input<Vector<float>> in;
    Output<float> out;

    bool compute()
    {
        float largest = 0;
        for (float value : in) largest = value > largest ? value : largest;
        *out = largest;
        return true;
    }
};

// The condition of the loop, on one tile.
class StillChanging : public Vertex {
  public:
    Input<Vector<float>> change;
    Output<unsigned> yes;
    InOut<unsigned> rounds;
    float tolerance;

    bool compute()
    {
        float largest = 0;
        for (float value : change) largest = value > largest ? value : largest;
        *yes = largest > tolerance;
        *rounds += largest > tolerance;
        return true;
    }
};
