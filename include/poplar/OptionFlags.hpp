// SPDX-License-Identifier: MIT
/* Options by name: {{"key", "value"}, ...}, in the order of keys. */
#ifndef POPLAR_OPTION_FLAGS_HPP
#define POPLAR_OPTION_FLAGS_HPP

#include <initializer_list>
#include <istream>
#include <map>
#include <ostream>
#include <poplar/StringRef.hpp>
#include <string>
#include <utility>

namespace poplar {

class ProfileValue;

class OptionFlags {
  public:
    using OptionFlag = std::pair<const std::string, std::string>;
    using initializer_list = std::initializer_list<OptionFlag>;
    using iterator = std::map<std::string, std::string>::const_iterator;
    using const_iterator = iterator;

    OptionFlags() = default;
    OptionFlags(initializer_list &&list) { set(std::move(list)); }

    /* Later values replace earlier ones. */
    void set(initializer_list &&list)
    {
        for (const OptionFlag &f : list) flags[f.first] = f.second;
    }
    void set(StringRef key, StringRef value) { flags[key.cloneAsString()] = value.cloneAsString(); }
    StringRef at(StringRef key) const { return flags.at(key.cloneAsString()); } /* std::out_of_range */
    iterator find(StringRef key) const { return flags.find(key.cloneAsString()); }
    iterator begin() const { return flags.begin(); }
    iterator end() const { return flags.end(); }
    std::size_t size() const { return flags.size(); }
    bool empty() const { return flags.empty(); }
    void clear() { flags.clear(); }

  private:
    friend bool operator==(const OptionFlags &a, const OptionFlags &b) { return a.flags == b.flags; }
    friend bool operator!=(const OptionFlags &a, const OptionFlags &b) { return a.flags != b.flags; }
    friend bool operator<(const OptionFlags &a, const OptionFlags &b) { return a.flags < b.flags; }
    std::map<std::string, std::string> flags;
};

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags); /* a JSON object */
/* Adds the members of a JSON object; strings, numbers and booleans are taken as text. parse_error. */
void readJSON(StringRef text, OptionFlags &flags);
void readJSON(std::istream &in, OptionFlags &flags);
void readJSONFromEnv(StringRef variable, OptionFlags &flags); /* no change when the variable is not set */
ProfileValue getAsProfileValue(const OptionFlags &flags);

} // namespace poplar
#endif
