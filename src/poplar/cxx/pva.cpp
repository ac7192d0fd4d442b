// SPDX-License-Identifier: MIT
/* pva: reports read from the JSON of a profile. The tree is shared by all values made of it, and never changes. */
#define TW_NO_CALL_SITES
#include <tilewright/poplar.h>

#include <algorithm>
#include <cstdlib>
#include <jansson.h>
#include <pva/pva.hpp>
#include <stdexcept>
#include <unistd.h>
#include <unordered_map>

namespace pva {

namespace detail {
struct Data {
    json_t *graph = nullptr, *execution = nullptr;
    std::unordered_map<std::uint64_t, std::size_t> liveSteps; /* of a program, among the steps of liveness */
    ~Data()
    {
        json_decref(graph);
        json_decref(execution);
    }
    json_t *any() const { return graph ? graph : execution; }
};
} // namespace detail

using detail::Data;
using detail::DataPtr;

/* --- the tree ------------------------------------------------------------------------------------------------- */

static std::uint64_t pva_number(const json_t *j)
{
    return json_is_integer(j) ? static_cast<std::uint64_t>(json_integer_value(j))
                              : static_cast<std::uint64_t>(json_number_value(j));
}
static std::string text(const json_t *j)
{
    return json_is_string(j) ? std::string(json_string_value(j), json_string_length(j)) : std::string();
}
static json_t *at(const json_t *j, const char *a, const char *b = nullptr, const char *c = nullptr)
{
    for (const char *key : { a, b, c })
        if (key) j = json_object_get(j, key);
    return const_cast<json_t *>(j);
}
/* Rows of tiles may be shorter than there are tiles. */
static std::uint64_t entry(const json_t *row, std::size_t tile)
{
    return pva_number(json_array_get(row, tile));
}
static std::vector<std::uint64_t> row(const json_t *j)
{
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < json_array_size(j); i++) all.push_back(entry(j, i));
    return all;
}

unsigned Version::part(unsigned index) const
{
    const char *p = text.c_str();
    for (; index && *p; p++)
        if (*p == '.') index--;
    return static_cast<unsigned>(std::strtoul(p, nullptr, 10));
}

/* --- compilation ---------------------------------------------------------------------------------------------- */

#define TARGET(type, name, key, read)                \
    type Target::name() const                        \
    {                                                \
        return read(at(data->any(), "target", key)); \
    }
TARGET(std::uint64_t, numTiles, "numTiles", pva_number)
TARGET(std::uint64_t, numIPUs, "numIPUs", pva_number)
TARGET(std::uint64_t, tilesPerIpu, "tilesPerIPU", pva_number)
TARGET(std::uint64_t, numReplicas, "numReplicas", pva_number)
TARGET(std::uint64_t, bytesPerTile, "bytesPerTile", pva_number)
TARGET(std::uint64_t, bytesPerIPU, "bytesPerIPU", pva_number)
TARGET(std::uint64_t, totalMemory, "totalMemory", pva_number)
TARGET(double, clockFrequency, "clockFrequency", json_number_value)
TARGET(std::string, architecture, "architecture", text)
#undef TARGET

