/* SPDX-License-Identifier: MIT */
/* Programs as an indented tree, for people. */
#include "poplar/graph/build.h"

const char *tw__program_kind_name(tw__program_kind kind)
{
    /* Names of poplar::program. */
    static const char *const names[] = {
        [TW__P_SEQUENCE] = "Sequence",
        [TW__P_EXECUTE] = "Execute",
        [TW__P_COPY] = "Copy",
        [TW__P_STREAM_IN] = "StreamCopy",
        [TW__P_STREAM_OUT] = "StreamCopy",
        [TW__P_REMOTE_IN] = "RemoteCopy",
        [TW__P_REMOTE_OUT] = "RemoteCopy",
        [TW__P_REPEAT] = "Repeat",
        [TW__P_WHILE_TRUE] = "RepeatWhileTrue",
        [TW__P_WHILE_FALSE] = "RepeatWhileFalse",
        [TW__P_IF] = "If",
        [TW__P_SWITCH] = "Switch",
        [TW__P_CALL] = "Call",
        [TW__P_SYNC] = "Sync",
        [TW__P_WRITE_UNDEF] = "WriteUndef",
        [TW__P_ABORT] = "Abort",
        [TW__P_ABORT_IF] = "AbortOnCondition",
        [TW__P_ASSUME_EQUAL] = "AssumeEqualAcrossReplicas",
        [TW__P_ERROR] = "ErrorProgram",
        [TW__P_PRINT] = "PrintTensor",
        [TW__P_COUNTED_FOR] = "CountedForLoop",
        [TW__P_CYCLE_STAMP] = "CycleStamp",
        [TW__P_CYCLES_SINCE] = "CyclesSince",
    };
    return names[kind];
}

/* What stands behind the kind: " of compute set 'scale'", " x -> y", ... */
static void print_details(const tw__core *core, const tw__program *p, FILE *out)
{
    static const char *const syncs[] = { "internal", "external", "global" };
    char a[TW__TEXT_BYTES], b[TW__TEXT_BYTES];
    tw__operand_text(core, &p->a, a, sizeof a);
    tw__operand_text(core, &p->b, b, sizeof b);
    switch (p->kind) {
    case TW__P_EXECUTE:
        fprintf(out, " '%s'", core->compute_sets[p->id].name);
        if (p->a.regions) fprintf(out, " -> %s", a);
        break;
    case TW__P_COPY: fprintf(out, "%s %s -> %s", p->case_count ? " between replicas" : "", a, b); break;
    case TW__P_STREAM_IN: fprintf(out, " stream '%s' -> %s", core->streams[p->id].handle, a); break;
    case TW__P_STREAM_OUT: fprintf(out, " %s -> stream '%s'", a, core->streams[p->id].handle); break;
    case TW__P_REMOTE_IN: fprintf(out, " remote buffer '%s' -> %s", core->remotes[p->id].handle, a); break;
    case TW__P_REMOTE_OUT: fprintf(out, " %s -> remote buffer '%s'", a, core->remotes[p->id].handle); break;
    case TW__P_REPEAT: fprintf(out, " %u times", p->count); break;
    case TW__P_WHILE_TRUE:
    case TW__P_WHILE_FALSE:
    case TW__P_IF:
    case TW__P_SWITCH:
    case TW__P_WRITE_UNDEF:
    case TW__P_CYCLE_STAMP:
    case TW__P_CYCLES_SINCE:
    case TW__P_ASSUME_EQUAL: fprintf(out, " %s", a); break;
    case TW__P_CALL: fprintf(out, " function %u '%s'", p->id, core->functions[p->id].name); break;
    case TW__P_SYNC: fprintf(out, " %s", p->sync <= TW_SYNC_GLOBAL ? syncs[p->sync] : "?"); break;
    case TW__P_ABORT: fprintf(out, " \"%s\"", p->text); break;
    case TW__P_ABORT_IF:
    case TW__P_ERROR:
    case TW__P_PRINT: fprintf(out, " %s \"%s\"", a, p->text); break;
    case TW__P_COUNTED_FOR:
        if (p->b.regions)
            fprintf(out, " %s from %lld to %s by %lld", a, (long long)p->begin, b, (long long)p->step);
        else
            fprintf(out, " %s from %lld to %lld by %lld", a, (long long)p->begin, (long long)p->limit,
                    (long long)p->step);
        break;
    case TW__P_SEQUENCE: break;
    }
}

static void program_print(const tw__core *core, uint32_t id, unsigned depth, const char *role, FILE *out)
{
    fprintf(out, "%*s%s", (int)(2 * depth), "", role);
    if (!id) {
        fputs("nothing\n", out);
        return;
    }
    const tw__program *p = &core->programs[id];
    fputs(tw__program_kind_name(p->kind), out);
    if (p->name[0]) fprintf(out, " \"%s\"", p->name);
    print_details(core, p, out);
    fputc('\n', out);
    static const char *const while_roles[] = { "condition: ", "body: " }, *const if_roles[] = { "then: ",
                                                                                                "else: " };
    for (uint32_t i = 0; i < p->child_count; i++) {
        const char *label = p->kind == TW__P_SWITCH                                       ? "default: "
                            : p->kind == TW__P_WHILE_TRUE || p->kind == TW__P_WHILE_FALSE ? while_roles[i]
                            : p->kind == TW__P_IF                                         ? if_roles[i]
                                                                                          : "";
        program_print(core, p->children[i], depth + 1, label, out);
    }
    for (uint32_t i = 0; p->kind == TW__P_SWITCH && i < p->case_count; i++) {
        char label[32];
        snprintf(label, sizeof label, "case %d: ", p->cases[i].value);
        program_print(core, p->cases[i].body, depth + 1, label, out);
    }
}

static bool print_steps(const tw__core *core, tw_program program, FILE *out)
{
    bool is_known = program.id && program.id < core->program_count;
    if (is_known)
        program_print(core, program.id, 0, "", out);
    else
        fputs("nothing\n", out);
    return is_known;
}

void tw_program_print_steps(const tw_graph *graph, tw_program program, FILE *out)
{
    TW__ENTER_GETTER(graph, );
    print_steps(graph->core, program, out);
}

void tw_program_print(const tw_graph *graph, tw_program program, FILE *out)
{
    TW__ENTER_GETTER(graph, );
    const tw__core *core = graph->core;
    if (!print_steps(core, program, out)) return;
    for (size_t f = 1; f < core->function_count; f++) {
        fprintf(out, "function %zu '%s':\n", f, core->functions[f].name);
        program_print(core, core->functions[f].body, 1, "", out);
    }
}
