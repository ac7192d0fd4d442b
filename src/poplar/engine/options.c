/* SPDX-License-Identifier: MIT */
/* Every key of Poplar API, engine options and runtime options (docs/decisions.md, G8). Keys that are accepted without
 * effect are logged at INFO; keys that are not here are errors. POPLAR_ENGINE_OPTIONS and POPLAR_RUNTIME_OPTIONS
 * override what a program sets. */
#include "poplar/engine/engine.h"

#include <jansson.h>
#include <string.h>

// clang-format off
#define BOOL(key, default_, done, help)         { key, TW__OPT_BOOL, default_, NULL, done, help }
#define INT(key, default_, done, help)          { key, TW__OPT_INT, default_, NULL, done, help }
#define DOUBLE(key, default_, done, help)       { key, TW__OPT_DOUBLE, default_, NULL, done, help }
#define TEXT(key, default_, done, help)         { key, TW__OPT_STRING, default_, NULL, done, help }
#define ENUM(key, default_, values, done, help) { key, TW__OPT_ENUM, default_, values, done, help }

const tw__option_desc tw__engine_options[] = {
    BOOL("autoReport.all", "false", true, "write every report and instrument everything"),
    TEXT("autoReport.directory", "./", true, "where reports are written"),
    BOOL("autoReport.outputGraphProfile", "false", true, "graph_profile.json; follows autoReport.all unless set"),
    BOOL("autoReport.outputExecutionProfile", "false", true, "execution_profile.json; follows autoReport.all unless set"),
    BOOL("autoReport.outputDebugInfo", "false", false, "debug information"),
    BOOL("autoReport.outputLoweredVars", "false", false, "lowered variables"),
    BOOL("autoReport.outputSerializedGraph", "false", false, "serialised graph"),
    BOOL("autoReport.outputArchive", "false", false, "archive of tile executables"),
    BOOL("autoReport.streamAtEachRun", "true", true, "write the execution profile after each run"),
    INT("autoReport.executionProfileProgramRunCount", "2", true, "runs that are kept; 0 = all"),
    ENUM("profiler.format", "v3", "v1|v2|v3|experimental|unstable", false, "file format of profiles"),
    BOOL("profiler.includeFlopEstimates", "false", false, "add estimates of operations"),
    BOOL("profiler.includeCycleEstimates", "false", false, "add estimates of cycles"),
    BOOL("profiler.perExecutionStreamCopyCycles", "true", false, "measure each stream copy"),
    BOOL("profiler.strictEstimates", "false", true, "a vertex type without estimator is an error"),
    TEXT("profiler.blocks.filter", "", true, "names of blocks that reports time: a regular expression"),
    BOOL("profiler.blocks.implicitFlush", "true", false, "flush blocks on their own"),
    INT("profiler.blocks.tile", "0", false, "tile that holds the blocks"),
    INT("profiler.blocks.bufferSize", "0", false, "bytes for blocks"),
    TEXT("profiler.programs.filter", "", true, "the same for programs of any kind"),
    BOOL("profiler.lines", "false", true, "cycles of code of the chip by line of its source; run --profile does so, too"),

    BOOL("debug.instrument", "false", true, "instrument compute and external exchange"),
    BOOL("debug.instrumentCompute", "false", true, "count compute cycles"),
    BOOL("debug.instrumentExternalExchange", "false", true, "count cycles of exchanges with host and other IPUs"),
    BOOL("debug.instrumentControlFlow", "false", false, "count control flow cycles"),
    ENUM("debug.computeInstrumentationLevel", "tile", "vertex|tile|ipu|device", true, "what compute cycles belong to"),
    TEXT("debug.executionProfile", "", false, "older spelling of the instrumentation options"),
    BOOL("debug.allowOutOfMemory", "true", true, "go on when a tile is full; false on the simulator unless set"),
    BOOL("debug.retainDebugInformation", "false", false, "keep what reports need"),
    BOOL("debug.outputAllSymbols", "false", false, "keep symbols of tile executables"),
    TEXT("debug.loweredVarDumpFile", "", false, "file for lowered variables"),
    BOOL("debug.floatPointOpException", "false", true, "simulator: exceptions of invalid operations and divisions by 0"),
    BOOL("debug.nanOverflowException", "false", true, "simulator: exceptions of half overflow"),
    BOOL("debug.nanOverflowMode", "false", true, "simulator: half overflow gives NaN"),
    BOOL("debug.verify", "false", false, "check the compiled program"),
    BOOL("debug.runtimeVerify", "false", true, "find vertices that write outside of their fields"),
    TEXT("debug.trace", "false", false, "instruction trace of the simulator"),
    TEXT("debug.traceFile", "", false, "file of the instruction trace"),
    INT("debug.branchRecordTile", "0", false, "tile of the branch record"),
    BOOL("debug.branchRecordFlush", "true", false, "flush the branch record"),
    BOOL("debug.globalExchangeViaDebug", "false", false, "older hardware only"),
    INT("debug.supervisorStackSizeInBytes", "0", false, "supervisor stack of a tile; 0 = automatic"),
    BOOL("debug.cpuMultiThreadExecution", "false", false, "several threads on the CPU device"),
    INT("debug.profilingTile", "0", false, "tile that holds profiling results"),
    BOOL("debug.checkDebugInfo", "false", false, "check debug information"),

    ENUM("exchange.streamBufferOverlap", "any", "any|hostRearrangeOnly|none", true, "stream buffers that share memory"),
    BOOL("exchange.enablePrefetch", "false", true, "ask callbacks for data as soon as their buffer is free"),
    ENUM("exchange.multicastPolicy", "balanced", "balanced|cycles|memory", false, "how broadcasts are scheduled"),

    INT("opt.maxCompilationThreads", "0", false, "threads of the compiler; 0 = all"),
    INT("opt.maxLinkerThreads", "0", false, "threads of the linker; 0 = all"),
    ENUM("opt.internalExchangeOptimisationTarget", "cycles", "cycles|memory|balanced", false, "what exchange code saves"),
    INT("opt.maxCopyMergeSize", "-1", false, "largest copy that is merged with others"),
    INT("opt.maxComputeSetsPerLoweredCopy", "6", false, "steps that a copy may take"),
    BOOL("opt.enableMultiAccessCopies", "true", false, "copies that load and store at once"),
    BOOL("opt.enableInlining", "true", false, "inline small functions"),
    BOOL("opt.useAutoloader", "true", false, "how code reaches the tiles"),
    BOOL("opt.enableSwSyncs", "false", true, "software sync after host exchange: each IPU goes on alone"),

    INT("prng.seed", "-1", false, "seed at load; on the IPU Model every tile keeps its fixed seed"),
    BOOL("prng.enable", "false", false, "older spelling of prng.enableStochasticRounding"),
    BOOL("prng.enableStochasticRounding", "false", true, "simulator: round half results at random"),

    ENUM("target.deterministicWorkers", "true", "true|false|portable", false, "fixed assignment of vertices to workers"),
    TEXT("target.saveArchive", "", false, "file for the archive of tile executables"),
    TEXT("target.saveOutputVertexGraph", "", false, "file for the vertex graph"),
    INT("target.workerStackSizeInBytes", "0", true, "worker stack; 0 = by the codelets"),
    INT("target.supervisorStackSizeInBytes", "0", true, "supervisor stack; 0 = automatic"),
    INT("target.textSectionSizeInBytes", "0", false, "code of a tile; 0 = automatic"),
    BOOL("target.syncReplicasIndependently", "false", true, "replicas wait for the host on their own"),
    TEXT("target.extendedMemory", "false", false, "memory beyond the tile's own"),
    INT("target.numberRuntimeReplica", "0", false, "replicas of this process"),
    INT("target.firstRuntimeReplica", "0", false, "first replica of this process"),
    BOOL("target.useBufferedCompletions", "false", false, "host exchange completion"),
    BOOL("target.gatewayWriteCombining", "true", false, "host exchange through a gateway"),
    TEXT("streamCallbacks.maxLookahead", "unlimited", true, "buffers that are prefetched ahead: unlimited or a number"),

    INT("simulator.turnLimit", "1000000000", true, "turns after which a simulated vertex is stopped; 0 = none"),
    BOOL("simulator.popLibsLayouts", "false", true, "vertex states as PopLibs' assembly reads them"),
    BOOL("simulator.runNativeVertices", "false", true, "ipu-sim: vertices without code of the chip run natively"),

    ENUM("target.syncMethod", "default", "polling|hybrid|default", false, "how the host waits for the device"),
    INT("target.syncPollPeriodUs", "0", false, "microseconds between polls"),
    INT("target.exceptionPollPeriodUs", "250000", false, "microseconds between looks for exceptions"),
    DOUBLE("target.hostSyncTimeout", "300.00", false, "seconds to wait for the device; 0 = for ever"),
    ENUM("streamCallbacks.multiThreadMode", "singleThread", "singleThread|collaborative|dedicated", true,
         "who runs callbacks: the thread of the run, it and others, others"),
    ENUM("mpi.map", "ipus", "ipus|tiles", true, "what ranks share out: whole IPUs, or tiles whatever divides"),
    BOOL("mpi.verify", "false", true, "every rank does everything, and values are compared after each run"),
    DOUBLE("mpi.timeout", "300", true, "seconds that a rank waits for another; 0 = for ever"),
    BOOL("streamCallbacks.numaAware", "false", false, "bind callback threads to memory"),
    TEXT("streamCallbacks.numWorkerThreads", "0", true, "threads for callbacks, or auto; 0 = the thread of the run"),
};
const size_t tw__engine_option_count = sizeof tw__engine_options / sizeof *tw__engine_options;
// clang-format on

