// SPDX-License-Identifier: MIT
/* Reports of engines, for programs: what a graph needs and what a run of it did (library pva).
 *
 *     pva::Report report = pva::openReport("profile.json");          // or Engine::getReport()
 *     std::cout << report.compilation().graph().numVertices() << '\n';
 *     for (const auto &tile : report.compilation().tiles()) total += tile.memory().total().excludingGaps();
 *
 * Everything is a value that keeps the report alive. Figures mean what docs/profile.md says of them; one that was not
 * recorded is 0, a list empty. Bytes and cycles, tiles counted over all IPUs. */
#ifndef PVA_PVA_HPP
#define PVA_PVA_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pva {

namespace detail {
struct Data; /* the profile, parsed */
using DataPtr = std::shared_ptr<const Data>;
} // namespace detail

class Version {
  public:
    explicit Version(std::string s) : text(std::move(s)) {}
    const std::string &string() const { return text; }
    unsigned major() const { return part(0); }
    unsigned minor() const { return part(1); }
    unsigned point() const { return part(2); }

  private:
    unsigned part(unsigned index) const;
    std::string text;
};

class Target {
  public:
    explicit Target(detail::DataPtr d) : data(std::move(d)) {}
    std::uint64_t numTiles() const;
    std::uint64_t numIPUs() const;
    std::uint64_t tilesPerIpu() const;
    std::uint64_t numReplicas() const;
    std::uint64_t bytesPerTile() const;
    std::uint64_t bytesPerIPU() const;
    std::uint64_t totalMemory() const;
    double clockFrequency() const; /* Hz */
    std::string architecture() const;

  private:
    detail::DataPtr data;
};

class GraphSize {
  public:
    explicit GraphSize(detail::DataPtr d) : data(std::move(d)) {}
    std::uint64_t numVertices() const;
    std::uint64_t numEdges() const;
    std::uint64_t numVars() const;
    std::uint64_t numComputeSets() const;

  private:
    detail::DataPtr data;
};

/* Bytes of one category, or of all, in one kind of memory. */
class MemoryRegion {
  public:
    MemoryRegion(std::uint64_t alone, std::uint64_t shared) : own(alone), overlaid(shared) {}
    std::uint64_t nonOverlapped() const { return own; }
    std::uint64_t overlapped() const { return overlaid; }

  private:
    std::uint64_t own, overlaid;
};

class MemoryCategory {
  public:
    MemoryCategory(detail::DataPtr d, const char *k, std::size_t t) : data(std::move(d)), key(k), tile(t) {}
    MemoryRegion nonInterleaved() const { return region("nonInterleaved"); }
    MemoryRegion interleaved() const { return region("interleaved"); }
    MemoryRegion overflowed() const { return region("overflowed"); }
    std::uint64_t total() const; /* of all regions */

  private:
    MemoryRegion region(const char *name) const;
    detail::DataPtr data;
    const char *key;
    std::size_t tile;
};

