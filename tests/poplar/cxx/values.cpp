// SPDX-License-Identifier: MIT
/* Small values of <poplar/...>: references, intervals, types, options, names, trees of values. */
#include "expect.hpp"

#include <map>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>

using namespace poplar;

static std::size_t sum(ArrayRef<std::size_t> a)
{
    std::size_t s = 0;
    for (std::size_t v : a) s += v;
    return s;
}

static void references()
{
    std::size_t n = 3;
    EXPECT(sum({}) == 0 && sum({ n, 4 }) == 7 && sum(std::vector<std::size_t>{ 1, 2 }) == 3);
    std::array<std::size_t, 2> fixed = { { 5, 6 } };
    EXPECT(sum(fixed) == 11);
    StringRef s = "text";
    std::map<std::string, int> m = { { "text", 1 } };
    EXPECT(m.find(s) != m.end() && std::string("a ") + s == "a text" && "b " + s == "b text" && s == "text");
    std::string out;
    out = s;
    EXPECT(out == "text" && s < StringRef("texu"));
}

static void intervals()
{
    EXPECT(Interval().size() == 0 && Interval(2, 5).size() == 3 && Interval(1, 2) < Interval(1, 3));
    std::ostringstream out;
    out << Interval(1, 4);
    EXPECT(out.str() == "[1,4)");
    std::vector<Interval> v;
    v.emplace_back(1, 2);
    std::vector<Interval> w = { { 0, 4 } };
    EXPECT(v[0] != w[0] && w[0].lower() == 0 && w[0].upper() == 4);
}

/* Made while other libraries are initialised. */
static const std::map<std::string, Type> table{ { "half", HALF }, { "float", FLOAT } };

static void types()
{
    const char *names[] = { "bool",  "char",           "signed char", "unsigned char",
                            "short", "unsigned short", "int",         "unsigned int",
                            "long",  "unsigned long",  "long long",   "unsigned long long",
                            "half",  "float",          "double" };
    Type all[] = { BOOL, CHAR,          SIGNED_CHAR, UNSIGNED_CHAR,     SHORT, UNSIGNED_SHORT, INT,   UNSIGNED_INT,
                   LONG, UNSIGNED_LONG, LONGLONG,    UNSIGNED_LONGLONG, HALF,  FLOAT,          DOUBLE };
    std::set<Type> distinct;
    for (int i = 0; i < 15; i++) {
        EXPECT(all[i].toString() == names[i]);
        distinct.insert(all[i]);
    }
    EXPECT(distinct.size() == 15 && table.at("half") == HALF && table.at("float") != HALF);
    EXPECT(SIGNED == INT && UNSIGNED == UNSIGNED_INT && Type() != BOOL);
    EXPECT(equivalent_device_type<unsigned>().value == UNSIGNED_INT &&
           equivalent_device_type<float>().value == FLOAT);
    TypeTraits t = TypeTraits::make<short>();
    EXPECT(t.size == 2 && t.isSigned && !t.isFloat && TypeTraits::isSimpleType<double>() &&
           !TypeTraits::isSimpleType<std::string>());
    EXPECT(static_cast<float>(IeeeHalf(2049.0f)) == 2048.0f); /* ties to even */
}

static void options()
{
    OptionFlags o{ { "b", "2" }, { "a", "1" } };
    o.set("c", std::string("3"));
    o.set({ { "a", "4" } });
    std::string text;
    for (const auto &f : o) text += f.first + f.second;
    EXPECT(text == "a4b2c3" && o.at("b") == "2");
    EXPECT_THROWS(std::out_of_range, o.at("z"));
    readJSON("{\"n\": 3, \"t\": true, \"s\": \"x\"}", o);
    EXPECT(o.at("n") == "3" && o.at("t") == "true" && o.at("s") == "x");
    EXPECT_THROWS(parse_error, readJSON("[1]", o));
    EXPECT_THROWS(parse_error, readJSON("{\"a\": []}", o));
    std::ostringstream out;
    out << OptionFlags{ { "k", "v\"" } };
    EXPECT(out.str() == "{\"k\":\"v\\\"\"}");
}

static std::string path(const DebugContext &dc)
{
    return dc.getPathName();
}

static void names()
{
    EXPECT(path({}) == "" && path("a") == "a" && path(std::string("a") + "b") == "ab");
    DebugInfo di({ "outer" }, "layer");
    EXPECT(path({ di }) == "outer" && path({ di, "in" }) == "outer/in");
    const DebugNameAndId dnai = { di, "mid" };
    EXPECT(path({ dnai }) == "outer/mid" && path({ dnai, "x" }) == "outer/mid/x");
    EXPECT(path({ DebugContext("p"), "q" }) == "p/q");
}

static void trees()
{
    ProfileValue::Map m;
    m.insert({ "n", 3 });
    m.insert({ "list", ProfileValue::Vector{ 1, 2u, 2.5, true, "s" } });
    ProfileValue v = m;
    EXPECT(v["n"].asInt() == 3 && v["list"].size() == 5 && v["list"][2].asDouble() == 2.5);
    EXPECT(v.getOrNull("none") == nullptr);
    EXPECT_THROWS(std::logic_error, v.asString());
    std::ostringstream json, cbor;
    json << v;
    EXPECT(json.str() == "{\"list\":[1,2,2.5,true,\"s\"],\"n\":3}");
    serializeToCBOR(cbor, ProfileValue::Vector{ 24, -1, "a" });
    EXPECT(cbor.str() == "\x83\x18\x18\x20\x61"
                         "a");
    ProfileValue copy = v;
    EXPECT(copy == v && copy != ProfileValue(3));
}

int main()
{
    references();
    intervals();
    types();
    options();
    names();
    trees();
    return failures;
}
