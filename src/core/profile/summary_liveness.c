/* SPDX-License-Identifier: MIT */
/* Variable storage liveness of the summary (guide 8.2.3): always-live variables, then the program tree with what is
 * live while each leaf runs. Variables of one name are added up; names are in byte order, as in the guide. */
#include "core/profile/summary.h"

#include <stdlib.h>

typedef struct named_bytes {
    const char *name;
    uint64_t bytes;
} named_bytes;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named_bytes *)a)->name, ((const named_bytes *)b)->name);
}

static tw_status print_variables(const tw__page *page, int indent, const tw__live_var *vars, size_t count)
{
    named_bytes *list = tw__realloc(NULL, (count + 1) * sizeof *list);
    char text[TW__TEXT];
    if (!list) return tw__fail(TW_E_NO_MEMORY, "out of memory for the summary");
    for (size_t i = 0; i < count; i++) list[i] = (named_bytes){ page->p->names.items[vars[i].name], vars[i].bytes };
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t bytes = list[i].bytes;
        for (end = i + 1; end < count && !strcmp(list[i].name, list[end].name); end++) bytes += list[end].bytes;
        fprintf(page->out, "%*s", indent, "");
        tw__print_name(page->out, list[i].name, 60);
        fprintf(page->out, " %s\n", tw__commas(text, sizeof text, bytes));
    }
    free(list);
    return TW_OK;
}

static tw_status print_program(const tw__page *page, uint32_t id, int indent)
{
    const tw_profile *p = page->p;
    const tw__profile_program *program = &p->programs.items[id];
    const char *name = p->names.items[program->name];
    char text[TW__TEXT];
    tw__live_var *vars;
    size_t count;
    fprintf(page->out, "%*s", indent, "");
    tw__print_name(page->out, p->names.items[program->type_name], 0);
    fputs(name[0] ? ": " : "", page->out);
    tw__print_name(page->out, name, 0);
    fputc('\n', page->out);
    tw_status status = tw__profile_live(p, id, &vars, &count);
    if (!vars) return status;
    fprintf(page->out, "%*sLive Bytes (excluding always-live): %s\n", indent + 2, "",
            tw__commas(text, sizeof text, p->rows.items[program->live_bytes].sum));
    fprintf(page->out, "%*sLive Vars (excluding always-live):\n", indent + 2, "");
    status = print_variables(page, indent + 4, vars, count);
    free(vars);
    return status;
}

tw_status tw__summary_liveness(const tw__page *page)
{
    const tw_profile *p = page->p;
    char text[TW__TEXT];
    uint64_t always = tw__profile_always_live_bytes(p);
    fputc('\n', page->out);
    tw__heading(page, 0, "Variable Storage Liveness: All tiles");
    fprintf(page->out, "  Always-live bytes: %s\n", tw__commas(text, sizeof text, always));
    fprintf(page->out, "  Always-live variables:\n");
    tw_status status = print_variables(page, 4, p->always_live.items, p->always_live.count);
    fprintf(page->out, "  Maximum live bytes (including always-live): %s\n",
            tw__commas(text, sizeof text, always + p->max_live));
    unsigned depth;
    for (uint32_t at = tw__profile_next_program(p, TW__NONE, &depth); at != TW__NONE && !status;
         at = tw__profile_next_program(p, at, &depth))
        status = print_program(page, at, 2 + 2 * (int)(depth < 100 ? depth : 100));
    return status;
}
