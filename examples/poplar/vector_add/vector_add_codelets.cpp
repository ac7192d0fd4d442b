// SPDX-License-Identifier: MIT
// A MultiVertex runs on all workers of its tile at once: worker w takes the elements w, w + workers, w + 2 workers...
#include <poplar/Vertex.hpp>

class PlusShared : public poplar::MultiVertex {
  public:
    poplar::Input<poplar::Vector<unsigned>> left;
    poplar::Input<poplar::Vector<unsigned>> right;
    poplar::Output<poplar::Vector<unsigned>> total;

    bool compute(unsigned worker)
    {
        unsigned step = numWorkers(), count = total.size();
        for (unsigned i = worker; i < count; i += step) total[i] = left[i] + right[i];
        return true;
    }
};
