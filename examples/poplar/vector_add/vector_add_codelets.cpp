// Adds two vectors with all workers of a tile: each takes a block of neighbouring elements.
#include <poplar/Vertex.hpp>

using poplar::MultiVertex;

struct AddBlocks : MultiVertex {
    poplar::Input<poplar::Vector<unsigned>> a, b;
    poplar::Output<poplar::Vector<unsigned>> c;

    bool compute(unsigned worker) {
        unsigned block = (c.size() + numWorkers() - 1) / numWorkers(), end = (worker + 1) * block;
        if (end > c.size())
            end = c.size();
        for (unsigned i = worker * block; i < end; ++i)
            c[i] = a[i] + b[i];
        return true;
    }
};
