// SPDX-License-Identifier: MIT
/* Trees of values: construction, reading, JSON and CBOR (RFC 8949). */
#include <poplar/ProfileValue.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace poplar {

ProfileValue::ProfileValue() : kind(Type::NULL_VALUE), string(nullptr) {}
ProfileValue::ProfileValue(const char *s) : kind(Type::STRING), string(new std::string(s)) {}
ProfileValue::ProfileValue(std::string s) : kind(Type::STRING), string(new std::string(std::move(s))) {}
ProfileValue::ProfileValue(bool b) : kind(Type::BOOLEAN), boolean(b) {}
ProfileValue::ProfileValue(Vector v) : kind(Type::VECTOR), vector(new Vector(std::move(v))) {}
ProfileValue::ProfileValue(Map m) : kind(Type::MAP), map(new Map(std::move(m))) {}

ProfileValue::ProfileValue(const ProfileValue &o) : kind(o.kind), number()
{
    switch (kind) {
    case Type::STRING: string = new std::string(*o.string); break;
    case Type::VECTOR: vector = new Vector(*o.vector); break;
    case Type::MAP: map = new Map(*o.map); break;
    case Type::BOOLEAN: boolean = o.boolean; break;
    case Type::NUMBER: number = o.number; break;
    case Type::NULL_VALUE: break;
    }
}

/* `number` is the widest member: with it goes whatever the value holds. */
ProfileValue::ProfileValue(ProfileValue &&o) noexcept : kind(o.kind), number(o.number)
{
    o.kind = Type::NULL_VALUE;
}

ProfileValue &ProfileValue::operator=(ProfileValue o) noexcept
{
    std::swap(kind, o.kind);
    std::swap(number, o.number);
    return *this;
}

ProfileValue::~ProfileValue()
{
    if (kind == Type::STRING) delete string;
    if (kind == Type::VECTOR) delete vector;
    if (kind == Type::MAP) delete map;
}

void ProfileValue::setNumber(double v, std::true_type, std::true_type)
{
    kind = Type::NUMBER;
    number = { v, static_cast<std::int64_t>(std::isfinite(v) && std::fabs(v) < 9e18 ? v : 0), true, false };
}
void ProfileValue::setNumber(std::int64_t v, std::false_type, std::true_type)
{
    kind = Type::NUMBER;
    number = { static_cast<double>(v), v, false, false };
}
void ProfileValue::setNumber(std::uint64_t v, std::false_type, std::false_type)
{
    kind = Type::NUMBER;
    number = { static_cast<double>(v), static_cast<std::int64_t>(v), false, true };
}

ProfileValue::Type ProfileValue::type() const
{
    return kind;
}

static void expect(bool right, const char *what)
{
    if (!right) throw std::logic_error(std::string("ProfileValue: the value is no ") + what);
}

const std::string &ProfileValue::asString() const
{
    expect(kind == Type::STRING, "string");
    return *string;
}
bool ProfileValue::asBool() const
{
    expect(kind == Type::BOOLEAN, "boolean");
    return boolean;
}
std::int64_t ProfileValue::asInt() const
{
    expect(kind == Type::NUMBER, "number");
    return number.integer;
}
std::uint64_t ProfileValue::asUint() const
{
    expect(kind == Type::NUMBER, "number");
    return static_cast<std::uint64_t>(number.integer);
}
double ProfileValue::asDouble() const
{
    expect(kind == Type::NUMBER, "number");
    return number.real;
}
const ProfileValue::Vector &ProfileValue::asVector() const
{
    expect(kind == Type::VECTOR, "vector");
    return *vector;
}
const ProfileValue::Map &ProfileValue::asMap() const
{
    expect(kind == Type::MAP, "map");
    return *map;
}
const ProfileValue &ProfileValue::operator[](StringRef key) const
{
    return asMap().at(key.cloneAsString());
}
const ProfileValue &ProfileValue::operator[](std::size_t i) const
{
    return asVector().at(i);
}
const ProfileValue *ProfileValue::getOrNull(StringRef key) const
{
    if (kind != Type::MAP) return nullptr;
    auto found = map->find(key.cloneAsString());
    return found == map->end() ? nullptr : &found->second;
}
std::size_t ProfileValue::size() const
{
    return kind == Type::VECTOR ? vector->size() : kind == Type::MAP ? map->size() : 0;
}

/* Sums over the elements of a vector or the members of a map. */
template <class T, class Get> static T sum(const ProfileValue &v, Get get)
{
    T total = 0;
    if (v.type() == ProfileValue::Type::MAP)
        for (const auto &m : v.asMap()) total += get(m.second);
    else
        for (const ProfileValue &e : v.asVector()) total += get(e);
    return total;
}
std::int64_t ProfileValue::sumInt() const
{
    return sum<std::int64_t>(*this, [](const ProfileValue &v) { return v.asInt(); });
}
std::uint64_t ProfileValue::sumUint() const
{
    return sum<std::uint64_t>(*this, [](const ProfileValue &v) { return v.asUint(); });
}
double ProfileValue::sumDouble() const
{
    return sum<double>(*this, [](const ProfileValue &v) { return v.asDouble(); });
}

