// SPDX-License-Identifier: MIT
/* Options of libraries: text to values, and what is said of those that are none. */
#ifndef POPUTIL_OPTION_PARSING_HPP
#define POPUTIL_OPTION_PARSING_HPP

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplibs {
namespace parse {

/* The whole text is a number (0x... is one); else invalid_option. */
template <class T> T asInteger(const poplar::StringRef &text)
{
    const std::string s = text;
    std::size_t used = 0;
    bool negative = !s.empty() && s[0] == '-';
    try {
        if (negative && std::is_signed<T>::value) {
            long long v = std::stoll(s, &used, 0);
            if (used == s.size() && v >= static_cast<long long>(std::numeric_limits<T>::min()))
                return static_cast<T>(v);
        } else if (!negative) {
            unsigned long long v = std::stoull(s, &used, 0);
            if (used == s.size() && v <= static_cast<unsigned long long>(std::numeric_limits<T>::max()))
                return static_cast<T>(v);
        }
    } catch (const std::logic_error &) {
        used = 0; /* refused below */
    }
    throw poplar::invalid_option("'" + s + "' is not an integer in range");
}
template <class T> T asFloatingPoint(const poplar::StringRef &text)
{
    const std::string s = text;
    std::size_t used = 0;
    try {
        T v = static_cast<T>(std::stod(s, &used));
        if (used == s.size()) return v;
    } catch (const std::logic_error &) {
        used = 0; /* refused below */
    }
    throw poplar::invalid_option("'" + s + "' is not a number");
}
template <class T> T asEnum(const poplar::StringRef &text, const std::map<std::string, T> &values)
{
    const auto found = values.find(text);
    if (found != values.end()) return found->second;
    std::string names;
    for (const auto &v : values) names += (names.empty() ? "" : ", ") + v.first;
    throw poplar::invalid_option("'" + text.cloneAsString() + "' is not one of " + names);
}
inline bool asBool(const poplar::StringRef &text)
{
    return asEnum<bool>(text, { { "true", true }, { "false", false } });
}

} // namespace parse

class OptionHandler {
  public:
    template <class F> OptionHandler(F f) : handle(std::move(f)) {}
    void parseValue(poplar::StringRef value) const { handle(value); }

    template <class T> static OptionHandler createWithEnum(T &out, std::map<std::string, T> values)
    {
        return OptionHandler([&out, values](poplar::StringRef text) { out = parse::asEnum(text, values); });
    }
    template <class T> static OptionHandler createWithInteger(T &out)
    {
        return OptionHandler([&out](poplar::StringRef text) { out = parse::asInteger<T>(text); });
    }
    template <class T> static OptionHandler createWithBool(T &out)
    {
        return createWithEnum(out, std::map<std::string, T>{ { "true", true }, { "false", false } });
    }
    /* Of floating point where these are; the default takes all. */
    template <class T>
    static OptionHandler
    createWithDouble(T &out, double low = -std::numeric_limits<double>::infinity(), bool withLow = true,
                     double high = std::numeric_limits<double>::infinity(), bool withHigh = true)
    {
        return OptionHandler([&out, low, withLow, high, withHigh](poplar::StringRef text) {
            const double value = parse::asFloatingPoint<double>(text);
            ensureValueIsWithinBounds(value, low, withLow, high, withHigh);
            out = static_cast<T>(value);
        });
    }
    /* invalid_option where it is not from low to high, each with or without. */
    template <class T>
    static void ensureValueIsWithinBounds(T value, const T &low, bool withLow, const T &high, bool withHigh)
    {
        if (value < low || (!withLow && value == low))
            throw poplar::invalid_option(std::to_string(value) + " is not greater than " +
                                         (withLow ? "or equal to " : "") + std::to_string(low));
        if (value > high || (!withHigh && value == high))
            throw poplar::invalid_option(std::to_string(value) + " is not less than " +
                                         (withHigh ? "or equal to " : "") + std::to_string(high));
    }
    static OptionHandler createWithString(std::string &out)
    {
        return OptionHandler([&out](poplar::StringRef text) { out = text; });
    }
    /* Elements with commas between them. */
    template <class T> static OptionHandler createWithList(std::vector<T> &out)
    {
        return OptionHandler([&out](poplar::StringRef text) {
            std::vector<T> list;
            std::istringstream in(text.cloneAsString());
            for (std::string item; std::getline(in, item, ',');) list.push_back(element(item, static_cast<T *>(0)));
            out = list;
        });
    }

  private:
    template <class T> static T element(const std::string &s, T *) { return parse::asInteger<T>(s); }
    static std::string element(const std::string &s, std::string *) { return s; }
    static double element(const std::string &s, double *) { return parse::asFloatingPoint<double>(s); }
    static float element(const std::string &s, float *) { return parse::asFloatingPoint<float>(s); }
    std::function<void(poplar::StringRef)> handle;
};

/* Values that may be absent (std::optional, of later versions): in bounds, or of a map whose "none" is no value. */
template <class Optional>
OptionHandler createOptionalDoubleHandler(Optional &out, double low = std::numeric_limits<double>::min(),
                                          bool withLow = true, double high = std::numeric_limits<double>::max(),
                                          bool withHigh = true)
{
    return OptionHandler([&out, low, withLow, high, withHigh](poplar::StringRef text) {
        const double value = parse::asFloatingPoint<double>(text);
        OptionHandler::ensureValueIsWithinBounds(value, low, withLow, high, withHigh);
        out = static_cast<typename Optional::value_type>(value);
    });
}
template <class Optional>
OptionHandler createOptionalEnumHandler(Optional &out, std::map<std::string, typename Optional::value_type> values)
{
    return OptionHandler([&out, values](poplar::StringRef text) {
        if (text == "none")
            out = Optional();
        else
            out = parse::asEnum(text, values);
    });
}

class OptionSpec {
  public:
    OptionSpec(std::initializer_list<std::pair<const std::string, OptionHandler>> list) : handlers(list) {}
    void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const
    {
        auto found = handlers.find(option);
        if (found == handlers.end()) {
            if (ignoreUnknown) return;
            throw poplar::invalid_option("Unrecognised option '" + option.cloneAsString() + "' with value '" +
                                         value.cloneAsString() + "'");
        }
        try {
            found->second.parseValue(value);
        } catch (const poplar::invalid_option &e) {
            throw poplar::invalid_option("Option '" + option.cloneAsString() + "': " + e.what());
        }
    }

  private:
    std::map<std::string, OptionHandler> handlers;
};

} // namespace poplibs
#endif
