// SPDX-License-Identifier: MIT
/* Statuses of the C API as exceptions. */
#include "core.hpp"

#include <cstring>
#include <poputil/exceptions.hpp>

namespace poplar {
namespace core {

template <class E> [[noreturn]] static void thrower(const std::string &what)
{
    throw E(what);
}

/* Names as tw_status_exception() has them. */
static const struct {
    const char *name;
    void (*raise)(const std::string &what);
} classes[] = {
#define CLASS(name) { #name, thrower<name> }
    CLASS(memory_allocation_error),
    CLASS(graph_program_compilation_error),
    CLASS(graph_object_creation_error),
    CLASS(graph_object_load_error),
    CLASS(no_environment),
    CLASS(unknown_vertex_type),
    CLASS(unknown_field),
    CLASS(control_program_error),
    CLASS(type_error),
    CLASS(index_error),
    CLASS(no_size_specified),
    CLASS(graph_connection_error),
    CLASS(graph_cycle_error),
    CLASS(graph_recursion_error),
    CLASS(graph_replication_error),
    CLASS(profiling_disabled),
    CLASS(missing_profile_data),
    CLASS(missing_graph_profile),
    CLASS(missing_perf_estimate),
    CLASS(invalid_tile_mapping),
    CLASS(tensor_creation_error),
    CLASS(tensor_io_state_error),
    CLASS(stream_connection_error),
    CLASS(overflow_error),
    CLASS(memory_elem_constraints_error),
    CLASS(graph_memory_allocation_error),
    CLASS(stream_memory_allocation_error),
    CLASS(invalid_machine_model),
    CLASS(invalid_option),
    CLASS(link_error),
    CLASS(symbol_error),
    CLASS(file_load_error),
    CLASS(parse_error),
    CLASS(application_runtime_error),
    CLASS(system_runtime_error),
#undef CLASS
    { "poplibs_error", thrower<poputil::poplibs_error> },
};

/* Calls of the C API that its messages advise, as they are spelled here. */
static const struct {
    const char *c, *cxx;
} spellings[] = {
    { "tw_engine_load()", "Engine::load()" },
    { "tw_graph_connect()", "Graph::connect()" },
    { "tw_graph_connect_constant()", "Graph::connect()" },
    { "tw_graph_map()", "Graph::setTileMapping()" },
    { "tw_graph_map_linearly()", "VariableMappingMethod::LINEAR" },
    { "tw_graph_map_vertex()", "Graph::setTileMapping()" },
    { "tw_graph_replicated()", "Graph::createReplicatedGraph()" },
    { "tw_graph_set_field()", "Graph::setInitialValue()" },
    { "tw_graph_set_field_size()", "Graph::setFieldSize()" },
    { "tw_graph_set_field_values()", "Graph::setInitialValue()" },
    { "tw_tensor_dim_shuffle()", "Tensor::dimShuffle()" },
};

/* What a handle that a graph does not know may be in C. Here views keep their handles: it is another graph's. */
static void nameForeign(std::string &message)
{
    static const char begin[] = "is a released tensor (handle ", end[] = "makes a view outlive its scope";
    std::size_t at = message.find(begin), last = message.find(end);
    if (at != std::string::npos && last != std::string::npos && at < last)
        message.replace(at, last + sizeof end - 1 - at, "belongs to another graph");
}

static std::string inCxx(std::string message)
{
    nameForeign(message);
    for (const auto &s : spellings) {
        std::size_t length = std::strlen(s.c), at = 0;
        while ((at = message.find(s.c, at)) != std::string::npos) message.replace(at, length, s.cxx);
    }
    return message;
}

void raise(tw_status status, const std::string &call, const std::string &message)
{
    std::string what = call + ": " + (message.empty() ? tw_status_text(status) : inCxx(message));
    const char *name = tw_status_exception(status);
    for (const auto &c : classes)
        if (std::strcmp(c.name, name) == 0) c.raise(what);
    throw poplar_error(what);
}

void check(tw_status status, const char *call)
{
    if (status != TW_OK) raise(status, call, tw_error_message());
}

void GraphHolder::checkError(const char *name)
{
    if (tw_graph_status(graph) == TW_OK) return;
    tw_error error;
    tw_graph_take_error(graph, &error);
    raise(error.status, name, error.message ? error.message : "");
}

} // namespace core
} // namespace poplar
