/* SPDX-License-Identifier: MIT */
/* findings: rules that say what matters most in a profile. Each looks at figures that are there, says nothing when
 * they are not, and gives the share of the time (or of the memory) that could be won at most. docs/report.md has the
 * formulas; thresholds stand in one table, which the page prints. */
#include "report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

const tw__rule_row tw__rule_rows[] = {
    // clang-format off
    { "R1",  "memory over the limit",     "largest use of a tile / its limit",                                    0.90 },
    { "R2",  "memory uneven",             "largest use / mean use, where the largest is half of the limit",       2.00 },
    { "R3",  "waiting",                   "idle cycles of tiles, but in host copies / all tile cycles",           0.10 },
    { "R4",  "one slow tile",             "cycles that steps would end sooner without their slowest tile",        0.05 },
    { "R5",  "barriers",                  "cycles of syncs / all cycles",                                         0.10 },
    { "R6",  "exchange",                  "cycles of exchanges / all cycles",                                     0.30 },
    { "R7",  "host copies",               "cycles of host copies / all cycles",                                   0.20 },
    { "R8",  "always live",               "always-live bytes / largest live bytes",                               0.70 },
    { "R9",  "rearrangement",             "cycles of copying vertices / all vertex cycles",                       0.15 },
    { "R10", "small messages",            "share of exchange cycles in exchanges below 64 bytes a tile",          0.50 },
    { "R11", "idle workers",              "1 - cycles of vertices / cycles of compute",                           0.20 },
    { "R12", "unused tiles",              "tiles that never compute / all tiles",                                 0.25 },
    { "R13", "repeated exchange",         "bytes exchanged again though nothing wrote them / bytes exchanged",    0.01 },
    { "R14", "held too long",             "bytes held at the peak after their last use / bytes at the peak",      0.05 },
    { "R15", "stalls",                    "cycles of recorded waits / all cycles of those tiles",                 0.20 },
    { "R16", "pipes take turns",          "busiest pipe / end of the slowest core",                               0.70 },
    { "R17", "one kernel dominates",      "cycles of one kernel / cycles of all",                                 0.50 },
    { NULL, NULL, NULL, 0 },
    // clang-format on
};

struct tw_findings {
    GArray *list; /* tw_finding */
    GStringChunk *texts;
};

typedef struct judge {
    const tw__stats *s;
    const tw_profile *p;
    tw_findings *out;
    double lost;        /* tile cycles in which steps ran and tiles did not */
    double lost_to_one; /* of these, explained by R4, R5 and R12 */
    const char *chip, *tile, *kernel;
} judge;

static double threshold(const char *rule)
{
    const tw__rule_row *row = tw__rule_rows;
    while (row->name && strcmp(row->name, rule) != 0) row++;
    return row->threshold;
}

/* "what|advice|link" in one text, so that a rule reads as one sentence after the other. */
static void say(judge *j, const char *rule, double severity, tw_fidelity fidelity, const char *format, ...)
    TW_PRINTF(5, 6);
static void say(judge *j, const char *rule, double severity, tw_fidelity fidelity, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    char **parts = g_strsplit(text, "\x1f", 3);
    tw_finding f = { .rule = rule,
                     .text = g_string_chunk_insert(j->out->texts, parts[0]),
                     .advice = g_string_chunk_insert(j->out->texts, parts[0] && parts[1] ? parts[1] : ""),
                     .link = g_string_chunk_insert(j->out->texts,
                                                   parts[0] && parts[1] && parts[2] ? parts[2] : "#view=summary"),
                     .severity = severity < 0   ? 0
                                 : severity > 1 ? 1
                                                : severity,
                     .is_error = strcmp(rule, "R1") == 0 && severity > 1,
                     .fidelity = fidelity };
    g_array_append_val(j->out->list, f);
    g_strfreev(parts);
    g_free(text);
}
#define TRY  "\x1f"
#define LINK "\x1f"

/* --- figures in words ------------------------------------------------------------------------------------------- */

enum { ROOM = 64 };

static const char *bytes_text(char buf[ROOM], double bytes)
{
    char digits[ROOM];
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t u = 0;
    while (bytes >= 1024 * 0.9995 && u < 4) bytes /= 1024, u++;
    g_ascii_formatd(digits, ROOM, u && bytes < 99.95 ? "%.1f" : "%.0f", bytes);
    g_snprintf(buf, ROOM, "%s %s", digits, units[u]);
    return buf;
}