static const char *type_name(tw__option_type type)
{
    switch (type) {
    case TW__OPT_BOOL: return "bool";
    case TW__OPT_INT: return "int";
    case TW__OPT_DOUBLE: return "number";
    case TW__OPT_STRING: return "text";
    case TW__OPT_ENUM: return "choice";
    }
    return "";
}

static void print_json(FILE *out)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tw__engine_option_count; i++) {
        const tw__option_desc *d = &tw__engine_options[i];
        json_t *row = json_pack("{ss ss ss sb ss}", "key", d->key, "type", type_name(d->type), "default",
                                d->default_value, "implemented", d->implemented, "help", d->help);
        if (d->values) json_object_set_new(row, "values", json_string(d->values));
        json_array_append_new(list, row);
    }
    json_dumpf(list, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(list);
}

void tw_engine_print_options(FILE *out, bool json)
{
    if (json) {
        print_json(out);
        return;
    }
    fprintf(out, "%-46s %-7s %-13s %-12s %s\n", "Engine option", "Type", "Default", "State", "Meaning");
    for (size_t i = 0; i < tw__engine_option_count; i++) {
        const tw__option_desc *d = &tw__engine_options[i];
        fprintf(out, "%-46s %-7s %-13s %-12s %s", d->key, type_name(d->type),
                *d->default_value ? d->default_value : "-", d->implemented ? "implemented" : "accepted", d->help);
        if (d->values) fprintf(out, " (%s)", d->values);
        fputc('\n', out);
    }
}

