// SPDX-License-Identifier: MIT
/* Options as JSON. */
#include "core.hpp"

#include <cstdlib>
#include <jansson.h>
#include <poplar/ProfileValue.hpp>
#include <sstream>

namespace poplar {

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags)
{
    return out << getAsProfileValue(flags);
}

ProfileValue getAsProfileValue(const OptionFlags &flags)
{
    ProfileValue::Map map;
    for (const auto &f : flags) map.insert({ f.first, ProfileValue(f.second) });
    return map;
}

static std::string textOf(json_t *value, const char *key)
{
    if (json_is_string(value)) return std::string(json_string_value(value), json_string_length(value));
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (json_is_number(value)) {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        std::string s = text ? text : "";
        std::free(text);
        return s;
    }
    throw parse_error(std::string("readJSON: the value of '") + key + "' is no string, number or boolean");
}

void readJSON(StringRef text, OptionFlags &flags)
{
    json_error_t error;
    json_t *root = json_loadb(text.data(), text.size(), 0, &error);
    if (!json_is_object(root)) {
        json_decref(root);
        std::string what = std::string("expected a JSON object") + (error.text[0] ? ": " : "") + error.text;
        if (error.line > 0) /* else it is JSON, but no object */
            what = "line " + std::to_string(error.line) + ", column " + std::to_string(error.column) + ": " + what;
        throw parse_error("readJSON: " + what);
    }
    OptionFlags read = flags; /* all or nothing */
    const char *key;
    json_t *value;
    try {
        json_object_foreach(root, key, value) read.set(key, textOf(value, key));
    } catch (...) {
        json_decref(root);
        throw;
    }
    json_decref(root);
    flags = read;
}

void readJSON(std::istream &in, OptionFlags &flags)
{
    std::ostringstream text;
    text << in.rdbuf();
    readJSON(text.str(), flags);
}

void readJSONFromEnv(StringRef variable, OptionFlags &flags)
{
    const std::string name = variable;
    const char *text = std::getenv(name.c_str());
    if (!text) return;
    try {
        readJSON(text, flags);
    } catch (const parse_error &e) {
        throw parse_error(name + ": " + e.what());
    }
}

} // namespace poplar