static const char *share_text(char buf[ROOM], double share)
{
    char digits[ROOM];
    g_ascii_formatd(digits, ROOM, share < 0.0995 ? "%.1f" : "%.0f", share * 100);
    g_snprintf(buf, ROOM, "%s %%", digits);
    return buf;
}

static const char *count_text(char buf[ROOM], double count)
{
    return tw__commas(buf, ROOM, count > 0 ? count < 1.8e19 ? (uint64_t)(count + 0.5) : UINT64_MAX : 0);
}

/* "tile 3", on a grid "PE 2,2", as lanes of the page have it; with `upper` where a sentence begins. */
static const char *tile_text(char buf[ROOM], const judge *j, uint32_t tile, bool upper)
{
    uint32_t columns = j->p->grid.columns, rows = j->p->grid.rows;
    bool down = j->p->grid.column_major;
    if (!columns || !rows || j->p->target.ipus > 1)
        g_snprintf(buf, ROOM, "%s %u", j->tile, tile);
    else
        g_snprintf(buf, ROOM, "%s %u,%u", j->tile, down ? tile / rows : tile % columns,
                   down ? tile % rows : tile / columns);
    if (upper) buf[0] = g_ascii_toupper(buf[0]);
    return buf;
}

/* Names may be of any length, and our separator must not come from them. */
static const char *quoted(const judge *j, const char *name)
{
    glong length = g_utf8_validate(name, -1, NULL) ? g_utf8_strlen(name, -1) : 0;
    char *cut = length > 80 ? g_utf8_substring(name, 0, 79) : g_strdup(length ? name : "");
    char *text = length > 80 ? g_strconcat("'", cut, "…'", NULL) : g_strconcat("'", cut, "'", NULL);
    for (char *c = text; *c; c++)
        if (*c == '\x1f') *c = ' ';
    const char *kept = g_string_chunk_insert(j->out->texts, text);
    g_free(text);
    g_free(cut);
    return kept;
}

static const char *step_text(const judge *j, uint32_t step)
{
    const tw__step *s = &j->p->steps.items[step];
    const char *name = j->p->names.items[s->name];
    return *name ? quoted(j, name) : j->p->names.items[s->type_name];
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static tw_fidelity memory_fidelity(const judge *j)
{
    tw_fidelity worst = TW_FIDELITY_EXACT;
    for (size_t i = 0; i < j->p->categories.count; i++) {
        tw_fidelity f = j->p->categories.items[i].fidelity;
        if (f > worst && f != TW_FIDELITY_ABSENT) worst = f;
    }
    return worst;
}

static uint64_t category_on(const judge *j, const tw__category *c, uint32_t tile, uint64_t *row)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; k++) {
        tw__row id = c->bytes[k / TW__MEMORY_OVERLAPS][k % TW__MEMORY_OVERLAPS];
        bool is_sum =
            j->s->tiles > 1 && j->p->rows.items[id].tiles == 1; /* over all tiles, as files may state it */
        if (!is_sum && tw__profile_row_read(j->p, id, row, tile + 1)) sum += row[tile];
    }
    return sum;
}

static const tw__category *largest_category(const judge *j, uint32_t tile, uint64_t *bytes)
{
    const tw__category *found = NULL;
    uint64_t *row = g_new0(uint64_t, (size_t)tile + 1);
    *bytes = 0;
    for (size_t i = 0; i < j->p->categories.count; i++) {
        uint64_t sum = category_on(j, &j->p->categories.items[i], tile, row);
        if (sum > *bytes) *bytes = sum, found = &j->p->categories.items[i];
    }
    g_free(row);
    return found;
}

/* Machines with a limit for each memory of a tile: each category against its own. */
static void full_memories(judge *j)
{
    uint64_t *row = g_new0(uint64_t, (size_t)j->s->tiles + 1), *sum = g_new0(uint64_t, (size_t)j->s->tiles + 1);
    char used[ROOM], limit[ROOM], share[ROOM], where[ROOM];
    for (size_t k = 0; k < j->p->limits.count; k++)
        for (size_t i = 0; i < j->p->categories.count; i++) {
            const tw__category *c = &j->p->categories.items[i];
            if (c->key != j->p->limits.items[k].category || !j->p->limits.items[k].bytes) continue;
            uint32_t worst = 0;
            memset(sum, 0, j->s->tiles * sizeof *sum);
            for (unsigned q = 0; q < TW__MEMORY_REGIONS * TW__MEMORY_OVERLAPS; q++) {
                tw__row id = c->bytes[q / TW__MEMORY_OVERLAPS][q % TW__MEMORY_OVERLAPS];
                if (!tw__profile_row_read(j->p, id, row, j->s->tiles)) continue;
                for (uint32_t t = 0; t < j->s->tiles; t++) sum[t] += row[t];
            }
            for (uint32_t t = 1; t < j->s->tiles; t++)
                if (sum[t] > sum[worst]) worst = t;
            double full = (double)sum[worst] / (double)j->p->limits.items[k].bytes;
            if (full < threshold("R1")) continue;
            say(j, "R1", full > 1 ? 2 : full - threshold("R1"), c->fidelity,
                "%s of %s holds %s of %s, %s." TRY "Use smaller tiles, or let them share addresses." LINK
                "#view=memory&tile=%u",
                j->p->names.items[c->key], tile_text(where, j, worst, false), bytes_text(used, (double)sum[worst]),
                bytes_text(limit, (double)j->p->limits.items[k].bytes), share_text(share, full), worst);
        }
    g_free(row), g_free(sum);
}

