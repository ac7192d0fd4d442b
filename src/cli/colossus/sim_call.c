/* SPDX-License-Identifier: MIT */
/* Arguments of calls by the ABI of the guide's chapter 10. */
#include "cli/colossus/sim.h"

#include <stdio.h>
#include <string.h>
#include <tilewright/type.h>

/* --- calls: guide 10.3.1 --------------------------------------------------------------------------------------- */

/* Where the next argument of each kind goes. A register skipped to align a pair or quad is not used again. */
typedef struct places {
    unsigned m, a;
    uint32_t stack;
    bool variadic;
} places;

static tw_status pass(tw__sim_session *s, places *p, const uint32_t *words, unsigned count, bool is_float)
{
    unsigned *next = is_float ? &p->a : &p->m, limit = is_float ? 6 : 4;
    unsigned first = (*next + count - 1) / count * count;
    if (!p->variadic && first + count <= limit) {
        for (unsigned i = 0; i < count; i++)
            if (is_float)
                tw_sim_set_a(s->sim, 0, first + i, words[i]);
            else
                tw_sim_set_m(s->sim, 0, first + i, words[i]);
        *next = first + count;
        return TW_OK;
    }
    if (!p->variadic) *next = limit;
    if (count > 1) p->stack = (p->stack + 7) & ~7u;
    tw_status status = TW_OK;
    for (unsigned i = 0; i < count && status == TW_OK; i++, p->stack += 4) {
        uint32_t bits = GUINT32_TO_LE(words[i]);
        status = tw_sim_write(s->sim, tw_sim_get_m(s->sim, 0, 11) + p->stack, &bits, 4);
    }
    return status;
}

/* "7", "1.5", "1:2" or "1.0:2.0:3.0:4.0" (a vector), "{7}" (as its member), "{1,2,3}" (by pointer), "..." */
static int pass_text(tw__sim_session *s, places *p, char *text)
{
    uint32_t words[64];
    bool is_float = false, aggregate = *text == '{';
    unsigned count = 0;
    if (strcmp(text, "...") == 0) return p->variadic = true, TW__EXIT_OK;
    if (aggregate) text++, g_strdelimit(text, "}", ' ');
    g_auto(GStrv) parts = g_strsplit(text, aggregate ? "," : ":", -1);
    for (char **i = parts; *i; i++, count++)
        if (count == G_N_ELEMENTS(words) || !tw__sim_number(g_strstrip(*i), &words[count], &is_float))
            return tw__cli_usage_error("sim", "--call: '%s' is no argument", text);
    if (!aggregate && count != 1 && count != 2 && (count != 4 || !is_float))
        return tw__cli_usage_error("sim", "--call: a vector has two words, or four of a float4: '%s'", text);
    if (aggregate && (count != 1 || p->variadic)) {
        uint32_t at = s->next;
        s->next += (4 * count + 7) & ~7u;
        for (unsigned i = 0; i < count; i++) words[i] = GUINT32_TO_LE(words[i]);
        if (tw_sim_write(s->sim, at, words, 4 * count) != TW_OK) return tw__cli_failure("sim");
        words[0] = at, count = 1, is_float = false;
    }
    return pass(s, p, words, count, is_float) == TW_OK ? TW__EXIT_OK : tw__cli_failure("sim");
}

/* --- what a function has to keep: guide 10.3.3, 10.3.4 ---------------------------------------------------------- */

static const struct kept {
    char file;
    unsigned number;
} kept[] = { { 'm', 7 }, { 'm', 8 }, { 'm', 9 }, { 'm', 11 }, { 'a', 6 }, { 'a', 7 } };
G_STATIC_ASSERT(G_N_ELEMENTS(kept) == TW__SIM_KEPT);

static uint32_t read_kept(const tw__sim_session *s, const struct kept *k)
{
    return k->file == 'm' ? tw_sim_get_m(s->sim, 0, k->number) : tw_sim_get_a(s->sim, 0, k->number);
}

/* Numbers that no function leaves in a register by chance. */
static void fill_kept(tw__sim_session *s)
{
    for (unsigned i = 0; i < TW__SIM_KEPT; i++) {
        uint32_t pattern = 0x5a5a0000 + kept[i].number;
        if (kept[i].file == 'a')
            tw_sim_set_a(s->sim, 0, kept[i].number, pattern);
        else if (kept[i].number != 11)
            tw_sim_set_m(s->sim, 0, kept[i].number, pattern);
    }
}

void tw__sim_note_kept(tw__sim_session *s)
{
    for (unsigned i = 0; i < TW__SIM_KEPT; i++) s->kept[i] = read_kept(s, &kept[i]);
}

void tw__sim_check_kept(const tw__sim_session *s)
{
    for (unsigned i = 0; i < TW__SIM_KEPT; i++) {
        uint32_t now = read_kept(s, &kept[i]);
        if (now != s->kept[i])
            fprintf(
                stderr,
                "tilewright sim: warning: $%c%u is 0x%x when the function returns, it was 0x%x: a function has to "
                "keep %s (guide 10.3)\n",
                kept[i].file, kept[i].number, now, s->kept[i],
                kept[i].number == 11 ? "the stack pointer" : "this register");
    }
}

/* --- the list of arguments -------------------------------------------------------------------------------------- */

/* Commas outside braces separate arguments. */
int tw__sim_pass(tw__sim_session *s, const char *text)
{
    g_autofree char *args = g_strdup(text);
    places p = { 0 };
    unsigned depth = 0;
    tw_sim_set_m(s->sim, 0, 11, s->room + TW__SIM_ARGUMENTS - 0x400);
    tw_sim_set_m(s->sim, 0, 10, TW_SIM_RETURN);
    fill_kept(s);
    for (char *start = args, *c = args;; c++) {
        depth += *c == '{';
        depth -= *c == '}' && depth;
        if (*c && (*c != ',' || depth)) continue;
        bool last = !*c;
        *c = 0;
        g_strstrip(start);
        int bad = *start || !last || start != args ? pass_text(s, &p, start) : TW__EXIT_OK;
        if (bad || last) return bad;
        start = c + 1;
    }
}
