// SPDX-License-Identifier: MIT
/* What calls throw. The classes follow the list of statuses of the C API (tw_status_exception). */
#ifndef POPLAR_EXCEPTIONS_HPP
#define POPLAR_EXCEPTIONS_HPP

#include <stdexcept>
#include <string>

namespace poplar {

struct poplar_error : std::runtime_error {
    std::string type; /* name of the class that was thrown */
    explicit poplar_error(const std::string &what) : std::runtime_error(what), type("poplar_error") {}
    explicit poplar_error(const char *what) : std::runtime_error(what), type("poplar_error") {}
};

#define POPLAR_EXCEPTION(name, base)                  \
    struct name : base {                              \
        explicit name(const std::string &s) : base(s) \
        {                                             \
            type = #name;                             \
        }                                             \
        explicit name(const char *s) : base(s)        \
        {                                             \
            type = #name;                             \
        }                                             \
    }

POPLAR_EXCEPTION(graph_program_compilation_error, poplar_error);
POPLAR_EXCEPTION(graph_object_creation_error, poplar_error);
POPLAR_EXCEPTION(graph_object_load_error, poplar_error);
POPLAR_EXCEPTION(file_load_error, poplar_error);
POPLAR_EXCEPTION(no_environment, poplar_error);
POPLAR_EXCEPTION(unknown_vertex_type, poplar_error);
POPLAR_EXCEPTION(unknown_field, poplar_error);
POPLAR_EXCEPTION(control_program_error, poplar_error);
POPLAR_EXCEPTION(type_error, poplar_error);
POPLAR_EXCEPTION(index_error, poplar_error);
POPLAR_EXCEPTION(no_size_specified, poplar_error);
POPLAR_EXCEPTION(graph_connection_error, poplar_error);
POPLAR_EXCEPTION(graph_cycle_error, poplar_error);
POPLAR_EXCEPTION(graph_recursion_error, poplar_error);
POPLAR_EXCEPTION(graph_replication_error, poplar_error);
POPLAR_EXCEPTION(profiling_disabled, poplar_error);
POPLAR_EXCEPTION(missing_profile_data, poplar_error);
POPLAR_EXCEPTION(missing_graph_profile, poplar_error);
POPLAR_EXCEPTION(missing_perf_estimate, poplar_error);
POPLAR_EXCEPTION(invalid_tile_mapping, poplar_error);
POPLAR_EXCEPTION(tensor_creation_error, poplar_error);
POPLAR_EXCEPTION(tensor_io_state_error, poplar_error);
POPLAR_EXCEPTION(stream_connection_error, poplar_error);
POPLAR_EXCEPTION(overflow_error, poplar_error);
POPLAR_EXCEPTION(memory_allocation_error, poplar_error);
POPLAR_EXCEPTION(memory_elem_constraints_error, poplar_error);
POPLAR_EXCEPTION(stream_memory_allocation_error, poplar_error);
POPLAR_EXCEPTION(invalid_machine_model, poplar_error);
POPLAR_EXCEPTION(invalid_option, poplar_error);
POPLAR_EXCEPTION(link_error, poplar_error);
POPLAR_EXCEPTION(symbol_error, poplar_error);
POPLAR_EXCEPTION(parse_error, poplar_error);
POPLAR_EXCEPTION(runtime_error, poplar_error);
POPLAR_EXCEPTION(application_runtime_error, runtime_error);
POPLAR_EXCEPTION(system_runtime_error, runtime_error);
POPLAR_EXCEPTION(unrecoverable_runtime_error, system_runtime_error);
POPLAR_EXCEPTION(unknown_runtime_error, system_runtime_error);
#undef POPLAR_EXCEPTION

/* Out of tile memory; `profilePath` names the profile that was written, "" when none was. */
struct graph_memory_allocation_error : poplar_error {
    std::string profilePath;
    explicit graph_memory_allocation_error(const std::string &s, const std::string &profile = "")
        : poplar_error(s), profilePath(profile)
    {
        type = "graph_memory_allocation_error";
    }
};

enum class RecoveryAction { IPU_RESET, PARTITION_RESET, FULL_RESET };
struct recoverable_runtime_error : system_runtime_error {
    explicit recoverable_runtime_error(RecoveryAction a, const std::string &s) : system_runtime_error(s), action(a)
    {
        type = "recoverable_runtime_error";
    }
    RecoveryAction getRecoveryAction() const { return action; }

  private:
    RecoveryAction action;
};

} // namespace poplar
#endif