static void full_tiles(judge *j)
{
    const uint64_t *m = j->s->memory;
    uint64_t limit = j->s->limit, bytes;
    uint32_t worst = 0, over = 0;
    char a[ROOM], b[ROOM], c[ROOM], d[ROOM], where[ROOM];
    if (!m || !j->s->tiles) return;
    for (uint32_t t = 0; t < j->s->tiles; t++) {
        if (m[t] > m[worst]) worst = t;
        over += limit && m[t] > limit;
    }
    double full = limit ? (double)m[worst] / (double)limit : 0;
    const tw__category *most = largest_category(j, worst, &bytes);
    const char *label = most ? j->p->names.items[most->label] : "data";
    char more[ROOM + 32] = "";
    if (over > 1) g_snprintf(more, sizeof more, " %s %ss are too full.", count_text(d, over), j->tile);
    if (full > 1 && !j->p->limits.count)
        say(j, "R1", 1 + full, memory_fidelity(j),
            "%s needs %s of %s, %s over; most of it is %s, %s.%s" TRY
            "Map variables over more %ss, or compute in smaller parts." LINK "#view=memory&tile=%u",
            tile_text(where, j, worst, true), bytes_text(a, (double)m[worst]), bytes_text(b, (double)limit),
            share_text(c, full - 1), quoted(j, label), bytes_text(d, (double)bytes), more, j->tile, worst);
    else if (full >= threshold("R1") && !j->p->limits.count)
        say(j, "R1", full - threshold("R1"), memory_fidelity(j),
            "%s uses %s of %s, %s; most of it is %s, %s." TRY "Little room is left for larger data." LINK
            "#view=memory&tile=%u",
            tile_text(where, j, worst, true), bytes_text(a, (double)m[worst]), bytes_text(b, (double)limit),
            share_text(c, full), quoted(j, label), bytes_text(d, (double)bytes), worst);
}

/* Without gaps: what variables and code hold is what can be moved. */
static void uneven(judge *j)
{
    uint64_t limit = j->s->limit, sum = 0, bytes, *m = g_new0(uint64_t, (size_t)j->s->tiles + 1);
    uint32_t worst = 0;
    char a[ROOM], b[ROOM], where[ROOM];
    if (!limit || j->p->limits.count || !tw_profile_memory_by_tile(j->p, m)) {
        g_free(m);
        return;
    }
    for (uint32_t t = 0; t < j->s->tiles; t++) {
        if (m[t] > m[worst]) worst = t;
        sum += m[t];
    }
    double full = (double)m[worst] / (double)limit, mean = (double)sum / j->s->tiles;
    const tw__category *most = largest_category(j, worst, &bytes);
    const char *label = most ? j->p->names.items[most->label] : "data";
    if (mean > 0 && (double)m[worst] / mean >= threshold("R2") && full >= 0.5)
        say(j, "R2", full - mean / (double)limit, memory_fidelity(j),
            "%s holds %.1f times the mean: %s against %s." TRY "Spread %s over more %ss." LINK
            "#view=memory&tile=%u",
            tile_text(where, j, worst, true), (double)m[worst] / mean, bytes_text(a, (double)m[worst]),
            bytes_text(b, mean), quoted(j, label), j->tile, worst);
    g_free(m);
}

