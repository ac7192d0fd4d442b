// SPDX-License-Identifier: MIT
/* Products of a fully connected layer, to be planned ahead. */
#ifndef POPLIN_FULLY_CONNECTED_HPP
#define POPLIN_FULLY_CONNECTED_HPP

#include <poplin/MatMul.hpp>
#include <utility>
#include <vector>

namespace poplin {
namespace fc {

struct FullyConnectedParams {
    std::size_t numGroups, batchSize, inputSize, outputSize;
};

/* Inputs times weights; unless for inference alone, gradients times weights' transpose, and inputs' transpose times
 * gradients. Options are the products', with the pass that each is. */
inline std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters, poplar::OptionFlags matmulOptions, poplar::Type type,
                           bool inferenceOnly)
{
    std::vector<std::pair<MatMulParams, poplar::OptionFlags>> all;
    const auto add = [&](const char *pass, std::size_t rows, std::size_t sum, std::size_t columns) {
        const std::size_t groups = parameters.numGroups;
        matmulOptions.set("fullyConnectedPass", pass);
        all.emplace_back(MatMulParams{ type, type, { groups, rows, sum }, { groups, sum, columns } },
                         matmulOptions);
    };
    const std::size_t batch = parameters.batchSize, in = parameters.inputSize, out = parameters.outputSize;
    add(inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD", batch, in, out);
    if (inferenceOnly) return all;
    add("TRAINING_BWD", batch, out, in);
    add("TRAINING_WU", in, batch, out);
    return all;
}

} // namespace fc
} // namespace poplin
#endif