const char *tw_engine_option(const tw_engine *engine, const char *key)
{
    if (!engine || !engine->options || !key) return NULL;
    for (size_t i = 0; i < tw__engine_option_count; i++)
        if (strcmp(tw__engine_options[i].key, key) == 0) return tw__options_get(engine->options, key);
    return NULL;
}

/* "key=value" strings, then the environment, which wins. */
tw_status tw__options_read(tw_engine *engine, const char *const *options)
{
    engine->options = tw__options_new(tw__engine_options, tw__engine_option_count, TW__LOG_ENGINE);
    if (!engine->options) return tw__fail(TW_E_NO_MEMORY, "no memory for options");
    for (; options && *options; options++) {
        const char *sign = strchr(*options, '=');
        if (!sign)
            return tw__fail(TW_E_INVALID_OPTION, "engine option '%s' is not of the form key=value", *options);
        char *key = tw__arena_printf(engine->arena, "%.*s", (int)(sign - *options), *options);
        if (!key) return tw__fail(TW_E_NO_MEMORY, "no memory for options");
        tw_status s = tw__options_set(engine->options, key, sign + 1);
        if (s) return s;
    }
    tw_status s = tw__options_set_env(engine->options, "POPLAR_ENGINE_OPTIONS");
    return s ? s : tw__options_set_env(engine->options, "POPLAR_RUNTIME_OPTIONS");
}