static void always_live(judge *j)
{
    uint64_t always = tw__profile_always_live_bytes(j->p), all = always + j->p->max_live, most = 0;
    const char *name = "";
    char a[ROOM], b[ROOM], c[ROOM];
    double full = 0;
    if (!j->p->has_liveness || !all || !j->s->memory || !j->s->limit) return;
    for (uint32_t t = 0; t < j->s->tiles; t++)
        if ((double)j->s->memory[t] / (double)j->s->limit > full)
            full = (double)j->s->memory[t] / (double)j->s->limit;
    for (size_t i = 0; i < j->p->always_live.count; i++)
        if (j->p->always_live.items[i].bytes > most)
            most = j->p->always_live.items[i].bytes, name = j->p->names.items[j->p->always_live.items[i].name];
    double share = (double)always / (double)all;
    if (share < threshold("R8") || full < 0.75) return;
    say(j, "R8", share * full / 4, memory_fidelity(j),
        "%s of the peak (%s) is there all the time; %s is %s of it." TRY
        "Smaller batches will not help; look at what is kept for the whole run." LINK "#view=memory&tab=liveness",
        share_text(a, share), bytes_text(b, (double)all), quoted(j, name),
        share_text(c, (double)most / (double)always));
}

/* --- time ------------------------------------------------------------------------------------------------------- */

static bool is_worked(const tw__step *s)
{
    tw_cycles_bucket b = tw__step_bucket(s);
    return b == TW_CYCLES_COMPUTE || b == TW_CYCLES_EXCHANGE || b == TW_CYCLES_GLOBAL_EXCHANGE;
}

typedef struct hot_tile {
    double *won; /* [tiles] cycles that steps would end sooner without it */
    uint32_t tile, steps;
    double best;
} hot_tile;

/* R4, R5 and R12 explain waiting; R3 says what they leave. While the host copies nobody waits for a slower tile:
 * R7. */
static void waiting(judge *j)
{
    const tw_profile *p = j->p;
    double all = (double)j->s->totals.cycles * j->s->tiles, most = 0;
    uint32_t worst = TW__NONE;
    hot_tile hot = { .won = g_new0(double, (size_t)j->s->tiles + 1) };
    char a[ROOM], b[ROOM], c[ROOM];
    for (uint32_t i = 0; i < p->steps.count; i++) {
        const tw__step *s = &p->steps.items[i];
        tw_cycles_bucket bucket = tw__step_bucket(s);
        if (bucket == TW_CYCLES_SYNC || bucket == TW_CYCLES_HOST_EXCHANGE || !s->active || !j->s->counts[i])
            continue;
        double lost = tw__stats_step_cycles(j->s, i) * j->s->tiles - tw__stats_step_active(j->s, i);
        const tw__row_stats *row = &j->s->rows[s->active];
        j->lost += lost;
        if (lost > most) most = lost, worst = i;
        if (!is_worked(s)) continue;
        hot.won[row->argmax] += (double)j->s->counts[i] * (double)(row->max - row->second);
    }
    for (uint32_t t = 0; t < j->s->tiles; t++)
        if (hot.won[t] > hot.best) hot.best = hot.won[t], hot.tile = t;
    for (uint32_t i = 0; i < p->steps.count; i++)
        if (p->steps.items[i].active && j->s->counts[i] && is_worked(&p->steps.items[i]) &&
            j->s->rows[p->steps.items[i].active].argmax == hot.tile &&
            j->s->rows[p->steps.items[i].active].max > j->s->rows[p->steps.items[i].active].second)
            hot.steps++;
    g_free(hot.won);
    if (all <= 0 || j->s->tiles < 2 || !strcmp(p->names.items[p->target.type], "AI_ENGINE")) return; /* R15 */
    double cycles = (double)j->s->totals.cycles;
    if (hot.best / cycles >= threshold("R4")) {
        say(j, "R4", hot.best / cycles, j->s->totals.fidelity,
            "All others wait for %s in %u step%s: without it they would end %s cycles sooner, %s of the "
            "time." TRY "Give it less work, or spread its work over the others." LINK "#view=time&tile=%u",
            tile_text(c, j, hot.tile, false), hot.steps, hot.steps == 1 ? "" : "s", count_text(a, hot.best),
            share_text(b, hot.best / cycles), hot.tile);
        j->lost_to_one += hot.best * (j->s->tiles - 1);
    }
    double synced = (double)j->s->totals.by_bucket[TW_CYCLES_SYNC], lost = synced > j->lost ? synced : j->lost;
    double share = lost / all;
    if (share < threshold("R3") || j->lost_to_one >= 0.6 * lost) return;
    if (worst == TW__NONE || most < 0.05 * lost)
        say(j, "R3", share, j->s->totals.fidelity,
            "%s of the time of all %ss goes to syncs and to waiting for slower ones." TRY
            "Fewer and larger steps, in which all %ss have as much to do, wait less." LINK "#view=time",
            share_text(a, share), j->tile, j->tile);
    else
        say(j, "R3", share, j->s->totals.fidelity,
            "%s of the time of all %ss is waiting for slower ones; %s of that in %s." TRY
            "Even work there would save at most %s cycles." LINK "#view=time&step=%u",
            share_text(a, share), j->tile, share_text(b, most / lost), step_text(j, worst),
            count_text(c, most / j->s->tiles), worst);
}