bool ProfileValue::operator==(const ProfileValue &o) const
{
    if (kind != o.kind) return false;
    switch (kind) {
    case Type::STRING: return *string == *o.string;
    case Type::VECTOR: return *vector == *o.vector;
    case Type::MAP: return *map == *o.map;
    case Type::BOOLEAN: return boolean == o.boolean;
    case Type::NUMBER:
        return number.isReal || o.number.isReal ? number.real == o.number.real : number.integer == o.number.integer;
    case Type::NULL_VALUE: break;
    }
    return true;
}

/* --- JSON --- */

static void writeText(std::ostream &out, const std::string &s)
{
    out << '"';
    for (unsigned char c : s) {
        char escaped[8];
        if (c == '"' || c == '\\')
            out << '\\' << c;
        else if (c < 0x20)
            out << (std::snprintf(escaped, sizeof escaped, "\\u%04x", c), escaped);
        else
            out << c;
    }
    out << '"';
}

static void newLine(std::ostream &out, bool pretty, unsigned depth)
{
    if (pretty) out << '\n' << std::string(2 * depth, ' ');
}

static void write(std::ostream &out, const ProfileValue &v, bool pretty, unsigned depth)
{
    bool first = true;
    auto separate = [&] {
        if (!first) out << ',';
        first = false;
        newLine(out, pretty, depth + 1);
    };
    switch (v.type()) {
    case ProfileValue::Type::STRING: writeText(out, v.asString()); break;
    case ProfileValue::Type::BOOLEAN: out << (v.asBool() ? "true" : "false"); break;
    case ProfileValue::Type::NULL_VALUE: out << "null"; break;
    case ProfileValue::Type::NUMBER: serializeToJSON(out, v, pretty); break;
    case ProfileValue::Type::VECTOR:
        out << '[';
        for (const ProfileValue &e : v.asVector()) separate(), write(out, e, pretty, depth + 1);
        if (!first) newLine(out, pretty, depth);
        out << ']';
        break;
    case ProfileValue::Type::MAP:
        out << '{';
        for (const auto &m : v.asMap()) {
            separate(), writeText(out, m.first);
            out << (pretty ? ": " : ":");
            write(out, m.second, pretty, depth + 1);
        }
        if (!first) newLine(out, pretty, depth);
        out << '}';
        break;
    }
}

void serializeToJSON(std::ostream &out, const ProfileValue &v, bool pretty)
{
    if (v.kind != ProfileValue::Type::NUMBER) return write(out, v, pretty, 0);
    char text[40];
    if (!v.number.isReal)
        std::snprintf(text, sizeof text, v.number.isUnsigned ? "%llu" : "%lld", (long long)v.number.integer);
    else if (std::isfinite(v.number.real))
        std::snprintf(text, sizeof text, "%.17g", v.number.real);
    else
        std::snprintf(text, sizeof text, "null"); /* JSON has no word for it */
    out << text;
}

/* --- CBOR --- */

static void head(std::ostream &out, unsigned major, std::uint64_t value)
{
    unsigned extra = value < 24 ? 0 : value <= 0xff ? 1 : value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8;
    unsigned low = extra == 0   ? static_cast<unsigned>(value)
                   : extra == 1 ? 24
                   : extra == 2 ? 25
                   : extra == 4 ? 26
                                : 27;
    out.put(static_cast<char>(major << 5 | low));
    for (unsigned i = extra; i-- > 0;) out.put(static_cast<char>(value >> (8 * i)));
}

void serializeToCBOR(std::ostream &out, const ProfileValue &v)
{
    switch (v.type()) {
    case ProfileValue::Type::NULL_VALUE: out.put('\xf6'); break;
    case ProfileValue::Type::BOOLEAN: out.put(v.asBool() ? '\xf5' : '\xf4'); break;
    case ProfileValue::Type::STRING:
        head(out, 3, v.asString().size());
        out << v.asString();
        break;
    case ProfileValue::Type::VECTOR:
        head(out, 4, v.size());
        for (const ProfileValue &e : v.asVector()) serializeToCBOR(out, e);
        break;
    case ProfileValue::Type::MAP:
        head(out, 5, v.size());
        for (const auto &m : v.asMap()) {
            head(out, 3, m.first.size());
            out << m.first;
            serializeToCBOR(out, m.second);
        }
        break;
    case ProfileValue::Type::NUMBER: {
        double real = v.asDouble();
        std::int64_t integer = v.asInt();
        if (ProfileValue(integer) == v && integer >= 0) {
            head(out, 0, v.asUint());
        } else if (ProfileValue(integer) == v) {
            head(out, 1, static_cast<std::uint64_t>(-(integer + 1)));
        } else {
            std::uint64_t bits;
            std::memcpy(&bits, &real, sizeof bits);
            out.put('\xfb');
            for (unsigned i = 8; i-- > 0;) out.put(static_cast<char>(bits >> (8 * i)));
        }
    }
    }
}

} // namespace poplar
