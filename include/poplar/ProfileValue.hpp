// SPDX-License-Identifier: MIT
/* A tree of values, as profiles and debug information have them. */
#ifndef POPLAR_PROFILE_VALUE_HPP
#define POPLAR_PROFILE_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <poplar/StringRef.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

class ProfileValue {
  public:
    using String = std::string;
    using Boolean = bool;
    using Number = double;
    using Vector = std::vector<ProfileValue>;
    using Map = std::map<std::string, ProfileValue>;
    enum class Type { NULL_VALUE, STRING, VECTOR, MAP, NUMBER, BOOLEAN };

    ProfileValue();
    ProfileValue(const char *s);
    ProfileValue(std::string s);
    ProfileValue(bool b);
    ProfileValue(Vector v);
    ProfileValue(Map m);
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type> ProfileValue(T v)
    {
        setNumber(v, std::is_floating_point<T>(), std::is_signed<T>());
    }
    ProfileValue(const ProfileValue &other);
    ProfileValue(ProfileValue &&other) noexcept;
    ProfileValue &operator=(ProfileValue other) noexcept;
    ~ProfileValue();

    Type type() const;
    /* std::logic_error when the value is of another kind. */
    const std::string &asString() const;
    bool asBool() const;
    std::int64_t asInt() const;
    std::uint64_t asUint() const;
    double asDouble() const;
    const Vector &asVector() const;
    const Map &asMap() const;
    const ProfileValue &operator[](StringRef key) const;     /* std::out_of_range */
    const ProfileValue &operator[](std::size_t index) const; /* std::out_of_range */
    const ProfileValue &operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
    const ProfileValue &operator[](const char *key) const { return (*this)[StringRef(key)]; }
    const ProfileValue *getOrNull(StringRef key) const;
    std::size_t size() const; /* of a vector or a map */
    std::int64_t sumInt() const;
    std::uint64_t sumUint() const;
    double sumDouble() const;
    bool operator==(const ProfileValue &other) const;
    bool operator!=(const ProfileValue &other) const { return !(*this == other); }

  private:
    struct Number_ {
        double real;
        std::int64_t integer;
        bool isReal, isUnsigned;
    };
    void setNumber(double v, std::true_type, std::true_type);
    void setNumber(std::int64_t v, std::false_type, std::true_type);
    void setNumber(std::uint64_t v, std::false_type, std::false_type);
    Type kind;
    union {
        bool boolean;
        Number_ number;
        std::string *string;
        Vector *vector;
        Map *map;
    };
    friend void serializeToJSON(std::ostream &out, const ProfileValue &value, bool pretty);
};

void serializeToJSON(std::ostream &out, const ProfileValue &value, bool pretty = false);
void serializeToCBOR(std::ostream &out, const ProfileValue &value);
inline std::ostream &operator<<(std::ostream &out, const ProfileValue &value)
{
    serializeToJSON(out, value);
    return out;
}

} // namespace poplar
#endif