static void unused(judge *j)
{
    uint32_t idle = 0;
    const uint64_t *busy = j->s->busy[TW_CYCLES_COMPUTE];
    char a[ROOM], b[ROOM];
    if (!busy || j->s->tiles < 2) return;
    if (!strcmp(j->p->names.items[j->p->target.type], "AI_ENGINE"))
        return; /* kernels have a tile each, others are free */
    for (uint32_t t = 0; t < j->s->tiles; t++) idle += busy[t] == 0;
    double share = (double)idle / j->s->tiles;
    if (share <= threshold("R12")) return;
    double compute = 0;
    for (uint32_t i = 0; i < j->p->steps.count; i++)
        if (tw__step_bucket(&j->p->steps.items[i]) == TW_CYCLES_COMPUTE) compute += tw__stats_step_cycles(j->s, i);
    double part = j->s->totals.cycles ? compute / (double)j->s->totals.cycles : 0;
    j->lost_to_one += compute * idle;
    say(j, "R12", share * (part > 1 ? 1 : part), j->s->totals.fidelity,
        "%s of %s %ss never compute." TRY "Map more of the work to them; a smaller machine would take as long." LINK
        "#view=time&tab=grid",
        count_text(a, idle), count_text(b, j->s->tiles), j->tile);
}

typedef struct kind_sum {
    double cycles, bytes, most;
    uint64_t count;
    uint32_t worst;
} kind_sum;

static kind_sum sum_of(const judge *j, tw_cycles_bucket first, tw_cycles_bucket last)
{
    kind_sum sum = { .worst = TW__NONE };
    for (uint32_t i = 0; i < j->p->steps.count; i++) {
        tw_cycles_bucket b = tw__step_bucket(&j->p->steps.items[i]);
        if (b < first || b > last || !j->s->counts[i]) continue;
        double cycles =
            tw__stats_step_cycles(j->s, i) - (double)j->s->counts[i] * (double)j->p->steps.items[i].overlapped;
        sum.cycles += cycles;
        sum.bytes += (double)j->s->counts[i] * (double)j->p->steps.items[i].total_data;
        sum.count += j->s->counts[i];
        if (cycles > sum.most) sum.most = cycles, sum.worst = i;
    }
    return sum;
}

static void by_kind(judge *j)
{
    double cycles = (double)j->s->totals.cycles;
    char a[ROOM], b[ROOM], c[ROOM], d[ROOM];
    if (cycles <= 0) return;
    kind_sum sync = sum_of(j, TW_CYCLES_SYNC, TW_CYCLES_SYNC),
             compute = sum_of(j, TW_CYCLES_COMPUTE, TW_CYCLES_COMPUTE);
    kind_sum exchange = sum_of(j, TW_CYCLES_EXCHANGE, TW_CYCLES_GLOBAL_EXCHANGE);
    kind_sum host = sum_of(j, TW_CYCLES_HOST_EXCHANGE, TW_CYCLES_HOST_EXCHANGE);
    if (sync.cycles / cycles >= threshold("R5") && sync.count > 1) {
        j->lost_to_one += sync.cycles * j->s->tiles;
        say(j, "R5", sync.cycles / cycles, j->s->totals.fidelity,
            "%s syncs take %s of the time, %s cycles each." TRY
            "Merge compute sets or copies that do not depend on each other." LINK "#view=time&kind=sync",
            count_text(a, (double)sync.count), share_text(b, sync.cycles / cycles),
            count_text(c, sync.cycles / (double)sync.count));
    }
    if (exchange.worst != TW__NONE &&
        (exchange.cycles / cycles >= threshold("R6") || (compute.cycles > 0 && exchange.cycles > compute.cycles)) &&
        exchange.cycles / cycles >= 0.02)
        say(j, "R6", exchange.cycles / cycles, j->s->totals.fidelity,
            "Exchange takes %s of the time, compute %s; %s alone %s." TRY
            "Place what is used together on the same %s; the exchanges move %s in all." LINK "#view=time&step=%u",
            share_text(a, exchange.cycles / cycles), share_text(b, compute.cycles / cycles),
            step_text(j, exchange.worst), share_text(c, exchange.most / cycles), j->tile,
            bytes_text(d, exchange.bytes), exchange.worst);
    if (host.worst != TW__NONE && host.cycles / cycles >= threshold("R7"))
        say(j, "R7", host.cycles / cycles, j->s->totals.fidelity,
            "Host copies take %s of the time and move %s." TRY
            "%s takes most: transfer less, in larger pieces, or while computing." LINK "#view=time&step=%u",
            share_text(a, host.cycles / cycles), bytes_text(b, host.bytes), step_text(j, host.worst), host.worst);
}

