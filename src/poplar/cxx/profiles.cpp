/* Profiles as trees of values: the JSON of the profile, read. */
#include "core.hpp"

#include <cstdlib>
#include <jansson.h>

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

static ProfileValue read(tw_engine *e, char *(*write)(const tw_profile *, bool), const char *call)
{
    const tw_profile *profile = tw_engine_profile(e);
    if (!profile) core::raise(TW_E_PROFILING_DISABLED, call, tw_error_message());
    char *text = write(profile, false);
    json_error_t error;
    json_t *root = text ? json_loads(text, 0, &error) : nullptr;
    std::free(text);
    if (!root) core::raise(TW_E_NO_MEMORY, call, "no memory for the profile");
    ProfileValue v = valueOf(root);
    json_decref(root);
    return v;
}

ProfileValue Engine::getGraphProfile()
{
    return read(get().engine, tw_profile_graph_json, "Engine::getGraphProfile");
}
ProfileValue Engine::getExecutionProfile()
{
    return read(get().engine, tw_profile_execution_json, "Engine::getExecutionProfile");
}
ProfileValue Engine::getProfile()
{
    ProfileValue::Map both;
    both.emplace("graphProfile", getGraphProfile());
    both.emplace("executionProfile", getExecutionProfile());
    return both;
}

} // namespace poplar
