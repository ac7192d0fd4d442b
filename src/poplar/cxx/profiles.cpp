// SPDX-License-Identifier: MIT
/* Profiles as trees of values: the JSON of the profile, read. */
#include "core.hpp"

#include <cstdlib>
#include <jansson.h>
#include <pva/pva.hpp>
#include <sstream>

namespace poplar {

static ProfileValue valueOf(json_t *j)
{
    switch (json_typeof(j)) {
    case JSON_OBJECT: {
        ProfileValue::Map map;
        const char *key;
        json_t *value;
        json_object_foreach(j, key, value) map.emplace(key, valueOf(value));
        return map;
    }
    case JSON_ARRAY: {
        ProfileValue::Vector list;
        std::size_t i;
        json_t *value;
        json_array_foreach(j, i, value) list.push_back(valueOf(value));
        return list;
    }
    case JSON_STRING: return std::string(json_string_value(j), json_string_length(j));
    case JSON_INTEGER: return static_cast<std::int64_t>(json_integer_value(j));
    case JSON_REAL: return json_real_value(j);
    case JSON_TRUE: return true;
    case JSON_FALSE: return false;
    case JSON_NULL: break;
    }
    return ProfileValue();
}

using Writer = char *(*)(const tw_profile *, bool);
static std::string textOf(tw_engine *e, Writer write, const char *call)
{
    const tw_profile *profile = tw_engine_profile(e);
    if (!profile) core::raise(TW_E_PROFILING_DISABLED, call, tw_error_message());
    char *text = write(profile, false);
    if (!text)
        core::raise(tw_profile_has_execution(profile) ? TW_E_NO_MEMORY : TW_E_MISSING_PROFILE, call,
                    tw_error_message());
    std::string copy = text;
    std::free(text);
    return copy;
}

static ProfileValue profiles_parse(const std::string &text, const char *call)
{
    json_error_t error;
    json_t *root = json_loads(text.c_str(), 0, &error);
    if (!root) core::raise(TW_E_PARSE, call, error.text);
    ProfileValue v = valueOf(root);
    json_decref(root);
    return v;
}

ProfileValue Engine::getGraphProfile()
{
    const char *call = "Engine::getGraphProfile";
    return profiles_parse(textOf(get().engine, tw_profile_graph_json, call), call);
}
ProfileValue Engine::getExecutionProfile()
{
    const char *call = "Engine::getExecutionProfile";
    return profiles_parse(textOf(get().engine, tw_profile_execution_json, call), call);
}
ProfileValue Engine::getProfile()
{
    ProfileValue::Map both;
    both.emplace("graphProfile", getGraphProfile());
    both.emplace("executionProfile", getExecutionProfile());
    return both;
}

pva::Report Engine::getReport(bool reportExecution)
{
    const char *call = "Engine::getReport";
    tw_engine *e = get().engine;
    std::string graph = textOf(e, tw_profile_graph_json, call);
    bool ran = reportExecution && tw_profile_has_execution(tw_engine_profile(e));
    return pva::makeReport(graph, ran ? textOf(e, tw_profile_execution_json, call) : std::string());
}

/* The tree is a profile of that part: an empty one, or the other part, is none. */
static bool isPart(const ProfileValue &tree, const char *part)
{
    if (tree.type() != ProfileValue::Type::MAP) return false;
    const ProfileValue *own = tree.getOrNull("tilewright");
    const ProfileValue *name = own && own->type() == ProfileValue::Type::MAP ? own->getOrNull("part") : nullptr;
    return !name || (name->type() == ProfileValue::Type::STRING && name->asString() == part);
}

/* Profiles that programs have kept: the summary of guide 8.2, read back from the tree. */
static void printProfiles(std::ostream &out, const ProfileValue *graph, const ProfileValue *execution,
                          const OptionFlags &flags, core::ProfilePrinter printer, const char *call)
{
    if (graph && !isPart(*graph, "graph"))
        core::raise(TW_E_MISSING_GRAPH_PROFILE, call, "this is no graph profile");
    if (execution && !isPart(*execution, "execution"))
        core::raise(TW_E_MISSING_PROFILE, call, "this is no execution profile");
    std::ostringstream parts[2];
    if (graph) serializeToJSON(parts[0], *graph);
    if (execution) serializeToJSON(parts[1], *execution);
    std::string g = parts[0].str(), e = parts[1].str();
    tw_profile *profile = nullptr;
    core::check(tw_status_of(profile = tw_profile_load(graph ? g.data() : nullptr, g.size(),
                                                       execution ? e.data() : nullptr, e.size())),
                call);
    std::shared_ptr<tw_profile> owner(profile, tw_profile_free);
    core::printProfile(profile, out, flags, printer, call);
}
void printProfileSummary(std::ostream &out, const ProfileValue &graph, const ProfileValue &execution,
                         const OptionFlags &options)
{
    printProfiles(out, &graph, &execution, options, tw_profile_print_summary, "printProfileSummary");
}
void printGraphSummary(std::ostream &out, const ProfileValue &graph, const OptionFlags &options)
{
    printProfiles(out, &graph, nullptr, options, tw_profile_print_graph_summary, "printGraphSummary");
}
void printExecutionSummary(std::ostream &out, const ProfileValue &graph, const ProfileValue &execution,
                           const OptionFlags &options)
{
    printProfiles(out, &graph, &execution, options, tw_profile_print_execution_summary, "printExecutionSummary");
}
void printGraphSummary(std::ostream &out, const std::string &path, const OptionFlags &options)
{
    tw_profile *profile = nullptr;
    core::check(tw_status_of(profile = tw_profile_load_file(path.c_str())), "printGraphSummary");
    std::shared_ptr<tw_profile> owner(profile, tw_profile_free);
    core::printProfile(profile, out, options, tw_profile_print_graph_summary, "printGraphSummary");
}

} // namespace poplar