static void small_messages(judge *j)
{
    double all = 0, small = 0, bytes = 0, tiles = 0;
    uint64_t count = 0;
    uint32_t worst = TW__NONE;
    double most = 0;
    char a[ROOM], b[ROOM], c[ROOM];
    for (uint32_t i = 0; i < j->p->steps.count; i++) {
        const tw__step *s = &j->p->steps.items[i];
        if (s->type != TW_PROGRAM_DO_EXCHANGE || !j->s->counts[i]) continue;
        tw_profile_step info;
        tw__profile_step_info(j->p, i, &info);
        double cycles = tw__stats_step_cycles(j->s, i), n = (double)j->s->counts[i];
        all += cycles;
        if (!info.active_tiles || !s->total_data || (double)s->total_data / info.active_tiles >= 64) continue;
        small += cycles, count += j->s->counts[i];
        bytes += n * (double)s->total_data, tiles += n * info.active_tiles;
        if (cycles > most) most = cycles, worst = i;
    }
    double share = all > 0 ? small / all : 0, of_time = small / (double)j->s->totals.cycles;
    if (count < 2 || share < threshold("R10") || of_time < 0.02) return;
    say(j, "R10", of_time, j->s->totals.fidelity,
        "%s exchanges move only %s bytes a %s on average; they take %s of the time." TRY
        "Join them: most of their cycles are overhead." LINK "#view=time&step=%u",
        count_text(a, (double)count), count_text(b, tiles > 0 ? bytes / tiles : 0), j->tile, share_text(c, of_time),
        worst);
}

static void repeated(judge *j)
{
    tw__repeat r = tw__repeat_of(j->s);
    double cycles = (double)j->s->totals.cycles;
    char a[ROOM], b[ROOM], c[ROOM];
    if (r.second == TW__NONE || r.all_bytes <= 0 || r.bytes / r.all_bytes < threshold("R13")) return;
    const tw__step *step = &j->p->steps.items[r.second];
    bool same = j->p->steps.items[r.first].name == step->name;
    say(j, "R13", r.cycles / cycles, j->s->totals.fidelity,
        "%s and %s move the same %s%s; nothing writes it in between. Such exchanges take %s of the time." TRY
        "Keep the first copy: %s exchange%s could go." LINK "#view=time&step=%u",
        step_text(j, r.first), same ? "a later one of that name" : step_text(j, r.second),
        bytes_text(a, (double)step->total_data), j->s->counts[r.second] > 1 ? " each time" : "",
        share_text(b, r.cycles / cycles), count_text(c, (double)r.exchanges), r.exchanges == 1 ? "" : "s",
        r.second);
}

static void held(judge *j)
{
    tw__held h = tw__held_of(j->s);
    char a[ROOM], c[ROOM], where[ROOM];
    if (h.block == TW__NONE || (double)h.bytes / (double)h.peak < threshold("R14")) return;
    const tw__profile_block *block = &j->p->blocks.items[h.block];
    uint64_t limit = j->s->limit;
    char memory[96] = "";
    for (size_t k = 0; k < j->p->limits.count; k++)
        if (j->p->limits.items[k].category == block->category) {
            limit = j->p->limits.items[k].bytes;
            g_snprintf(memory, sizeof memory, "%.80s of ", j->p->names.items[block->category]);
        }
    const char *unit = j->p->map_in_cycles ? "cycle" : "step";
    say(j, "R14", limit ? (double)h.bytes / (double)limit : 0, j->p->liveness_fidelity,
        "%s (%s) is not used after %s %u but held at %s %u, when %s%s is fullest; so is %s of what it holds "
        "then." TRY "Free it after its last use, or let others share its addresses." LINK
        "#view=memory&tab=map&tile=%u",
        quoted(j, j->p->names.items[block->name]), bytes_text(a, (double)block->bytes), unit, block->used, unit,
        h.peak_at, memory, tile_text(where, j, h.tile, false), share_text(c, (double)h.bytes / (double)h.peak),
        h.tile);
}

