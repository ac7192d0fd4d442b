/* SPDX-License-Identifier: MIT */
/* compare: what ran, as tables for a terminal and as JSON. */
#include "cli/compare/compare.h"

#include <math.h>
#include <string.h>
#include <tilewright/tile.h>

/* Seconds as people read them. */
char *tw__compare_seconds_text(double seconds, char text[32])
{
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 1e-9, "ns" } };
    size_t i = 0;
    while (i + 1 < G_N_ELEMENTS(units) && seconds < units[i].unit) i++;
    snprintf(text, 32, "%.3g %s", seconds / units[i].unit, units[i].name);
    return text;
}

char *tw__compare_bytes_text(double bytes, char text[32])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t i = 0;
    while (i + 1 < G_N_ELEMENTS(units) && bytes >= 1024) bytes /= 1024, i++;
    snprintf(text, 32, i ? "%.3g %s" : "%.0f %s", bytes, units[i]);
    return text;
}

tw__compare_share tw__compare_share_of(const tw__compare_row *row)
{
    double part = row->cores ? (double)row->cores_used / row->cores : 0, seconds = row->totals.seconds * part;
    bool known = seconds > 0;
    return (tw__compare_share){ known && row->peak_operations > 0 ? row->operations / seconds / row->peak_operations
                                                                  : -1,
                                known && row->peak_bytes > 0 ? row->bytes / seconds / row->peak_bytes : -1 };
}

const char *tw__compare_percent_text(double part, char text[32])
{
    if (part < 0) return "-";
    snprintf(text, 32, "%.*f %%", part < 0.1 ? 1 : 0, 100 * part);
    return text;
}

const char *tw__compare_band_text(const tw__compare_row *row)
{
    return row->band && *row->band ? row->band : "not validated";
}

/* Where the cores' time goes, in per cent: "43/1/56". */
static const char *spent_text(const tw__compare_row *row, char text[32])
{
    int computing = (int)lround(100 * row->computing), exchanging = (int)lround(100 * row->exchanging);
    snprintf(text, 32, "%d/%d/%d", computing, exchanging, 100 - computing - exchanging);
    return text;
}

size_t tw__compare_first(const tw__compare_row *rows, size_t last)
{
    while (last && rows[last - 1].kernel == rows[last].kernel) last--;
    return last;
}

static void print_head(const char *first, int wide)
{
    printf("  %-*s %10s %8s %15s %10s %8s %9s %9s %9s  %s\n", wide, first, "cycles", "time", "cores", "arithmetic",
           "memory", "network", "per core", "spent", "cycles are");
}

static void print_figures(const char *name, int wide, const tw__compare_row *row)
{
    char time[32], memory[32], operations[32], bytes[32], moved[32], spent[32];
    if (row->problem) {
        printf("  %-*s %s\n", wide, name, row->problem);
        return;
    }
    tw__compare_share s = tw__compare_share_of(row);
    g_autofree char *cores = g_strdup_printf("%u of %u", row->cores_used, row->cores);
    printf("  %-*s %10llu %8s %15s %10s %8s %9s %9s %9s  %s, %s\n", wide, name,
           (unsigned long long)row->totals.cycles, tw__compare_seconds_text(row->totals.seconds, time), cores,
           tw__compare_percent_text(s.operations, operations), tw__compare_percent_text(s.bytes, bytes),
           row->moved_is_known ? tw__compare_bytes_text((double)row->moved, moved) : "-",
           row->memory ? tw__compare_bytes_text((double)row->memory, memory) : "-", spent_text(row, spent),
           tw_fidelity_name(row->totals.fidelity), tw__compare_band_text(row));
}

static void print_own(const tw__compare_row *rows, size_t count)
{
    int wide = 7;
    for (size_t i = 0; i < count; i++)
        wide = MAX(wide, (int)strlen(rows[i].label) + (rows[i].chip ? (int)strlen(rows[i].chip) + 3 : 0));
    print_head("profile", wide);
    for (size_t i = 0; i < count; i++) {
        g_autofree char *name =
            rows[i].chip ? g_strdup_printf("%s (%s)", rows[i].label, rows[i].chip) : g_strdup(rows[i].label);
        print_figures(name, wide, &rows[i]);
    }
}