class MemoryCategories {
  public:
    MemoryCategories(detail::DataPtr d, std::size_t t) : data(std::move(d)), tile(t) {}
#define PVA_CATEGORY(name) \
    MemoryCategory name() const { return MemoryCategory(data, #name, tile); }
    PVA_CATEGORY(variable)
    PVA_CATEGORY(constant)
    PVA_CATEGORY(controlId)
    PVA_CATEGORY(message)
    PVA_CATEGORY(hostMessage)
    PVA_CATEGORY(globalMessage)
    PVA_CATEGORY(rearrangement)
    PVA_CATEGORY(outputEdge)
    PVA_CATEGORY(hostExchangePacketHeader)
    PVA_CATEGORY(globalExchangePacketHeader)
    PVA_CATEGORY(stack)
    PVA_CATEGORY(instrumentationResults)
    PVA_CATEGORY(vertexInstanceState)
    PVA_CATEGORY(copyDescriptor)
    PVA_CATEGORY(vectorListDescriptor)
    PVA_CATEGORY(vertexFieldData)
    PVA_CATEGORY(controlTable)
    PVA_CATEGORY(controlCode)
    PVA_CATEGORY(vertexCode)
    PVA_CATEGORY(internalExchangeCode)
    PVA_CATEGORY(hostExchangeCode)
    PVA_CATEGORY(globalExchangeCode)
    PVA_CATEGORY(sharedCodeStorage)
    PVA_CATEGORY(sharedDataStorage)
    PVA_CATEGORY(multiple)
#undef PVA_CATEGORY

  private:
    detail::DataPtr data;
    std::size_t tile;
};

class TotalMemory {
  public:
    TotalMemory(std::uint64_t without, std::uint64_t with) : used(without), spanned(with) {}
    std::uint64_t excludingGaps() const { return used; }
    std::uint64_t includingGaps() const { return spanned; }

  private:
    std::uint64_t used, spanned;
};

class VertexType {
  public:
    VertexType(detail::DataPtr d, std::size_t i) : data(std::move(d)), index(i) {}
    std::string name() const;
    std::uint64_t size() const; /* bytes of the state */

  private:
    detail::DataPtr data;
    std::size_t index;
};

/* Vertices of one type, on a tile or in a compute set. */
class VertexInstances {
  public:
    VertexInstances(VertexType t, std::uint64_t n, std::uint64_t b) : kind(std::move(t)), number(n), memory(b) {}
    VertexType type() const { return kind; }
    std::uint64_t count() const { return number; }      /* in a compute set; 0 on a tile */
    std::uint64_t totalBytes() const { return memory; } /* on a tile; 0 in a compute set */

  private:
    VertexType kind;
    std::uint64_t number, memory;
};

class TileMemory {
  public:
    TileMemory(detail::DataPtr d, std::size_t t) : data(std::move(d)), tile(t) {}
    TotalMemory total() const;
    std::vector<VertexInstances> vertices() const;
    MemoryCategories category() const { return MemoryCategories(data, tile); }

  private:
    detail::DataPtr data;
    std::size_t tile;
};

class Tile {
  public:
    Tile(detail::DataPtr d, std::size_t t) : data(std::move(d)), tile(t) {}
    TileMemory memory() const { return TileMemory(data, tile); }

  private:
    detail::DataPtr data;
    std::size_t tile;
};

class ComputeSet {
  public:
    ComputeSet(detail::DataPtr d, std::size_t i) : data(std::move(d)), index(i) {}
    std::string name() const;
    std::vector<VertexInstances> vertices() const;

  private:
    detail::DataPtr data;
    std::size_t index;
};

/* A variable that lives while a program runs. */
class Var {
  public:
    Var(std::string n, std::uint64_t b, bool always) : text(std::move(n)), size_(b), keeps(always) {}
    std::string name() const { return text; }
    std::uint64_t bytes() const { return size_; }
    std::uint64_t size() const { return size_; }
    bool alwaysLive() const { return keeps; }

  private:
    std::string text;
    std::uint64_t size_;
    bool keeps;
};

class ProgramVisitor;

/* A node of the tree of control programs. A function that several programs call is a child of the first. */
class Program {
  public:
    enum class Type {
        Unknown, /* of a name that is not among these */
        Sequence,
        Repeat,
        RepeatWhile,
        If,
        Switch,
        OnEveryTileSwitch,
        Call,
        Function,
        OnTileExecute,
        DoExchange,
        GlobalExchange,
        StreamCopy,
        StreamCopyBegin,
        StreamCopyMid,
        StreamCopyEnd,
        Sync,
        CopySharedStructure,
        SetLocalConsensusFromVar,
        WriteUndef,
        PrintTensor,
        AssumeEqualAcrossReplicas,
        Abort,
        AbortOnCondition,
    };
    Program(detail::DataPtr d, std::size_t i, Type p = Type::Unknown) : data(std::move(d)), index(i), phase(p) {}
    virtual ~Program();
    std::string name() const;
    Type type() const;
    std::string typeName() const; /* as profiles have it, of unknown types too */
    std::vector<std::shared_ptr<Program>> children() const;
    std::uint64_t _id() const { return index; }
    /* Calls the visitor's function for this type; children are not visited. */
    virtual void accept(ProgramVisitor &visitor) const;
    /* Variables live while it runs, the always-live ones behind the others; of leaf programs. */
    std::vector<Var> vars() const;

  protected:
    detail::DataPtr data;
    std::size_t index;
    Type phase; /* part of a stream copy, or of a step that has no program; Unknown: neither */
};
class OnTileExecuteProgram : public Program {
  public:
    using Program::Program;
    ComputeSet computeset() const; /* without a name and vertices where none is recorded */
    void accept(ProgramVisitor &visitor) const override;
};
class DoExchangeProgram : public Program {
  public:
    using Program::Program;
    void accept(ProgramVisitor &visitor) const override;
};

/* To be derived from: does nothing. */
class ProgramVisitor {
  public:
    virtual ~ProgramVisitor();
    virtual void visitOnTileExecute(const OnTileExecuteProgram &) {}
    virtual void visitDoExchange(const DoExchangeProgram &) {}
    virtual void visitOther(const Program &) {} /* all other types; not among the vendor's names */
};

/* A leaf program with what lives while it runs. */
class LivenessProgramStep {
  public:
    LivenessProgramStep(detail::DataPtr d, std::size_t s) : data(std::move(d)), step(s) {}
    std::shared_ptr<Program> program() const;
    class Memory {
      public:
        explicit Memory(std::uint64_t b) : total(b) {}
        std::uint64_t bytes() const { return total; }

      private:
        std::uint64_t total;
    };
    Memory notAlwaysLiveMemory() const;
    std::vector<Var> vars() const; /* without those that always live */

  private:
    detail::DataPtr data;
    std::size_t step;
};

class Compilation {
  public:
    explicit Compilation(detail::DataPtr d) : data(std::move(d)) {}
    Target target() const { return Target(data); }
    GraphSize graph() const { return GraphSize(data); }
    std::vector<Tile> tiles() const;
    std::vector<ComputeSet> computeSets() const;
    std::vector<std::shared_ptr<Program>> programs() const; /* all; the place of one is its _id() */
    std::vector<LivenessProgramStep> livenessProgramSteps() const;
    std::vector<Var> alwaysLiveVariables() const;

  private:
    detail::DataPtr data;
};

/* A compute set as a step executed it. */
class ComputeSetExecution {
  public:
    ComputeSetExecution(detail::DataPtr d, std::size_t s) : data(std::move(d)), step(s) {}
    std::string name() const;
    /* Measured cycles: empty unless the engine was instrumented (debug.instrumentCompute). */
    std::vector<std::uint64_t> cyclesByTile() const;
    std::vector<std::uint64_t> estimatedCyclesByTile() const;

  private:
    detail::DataPtr data;
    std::size_t step;
};

class Step {
  public:
    Step(detail::DataPtr d, std::size_t s) : data(std::move(d)), step(s) {}
    std::string name() const;
    std::string type() const; /* "OnTileExecute", "DoExchange", "Sync", ... */
    std::uint64_t cycles() const;
    std::uint64_t cyclesFrom() const;
    std::uint64_t cyclesTo() const;
    std::vector<ComputeSetExecution> computeSets() const; /* at most one */
    std::shared_ptr<Program> program() const;             /* one without a name for a sync, never NULL */
    /* Of each IPU; where steps have only the cycles of all, of the graph as a whole. */
    class Ipu {
      public:
        explicit Ipu(std::uint64_t c) : spent(c) {}
        std::uint64_t cycles() const { return spent; }

      private:
        std::uint64_t spent;
    };
    std::vector<Ipu> ipus() const;

  private:
    detail::DataPtr data;
    std::size_t step;
};

/* A number of cycles, which reports of later SDKs have as an object. */
class Cycles {
  public:
    explicit Cycles(std::uint64_t n) : count(n) {}
    operator std::uint64_t() const { return count; }
    std::uint64_t total() const { return count; }

  private:
    std::uint64_t count;
};

/* An execution of a program that the engine options profiler.blocks.filter, profiler.programs.filter or
 * debug.instrumentExternalExchange choose, as one tile saw it: from the begin of the first of its steps in which the
 * tile is active to the end of the tile's work in the last one. A stream copy is three of them: the sync, the data,
 * the syncs behind. */
class Block {
  public:
    Block(std::shared_ptr<Program> p, std::uint64_t from, std::uint64_t to, std::size_t t, bool stream)
        : ran(std::move(p)), first(from), end(to), where(t), streams(stream)
    {
    }
    std::shared_ptr<Program> program() const { return ran; }
    std::uint64_t cyclesFrom() const { return first; }
    std::uint64_t cyclesTo() const { return end; }
    std::uint64_t tile() const { return where; }
    bool isStreamCopy() const { return streams; }
    /* Times are read off the steps: there is no buffer on the tile that could be full or would be sent. */
    bool isCommon() const { return false; }
    bool isOverflow() const { return false; }
    bool isBlockFlush() const { return false; }

  private:
    std::shared_ptr<Program> ran;
    std::uint64_t first, end;
    std::size_t where;
    bool streams;
};

class Execution {
  public:
    explicit Execution(detail::DataPtr d) : data(std::move(d)) {}
    Cycles totalCycles() const;
    std::vector<Step> steps() const; /* at most 100,000 */
    /* In the order in which they began; of these steps, and any tile. */
    std::vector<Block> blocks(std::size_t tile) const;

  private:
    detail::DataPtr data;
};

class Report {
  public:
    explicit Report(detail::DataPtr d) : data(std::move(d)) {}
    Compilation compilation() const { return Compilation(data); }
    Execution execution() const { return Execution(data); } /* without steps when nothing was run */
    Version poplarVersion() const;                          /* of the library that wrote it */

  private:
    detail::DataPtr data;
};

/* Reads a profile: a file with both parts or one of them. Where there is no file of that name, its folder's
 * graph_profile.json and execution_profile.json, as an engine with the option autoReport.all writes them, are taken.
 * std::runtime_error names what is wrong with a file. */
Report openReport(const std::string &path);
namespace preview { /* its name before SDK 2.2 */
using pva::openReport;
}
/* The same from the texts of both parts; either may be empty. */
Report makeReport(const std::string &graphJson, const std::string &executionJson);

} // namespace pva
#endif