/* --- kernels ---------------------------------------------------------------------------------------------------- */

static bool moves_data(const char *name)
{
    static const char *const parts[] = { "Copy", "Memcpy", "Memset", "Transpose", "Rearrange" };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

static uint32_t p_threads(const judge *j)
{
    return j->p->target.threads > 1 ? j->p->target.threads : 1;
}

static void kernels(judge *j)
{
    double all = 0, moving = 0, most = 0, most_moving = 0;
    uint32_t best = TW__NONE, mover = TW__NONE, used = 0;
    char a[ROOM], b[ROOM], c[ROOM];
    for (uint32_t i = 0; i < j->p->types.count; i++) {
        double cycles = (double)j->s->types[i].cycles;
        all += cycles, used += cycles > 0;
        if (cycles > most) most = cycles, best = i;
        if (!moves_data(j->p->names.items[j->p->types.items[i].name])) continue;
        moving += cycles;
        if (cycles > most_moving) most_moving = cycles, mover = i;
    }
    if (all <= 0) return;
    double compute = (double)j->s->totals.by_bucket[TW_CYCLES_COMPUTE];
    uint32_t tiles; /* those that no program is on would only dilute it */
    if (!tw__profile_tiles_in_use(j->p, &tiles) || !tiles) tiles = j->s->tiles; /* there are totals only */
    double time = (double)j->s->totals.cycles * tiles, weight = time > 0 ? compute / time : 0;
    if (weight > 1) weight = 1;
    if (moving / all >= threshold("R9"))
        say(j, "R9", moving / all * weight, j->s->totals.fidelity,
            "%s of all %s cycles only move data within %ss, %s most of them." TRY
            "Align the layouts of what is copied, so that it need not be." LINK "#view=kernels&type=%u",
            share_text(a, moving / all), j->kernel, j->tile,
            quoted(j, j->p->names.items[j->p->types.items[mover].name]), mover);
    if (used > 1 && most / all >= threshold("R17"))
        say(j, "R17", most / all * weight / 2, j->s->totals.fidelity,
            "%s takes %s of all %s cycles, with %s instances." TRY
            "Whatever makes it faster makes the program faster." LINK "#view=kernels&type=%u",
            quoted(j, j->p->names.items[j->p->types.items[best].name]), share_text(a, most / all), j->kernel,
            count_text(c, (double)j->s->types[best].instances), best);
    double idle = compute > 0 && p_threads(j) == 1 ? 1 - (double)j->s->totals.compute_active / compute : 0;
    if (idle >= threshold("R11") && j->p->steps.count > 0)
        say(j, "R11", idle * weight, j->s->totals.fidelity,
            "Workers are idle for %s of the compute time of their %ss." TRY
            "Split work into a multiple of the %s's workers, of equal length." LINK "#view=kernels",
            share_text(b, idle), j->tile, j->tile);
}

/* --- waits and pipes -------------------------------------------------------------------------------------------- */

typedef struct wait_sum {
    double cycles;
    uint32_t tile, partner;
    tw__name cause;
} wait_sum;

static void stalls(judge *j)
{
    wait_sum most = { .partner = TW__NONE };
    char a[ROOM], b[ROOM], where[ROOM], partner[96] = "";
    if (!strcmp(j->p->names.items[j->p->target.type], "ASCEND_PTO"))
        return; /* one pipe waits, another works: R16 */
    double *by_tile = g_new0(double, (size_t)j->s->tiles + 1);
    for (size_t i = 0; i < j->p->waits.count; i++) {
        const tw__profile_wait *w = &j->p->waits.items[i];
        by_tile[w->tile] += (double)w->cycles;
        if ((double)w->cycles > most.cycles) most = (wait_sum){ (double)w->cycles, w->tile, w->partner, w->cause };
    }
    double waits = by_tile[most.tile], busy = (double)j->s->active[most.tile], share = waits / (waits + busy);
    g_free(by_tile);
    if (most.cycles <= 0 || share < threshold("R15")) return;
    if (most.partner != TW__NONE)
        g_snprintf(partner, sizeof partner, " for %s", tile_text(where, j, most.partner, false));
    say(j, "R15", share / 2, j->s->totals.fidelity,
        "%s waits for %s of its time, most of it%s (%s, %s cycles)." TRY
        "The slower of the two sets the pace: give it less to do." LINK "#view=time&tile=%u",
        tile_text(where, j, most.tile, true), share_text(a, share), partner, j->p->names.items[most.cause],
        count_text(b, most.cycles), most.tile);
}

/* PTO: pipes of the slowest core. */
static void pipes(judge *j)
{
    const tw_profile *p = j->p;
    if (strcmp(p->names.items[p->target.type], "ASCEND_PTO") != 0 || !p->lanes.count) return;
    uint64_t *busy = g_new0(uint64_t, p->lanes.count), end = 0;
    uint32_t core = 0, first = TW__NONE, second = TW__NONE;
    char a[ROOM], b[ROOM], c[ROOM];
    for (size_t i = 0; i < p->intervals.count; i++) {
        const tw__profile_interval *v = &p->intervals.items[i];
        if (!v->cause) busy[v->lane] += v->to - v->from;
        if (v->to > end) end = v->to, core = p->lanes.items[v->lane].tile;
    }
    for (uint32_t l = 0; l < p->lanes.count; l++) {
        if (p->lanes.items[l].tile != core || !busy[l]) continue;
        if (first == TW__NONE || busy[l] > busy[first])
            second = first, first = l;
        else if (second == TW__NONE || busy[l] > busy[second])
            second = l;
    }
    if (first != TW__NONE && end) {
        double bound = (double)busy[first] / (double)end;
        if (second != TW__NONE && bound < threshold("R16") && (double)busy[second] / (double)end > 0.2)
            say(j, "R16", 1 - bound, j->s->totals.fidelity,
                "%s and %s of core %u take turns: the busier one works %s of the time." TRY
                "Double buffering would end at cycle %s instead of %s, at best." LINK "#view=time&tile=%u",
                p->names.items[p->lanes.items[first].name], p->names.items[p->lanes.items[second].name], core,
                share_text(a, bound), count_text(b, (double)busy[first]), count_text(c, (double)end), core);
        else
            say(j, "R16", bound < threshold("R16") ? 1 - bound : 0.02, j->s->totals.fidelity,
                "%s of core %u sets the pace: it works %s of the time." TRY "%s" LINK "#view=time&tile=%u",
                p->names.items[p->lanes.items[first].name], core, share_text(a, bound),
                bound < threshold("R16") ? "The rest is waiting for loads and flags."
                                         : "Only less work on it helps.",
                core);
    }
    g_free(busy);
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

static gint by_severity(gconstpointer a, gconstpointer b)
{
    const tw_finding *x = a, *y = b;
    if (x->is_error != y->is_error) return x->is_error ? -1 : 1;
    if (x->severity != y->severity) return x->severity < y->severity ? 1 : -1;
    return strcmp(x->rule, y->rule);
}

tw_findings *tw__findings_of(const tw__stats *s)
{
    tw_findings *out = g_new0(tw_findings, 1);
    out->list = g_array_new(FALSE, TRUE, sizeof(tw_finding));
    out->texts = g_string_chunk_new(1024);
    judge j = { .s = s, .p = s->p, .out = out };
    j.chip = tw__word_of(s->p, TW__WORD_CHIP);
    j.tile = tw__word_of(s->p, TW__WORD_TILE);
    j.kernel = tw__word_of(s->p, TW__WORD_KERNEL);
    if (s->p->has_graph) full_memories(&j), full_tiles(&j), uneven(&j), always_live(&j), held(&j);
    if (s->has_totals && s->totals.cycles) {
        unused(&j), by_kind(&j), waiting(&j), small_messages(&j), repeated(&j), kernels(&j), stalls(&j), pipes(&j);
    }
    g_array_sort(out->list, by_severity);
    return out;
}

tw_findings *tw_profile_findings(const tw_profile *profile)
{
    tw__stats s;
    if (!profile) return tw__made(tw__missing("profile"), NULL);
    if (tw__stats_new(&s, profile) != TW_OK) return tw__made(tw_error_status(), NULL);
    tw_findings *out = tw__findings_of(&s);
    tw__stats_free(&s);
    return out;
}

size_t tw_findings_count(const tw_findings *findings)
{
    return findings ? findings->list->len : 0;
}

const tw_finding *tw_findings_at(const tw_findings *findings, size_t index)
{
    return index < tw_findings_count(findings) ? &g_array_index(findings->list, tw_finding, index) : NULL;
}

void tw_findings_free(tw_findings *findings)
{
    if (!findings) return;
    g_array_free(findings->list, TRUE);
    g_string_chunk_free(findings->texts);
    g_free(findings);
}
