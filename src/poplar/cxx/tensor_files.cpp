// SPDX-License-Identifier: MIT
/* Graph::serializeTensors: views of tensors as text, with type, size and mapping of the variables they show. One form
 * for both formats: JSON, {"tilewright_tensors": 1, "variables": [...], "tensors": [...]}. Values are not written. */
#include "core.hpp"

#include <iterator>
#include <jansson.h>
#include <map>
#include <memory>

namespace poplar {

namespace {

struct Free {
    void operator()(json_t *j) const { json_decref(j); }
};
typedef std::unique_ptr<json_t, Free> Json;
const Type *const types[] = { &BOOL,           &CHAR, &SIGNED_CHAR,  &UNSIGNED_CHAR, &SHORT,
                              &UNSIGNED_SHORT, &INT,  &UNSIGNED_INT, &HALF,          &FLOAT };

json_t *intervals(const std::vector<std::vector<Interval>> &mapping)
{
    json_t *list = json_array();
    for (std::size_t tile = 0; tile < mapping.size(); tile++)
        for (const Interval &i : mapping[tile])
            json_array_append_new(list,
                                  json_pack("[I, I, I]", static_cast<json_int_t>(tile),
                                            static_cast<json_int_t>(i.begin()), static_cast<json_int_t>(i.end())));
    return list;
}

[[noreturn]] void damaged(const char *what)
{
    core::raise(TW_E_FILE_LOAD, "Graph::deserializeTensors", std::string("no file of tensors: ") + what);
}

/* Three whole numbers that are not negative, with begin <= end <= limit behind the first. */
struct Triple {
    std::size_t first, begin, end;
    Triple(const json_t *j, std::size_t limit)
    {
        json_int_t n[3];
        if (!json_is_array(j) || json_array_size(j) != 3) damaged("an interval has not three numbers");
        for (int i = 0; i < 3; i++) {
            const json_t *item = json_array_get(j, static_cast<std::size_t>(i));
            if (!json_is_integer(item) || (n[i] = json_integer_value(item)) < 0)
                damaged("an interval is no interval");
        }
        first = static_cast<std::size_t>(n[0]), begin = static_cast<std::size_t>(n[1]);
        end = static_cast<std::size_t>(n[2]);
        if (begin > end || end > limit) damaged("an interval lies outside of its variable");
    }
};

Tensor readVariable(Graph &g, const json_t *j)
{
    const char *name = json_string_value(json_object_get(j, "type"));
    const json_t *elements = json_object_get(j, "elements"), *mapping = json_object_get(j, "mapping");
    const Type *type = nullptr;
    for (const Type *t : types)
        if (name && t->toString() == name) type = t;
    if (!type || !json_is_integer(elements) || json_integer_value(elements) < 0)
        damaged("a variable of no known type or size");
    const std::size_t count = static_cast<std::size_t>(json_integer_value(elements));
    Tensor v = g.addVariable(*type, { count });
    for (std::size_t i = 0; i < json_array_size(mapping); i++) {
        const Triple t(json_array_get(mapping, i), count);
        g.setTileMapping(v.slice(t.begin, t.end), static_cast<unsigned>(t.first));
    }
    return v;
}

Tensor readTensor(const std::vector<Tensor> &variables, const json_t *j)
{
    const json_t *regions = json_object_get(j, "regions"), *dims = json_object_get(j, "shape");
    std::vector<std::size_t> shape;
    for (std::size_t i = 0; i < json_array_size(dims); i++) {
        const json_int_t n = json_integer_value(json_array_get(dims, i));
        if (n < 0) damaged("a negative size");
        shape.push_back(static_cast<std::size_t>(n));
    }
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < json_array_size(regions); i++) {
        const json_t *region = json_array_get(regions, i);
        const json_int_t id = json_integer_value(json_array_get(region, 0));
        if (id < 0 || static_cast<std::size_t>(id) >= variables.size()) damaged("a region of no variable");
        const Tensor &v = variables[static_cast<std::size_t>(id)];
        const Triple t(region, v.numElements());
        parts.push_back(v.slice(t.begin, t.end));
    }
    if (parts.empty()) damaged("a tensor without elements");
    return concat(parts).reshape(shape);
}

} // namespace

void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors, SerializationFormat) const
{
    Json all(json_object()), variables(json_array()), views(json_array());
    std::map<unsigned, json_int_t> numbers;
    for (const Tensor &t : tensors) {
        Json regions(json_array()), shape(json_array());
        for (std::size_t n : t.shape())
            json_array_append_new(shape.get(), json_integer(static_cast<json_int_t>(n)));
        for (const VariableInterval &v : t.getVarRegions()) {
            auto known = numbers.insert({ v.var.id, static_cast<json_int_t>(numbers.size()) });
            if (known.second) {
                const Tensor whole = getVariable(v.var);
                json_array_append_new(variables.get(),
                                      json_pack("{s:s, s:I, s:o}", "type", whole.elementType().toString().c_str(),
                                                "elements", static_cast<json_int_t>(whole.numElements()), "mapping",
                                                intervals(getTileMapping(whole, false))));
            }
            json_array_append_new(regions.get(), json_pack("[I, I, I]", known.first->second,
                                                           static_cast<json_int_t>(v.interval.begin()),
                                                           static_cast<json_int_t>(v.interval.end())));
        }
        json_array_append_new(views.get(), json_pack("{s:O, s:O}", "shape", shape.get(), "regions", regions.get()));
    }
    json_object_set_new(all.get(), "tilewright_tensors", json_integer(1));
    json_object_set(all.get(), "variables", variables.get());
    json_object_set(all.get(), "tensors", views.get());
    std::unique_ptr<char, decltype(&free)> text(json_dumps(all.get(), JSON_COMPACT), free);
    if (!text) core::raise(TW_E_NO_MEMORY, "Graph::serializeTensors", "no memory for the text");
    out << text.get();
    if (!out) core::raise(TW_E_IO, "Graph::serializeTensors", "the tensors could not be written");
}

std::vector<Tensor> Graph::deserializeTensors(std::istream &in, SerializationFormat)
{
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    json_error_t error;
    Json all(json_loadb(text.data(), text.size(), JSON_REJECT_DUPLICATES, &error));
    if (!all) damaged(error.text);
    if (json_integer_value(json_object_get(all.get(), "tilewright_tensors")) != 1)
        damaged("another kind or version");
    std::vector<Tensor> variables, tensors;
    const json_t *list = json_object_get(all.get(), "variables");
    for (std::size_t i = 0; i < json_array_size(list); i++)
        variables.push_back(readVariable(*this, json_array_get(list, i)));
    list = json_object_get(all.get(), "tensors");
    for (std::size_t i = 0; i < json_array_size(list); i++)
        tensors.push_back(readTensor(variables, json_array_get(list, i)));
    return tensors;
}

} // namespace poplar