/* Times by size, a column each, of the kernel whose last row this is; nothing when it has one size. */
static void print_sizes(const tw__compare_row *rows, size_t last)
{
    size_t first = tw__compare_first(rows, last), machines = 1;
    while (first + machines <= last && rows[first + machines].n == rows[first].n) machines++;
    if (first + machines > last) return;
    printf("  %-8s", "n");
    for (size_t i = first; i <= last; i += machines) printf(" %10zu", rows[i].n);
    for (size_t m = 0; m < machines; m++) {
        printf("\n  %-8s", rows[first + m].machine->name);
        for (size_t i = first + m; i <= last; i += machines) {
            char time[32];
            const char *text = rows[i].problem ? "-" : tw__compare_seconds_text(rows[i].totals.seconds, time);
            printf(" %*s", 10 + (strstr(text, "µ") ? 1 : 0), text); /* two bytes */
        }
    }
    puts("");
}

void tw__compare_print(const tw__compare_row *rows, size_t count)
{
    char bytes[32];
    if (count && rows->label) print_own(rows, count);
    for (size_t i = 0; i < count && !rows->label; i++) {
        const tw__compare_row *row = &rows[i];
        if (!i || row->kernel != rows[i - 1].kernel || row->n != rows[i - 1].n) {
            printf("%s%s: %s, n = %zu %s; %.0f operations, %s\n", i ? "\n" : "", row->kernel->name,
                   row->kernel->what, row->n, row->kernel->size, row->operations,
                   tw__compare_bytes_text(row->bytes, bytes));
            print_head("machine", 8);
        }
        print_figures(row->machine->name, 8, row);
        if (i + 1 == count || rows[i + 1].kernel != row->kernel) print_sizes(rows, i);
    }
    if (count && !rows->label)
        puts("arithmetic, memory: share of what the cores that worked could do (estimated), for the operations and "
             "bytes of\nthe definition. Times are at the chip's clock and hold no transfer from or to the host.");
    bool is_unknown = false;
    for (size_t i = 0; i < count; i++) is_unknown |= !rows[i].problem && !rows[i].moved_is_known;
    puts("network: bytes between cores, on Ascend to and from the memory that they share.");
    if (is_unknown) puts("network -: the profile does not say what its cores loaded and stored; a new run does.");
    puts("spent: per cent of the time of the cores that worked, calculating/exchanging/waiting (launch, "
         "synchronisation, others).");
}

json_t *tw__compare_json(const tw__compare_row *rows, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const tw__compare_row *row = &rows[i];
        json_t *one = row->label ? json_pack("{s:s, s:s*}", "profile", row->label, "machine", row->chip)
                                 : json_pack("{s:s, s:s, s:I}", "kernel", row->kernel->name, "machine",
                                             row->machine->name, "n", (json_int_t)row->n);
        if (row->problem) json_object_set_new(one, "problem", json_string(row->problem));
        if (row->command) json_object_set_new(one, "command", json_string(row->command));
        if (!row->problem) {
            tw__compare_share s = tw__compare_share_of(row);
            json_t *figures =
                json_pack("{s:I, s:f, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:I, s:I, s:f, s:f}", "cycles",
                          (json_int_t)row->totals.cycles, "seconds", row->totals.seconds, "fidelity",
                          tw_fidelity_name(row->totals.fidelity), "band", tw__compare_band_text(row), "coresUsed",
                          (int)row->cores_used, "cores", (int)row->cores, "operations", row->operations, "bytes",
                          row->bytes, "shareOfArithmetic", s.operations, "shareOfMemory", s.bytes, "bytesPerCore",
                          (json_int_t)row->memory, "bytesMoved", (json_int_t)row->moved, "shareComputing",
                          row->computing, "shareExchanging", row->exchanging);
            if (!row->moved_is_known) json_object_set_new(figures, "bytesMoved", json_null());
            json_object_update(one, figures);
            json_decref(figures);
        }
        json_array_append_new(list, one);
    }
    return list;
}