#define GRAPH(name)                                         \
    std::uint64_t GraphSize::name() const                   \
    {                                                       \
        return pva_number(at(data->graph, "graph", #name)); \
    }
GRAPH(numVertices)
GRAPH(numEdges)
GRAPH(numVars)
GRAPH(numComputeSets)
#undef GRAPH

MemoryRegion MemoryCategory::region(const char *name) const
{
    const json_t *r = at(at(data->graph, "memory", "byCategory"), key, name);
    return MemoryRegion(entry(at(r, "nonOverlapped"), tile), entry(at(r, "overlapped"), tile));
}

std::uint64_t MemoryCategory::total() const
{
    std::uint64_t sum = 0;
    for (const MemoryRegion &r : { nonInterleaved(), interleaved(), overflowed() })
        sum += r.nonOverlapped() + r.overlapped();
    return sum;
}

std::string VertexType::name() const
{
    return text(json_array_get(at(data->any(), "vertexTypes", "names"), index));
}
std::uint64_t VertexType::size() const
{
    return entry(at(data->any(), "vertexTypes", "sizes"), index);
}

TotalMemory TileMemory::total() const
{
    const json_t *byTile = at(data->graph, "memory", "byTile");
    std::uint64_t used = entry(at(byTile, "total"), tile);
    const json_t *spanned = at(byTile, "totalIncludingGaps");
    return TotalMemory(used, spanned ? entry(spanned, tile) : used);
}

/* Types that have bytes of any kind, code excepted, on the tile. */
std::vector<VertexInstances> TileMemory::vertices() const
{
    static const char *const kinds[] = { "vertexDataBytes", "edgePtrBytes", "copyPtrBytes", "paddingBytes",
                                         "descriptorBytes" };
    std::vector<VertexInstances> list;
    const json_t *byType = at(data->graph, "memory", "byVertexType");
    for (std::size_t i = 0; i < json_array_size(at(data->graph, "vertexTypes", "names")); i++) {
        std::uint64_t bytes = 0;
        for (const char *kind : kinds) bytes += entry(json_array_get(at(byType, kind), i), tile);
        if (bytes) list.emplace_back(VertexType(data, i), 0, bytes);
    }
    return list;
}

std::string ComputeSet::name() const
{
    return text(json_array_get(at(data->graph, "computeSets", "names"), index));
}

std::vector<VertexInstances> ComputeSet::vertices() const
{
    std::vector<VertexInstances> list;
    const json_t *types = json_array_get(at(data->graph, "computeSets", "vertexTypes"), index);
    const json_t *counts = json_array_get(at(data->graph, "computeSets", "vertexCounts"), index);
    for (std::size_t i = 0; i < json_array_size(types); i++)
        list.emplace_back(VertexType(data, entry(types, i)), entry(counts, i), 0);
    return list;
}

std::vector<Tile> Compilation::tiles() const
{
    std::vector<Tile> list;
    for (std::uint64_t i = 0, n = data->graph ? target().numTiles() : 0; i < n; i++) list.emplace_back(data, i);
    return list;
}
std::vector<ComputeSet> Compilation::computeSets() const
{
    std::vector<ComputeSet> list;
    for (std::size_t i = 0; i < json_array_size(at(data->graph, "computeSets", "names")); i++)
        list.emplace_back(data, i);
    return list;
}

/* --- programs -------------------------------------------------------------------------------------------------- */

static json_t *programOf(const DataPtr &data, std::size_t index)
{
    return json_array_get(at(data->graph, "programs"), index);
}
static std::shared_ptr<Program> programAt(const DataPtr &data, std::size_t index)
{
    const json_t *p = programOf(data, index);
    if (!p) return nullptr;
    const std::string type = text(at(p, "type"));
    if (type == "OnTileExecute") return std::make_shared<OnTileExecuteProgram>(data, index);
    if (type == "DoExchange") return std::make_shared<DoExchangeProgram>(data, index);
    return std::make_shared<Program>(data, index);
}
static std::vector<Var> variables(const json_t *list, bool always)
{
    std::vector<Var> all;
    for (std::size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        all.emplace_back(text(at(v, "name")), pva_number(at(v, "bytes")), always);
    }
    return all;
}
static json_t *livenessSteps(const detail::Data *data)
{
    return at(data->graph, "memory", "liveness", "programs");
}

Program::~Program() = default;
ProgramVisitor::~ProgramVisitor() = default;

std::string Program::name() const
{
    return text(at(programOf(data, index), "name"));
}
static const std::pair<const char *, Program::Type> typeNames[] = {
    { "Sequence", Program::Type::Sequence },
    { "Repeat", Program::Type::Repeat },
    { "RepeatWhile", Program::Type::RepeatWhile },
    { "If", Program::Type::If },
    { "Switch", Program::Type::Switch },
    { "OnEveryTileSwitch", Program::Type::OnEveryTileSwitch },
    { "Call", Program::Type::Call },
    { "Function", Program::Type::Function },
    { "OnTileExecute", Program::Type::OnTileExecute },
    { "DoExchange", Program::Type::DoExchange },
    { "GlobalExchange", Program::Type::GlobalExchange },
    { "StreamCopy", Program::Type::StreamCopy },
    { "StreamCopyBegin", Program::Type::StreamCopyBegin },
    { "StreamCopyMid", Program::Type::StreamCopyMid },
    { "StreamCopyEnd", Program::Type::StreamCopyEnd },
    { "Sync", Program::Type::Sync },
    { "CopySharedStructure", Program::Type::CopySharedStructure },
    { "SetLocalConsensusFromVar", Program::Type::SetLocalConsensusFromVar },
    { "WriteUndef", Program::Type::WriteUndef },
    { "PrintTensor", Program::Type::PrintTensor },
    { "AssumeEqualAcrossReplicas", Program::Type::AssumeEqualAcrossReplicas },
    { "Abort", Program::Type::Abort },
    { "AbortOnCondition", Program::Type::AbortOnCondition },
};
static Program::Type typeNamed(const std::string &word)
{
    for (const auto &n : typeNames)
        if (word == n.first) return n.second;
    return Program::Type::Unknown;
}
std::string Program::typeName() const
{
    for (const auto &n : typeNames)
        if (phase == n.second) return n.first;
    return text(at(programOf(data, index), "type"));
}
Program::Type Program::type() const
{
    return typeNamed(typeName());
}
std::vector<std::shared_ptr<Program>> Program::children() const
{
    std::vector<std::shared_ptr<Program>> all;
    const json_t *list = at(programOf(data, index), "children");
    for (std::size_t i = 0; i < json_array_size(list); i++)
        if (auto child = programAt(data, entry(list, i))) all.push_back(child);
    return all;
}
std::vector<Var> Program::vars() const
{
    const auto found = data->liveSteps.find(index);
    if (found == data->liveSteps.end()) return {};
    std::vector<Var> all = variables(at(json_array_get(livenessSteps(data.get()), found->second), "vars"), false);
    for (const Var &v : variables(at(at(data->graph, "memory", "liveness", "alwaysLive"), "variables"), true))
        all.push_back(v);
    return all;
}
void Program::accept(ProgramVisitor &visitor) const
{
    visitor.visitOther(*this);
}
void OnTileExecuteProgram::accept(ProgramVisitor &visitor) const
{
    visitor.visitOnTileExecute(*this);
}
void DoExchangeProgram::accept(ProgramVisitor &visitor) const
{
    visitor.visitDoExchange(*this);
}
pva::ComputeSet OnTileExecuteProgram::computeset() const
{
    const json_t *set = at(programOf(data, index), "computeset");
    return ComputeSet(data, set ? pva_number(set) : SIZE_MAX);
}

std::shared_ptr<Program> LivenessProgramStep::program() const
{
    return programAt(data, pva_number(at(json_array_get(livenessSteps(data.get()), step), "program")));
}
std::vector<Var> LivenessProgramStep::vars() const
{
    return variables(at(json_array_get(livenessSteps(data.get()), step), "vars"), false);
}
LivenessProgramStep::Memory LivenessProgramStep::notAlwaysLiveMemory() const
{
    std::uint64_t bytes = 0;
    for (const Var &v : vars()) bytes += v.bytes();
    return Memory(bytes);
}

std::vector<std::shared_ptr<Program>> Compilation::programs() const
{
    std::vector<std::shared_ptr<Program>> all;
    for (std::size_t i = 0; i < json_array_size(at(data->graph, "programs")); i++)
        all.push_back(programAt(data, i));
    return all;
}
std::vector<LivenessProgramStep> Compilation::livenessProgramSteps() const
{
    std::vector<LivenessProgramStep> all;
    for (std::size_t i = 0; i < json_array_size(livenessSteps(data.get())); i++) all.emplace_back(data, i);
    return all;
}
std::vector<Var> Compilation::alwaysLiveVariables() const
{
    return variables(at(at(data->graph, "memory", "liveness", "alwaysLive"), "variables"), true);
}

/* --- execution ------------------------------------------------------------------------------------------------ */

static json_t *stepOf(const DataPtr &data, std::size_t step)
{
    return json_array_get(at(data->execution, "simulation", "steps"), step);
}
/* Rows are with the step, or, when there are many, with what it is an execution of. */
static std::vector<std::uint64_t> activeCycles(const DataPtr &data, std::size_t step)
{
    const json_t *s = stepOf(data, step), *own = at(s, "activeCyclesByTile");
    if (own) return row(own);
    const json_t *plan = json_array_get(at(data->execution, "simulation", "plan"), pva_number(at(s, "planStep")));
    return row(at(plan, "activeCyclesByTile"));
}

std::string ComputeSetExecution::name() const
{
    return text(at(stepOf(data, step), "name"));
}
std::vector<std::uint64_t> ComputeSetExecution::cyclesByTile() const
{
    if (text(at(data->execution, "profilerMode")) == "IPU_MODEL") return {};
    return activeCycles(data, step);
}
std::vector<std::uint64_t> ComputeSetExecution::estimatedCyclesByTile() const
{
    return activeCycles(data, step);
}

std::string Step::name() const
{
    return text(at(stepOf(data, step), "name"));
}
std::string Step::type() const
{
    return text(at(stepOf(data, step), "type"));
}
std::uint64_t Step::cycles() const
{
    return pva_number(at(stepOf(data, step), "cycles"));
}
std::uint64_t Step::cyclesFrom() const
{
    return pva_number(at(stepOf(data, step), "cyclesFrom"));
}
std::uint64_t Step::cyclesTo() const
{
    return pva_number(at(stepOf(data, step), "cyclesTo"));
}
std::vector<ComputeSetExecution> Step::computeSets() const
{
    if (type() != "OnTileExecute") return {};
    return { ComputeSetExecution(data, step) };
}

std::shared_ptr<Program> Step::program() const
{
    const json_t *p = at(stepOf(data, step), "program");
    std::shared_ptr<Program> found = p ? programAt(data, pva_number(p)) : nullptr;
    return found ? found : std::make_shared<Program>(data, SIZE_MAX, typeNamed(type()));
}
/* Tiles of an IPU are neighbours; a step takes as long as its slowest tile, and where no tile computes each IPU waits
 * for its end. */
std::vector<Step::Ipu> Step::ipus() const
{
    const std::vector<std::uint64_t> tiles = activeCycles(data, step);
    const std::uint64_t each = pva_number(at(data->any(), "target", "tilesPerIPU"));
    const std::uint64_t count = pva_number(at(data->any(), "target", "numIPUs"));
    if (count < 2 || !each || tiles.empty()) return std::vector<Ipu>(count ? count : 1, Ipu(cycles()));
    std::vector<Ipu> all;
    for (std::uint64_t i = 0; i < count; i++) {
        std::uint64_t most = 0;
        for (std::uint64_t t = i * each; t < (i + 1) * each && t < tiles.size(); t++)
            most = tiles[t] > most ? tiles[t] : most;
        all.emplace_back(most);
    }
    return all;
}

Cycles Execution::totalCycles() const
{
    return Cycles(pva_number(at(data->execution, "simulation", "cycles")));
}
std::vector<Step> Execution::steps() const
{
    std::vector<Step> list;
    for (std::size_t i = 0; i < json_array_size(at(data->execution, "simulation", "steps")); i++)
        list.emplace_back(data, i);
    return list;
}

/* Whether a tile takes part in an executed step, and for how long. Where nothing is recorded of tiles, all do. */
static bool activeIn(const DataPtr &data, std::size_t step, std::size_t tile, std::uint64_t *cycles)
{
    const json_t *s = stepOf(data, step), *own = at(s, "activeCyclesByTile");
    if (!own)
        own = at(json_array_get(at(data->execution, "simulation", "plan"), pva_number(at(s, "planStep"))),
                 "activeCyclesByTile");
    *cycles = own ? entry(own, tile) : pva_number(at(s, "cycles"));
    return *cycles > 0;
}
/* The phases of a stream copy: the step itself, and syncs on both sides of it. */
static void streamBlocks(const DataPtr &data, std::size_t program, std::size_t step, std::size_t tile,
                         std::vector<Block> *all)
{
    auto isSync = [&](std::size_t s) { return text(at(stepOf(data, s), "type")) == "Sync"; };
    auto phase = [&](Program::Type type, std::size_t first, std::size_t last) {
        all->emplace_back(std::make_shared<Program>(data, program, type),
                          pva_number(at(stepOf(data, first), "cyclesFrom")),
                          pva_number(at(stepOf(data, last), "cyclesTo")), tile, true);
    };
    std::size_t last = step;
    while (last < step + 2 && isSync(last + 1)) last++;
    if (step && isSync(step - 1)) phase(Program::Type::StreamCopyBegin, step - 1, step - 1);
    phase(Program::Type::StreamCopyMid, step, step);
    if (last > step) phase(Program::Type::StreamCopyEnd, step + 1, last);
}
std::vector<Block> Execution::blocks(std::size_t tile) const
{
    std::vector<Block> all;
    const json_t *list = at(data->execution, "simulation", "blocks");
    const json_t *programs = at(list, "program"), *firsts = at(list, "firstStep"), *lasts = at(list, "lastStep");
    for (std::size_t i = 0; i < json_array_size(programs); i++) {
        const std::uint64_t first = entry(firsts, i), last = entry(lasts, i);
        std::uint64_t from = 0, to = 0, cycles;
        bool any = false;
        for (std::uint64_t s = first; s <= last; s++) {
            if (!activeIn(data, s, tile, &cycles) || text(at(stepOf(data, s), "type")) == "Sync") continue;
            const json_t *step = stepOf(data, s);
            const std::uint64_t end = pva_number(at(step, "cyclesTo")), whole = pva_number(at(step, "cycles"));
            if (!any) from = pva_number(at(step, "cyclesFrom"));
            to = std::max(from, end - std::min(end, whole > cycles ? whole - cycles : 0)), any = true;
        }
        auto program = any ? programAt(data, entry(programs, i)) : nullptr;
        if (!program) continue;
        if (program->typeName() == "StreamCopy")
            streamBlocks(data, entry(programs, i), first, tile, &all);
        else
            all.emplace_back(program, from, to, tile, false);
    }
    return all;
}

/* --- reports -------------------------------------------------------------------------------------------------- */

Version Report::poplarVersion() const
{
    return Version(text(at(data->any(), "tilewright", "version")));
}

static json_t *parsed(const char *json)
{
    json_error_t error;
    json_t *root = json && *json ? json_loads(json, 0, &error) : nullptr;
    if (json && *json && !root) throw std::runtime_error(std::string("pva: not a profile: ") + error.text);
    return root;
}

Report makeReport(const std::string &graphJson, const std::string &executionJson)
{
    auto data = std::make_shared<Data>();
    data->graph = parsed(graphJson.c_str());
    data->execution = parsed(executionJson.c_str());
    const json_t *live = livenessSteps(data.get());
    for (std::size_t i = 0; i < json_array_size(live); i++)
        data->liveSteps.emplace(pva_number(at(json_array_get(live, i), "program")), i);
    return Report(data);
}

static bool there(const std::string &path)
{
    return access(path.c_str(), F_OK) == 0;
}

static std::string taken(char *text) /* frees it */
{
    std::string copy = text ? text : "";
    std::free(text);
    return copy;
}

Report openReport(const std::string &path)
{
    std::string folder = path.substr(0, path.find_last_of('/') + 1);
    std::string graph = folder + "graph_profile.json", execution = folder + "execution_profile.json";
    tw_profile *profile = nullptr;
    tw_status status = there(path) || !there(graph)
                           ? tw_status_of(profile = tw_profile_load_file(path.c_str()))
                           : tw_status_of(profile = tw_profile_load_files(
                                              graph.c_str(), there(execution) ? execution.c_str() : nullptr));
    if (status != TW_OK) throw std::runtime_error(std::string("pva::openReport: ") + tw_error_message());
    std::string parts[2];
    if (tw_profile_has_graph(profile)) parts[0] = taken(tw_profile_graph_json(profile, false));
    if (tw_profile_has_execution(profile)) parts[1] = taken(tw_profile_execution_json(profile, false));
    tw_profile_free(profile);
    return makeReport(parts[0], parts[1]);
}

} // namespace pva
