/* SPDX-License-Identifier: MIT */
/* What joins the PEs: routers and links, the order in which PEs are visited, streams of the host. */
#ifndef TW_CSL_WSE_FABRIC_FABRIC_H
#define TW_CSL_WSE_FABRIC_FABRIC_H

#include "csl/wse/pe/pe.h"

/* --- schedule.c: who is looked at when ------------------------------------------------------------------------ */
bool tw__wse_schedule_new(tw__wse *w);
void tw__wse_schedule_free(tw__wse *w);
uint64_t tw__wse_next_time(tw__wse *w, size_t *busy); /* *busy: PEs to look at in the window from w->now on */
void tw__wse_window(tw__wse *w);                      /* the window from w->now on, one thread */
void tw__wse_windows(tw__wse *w, unsigned count); /* several, by all threads, in an order that suits the caches */

/* --- save.c: checkpoints -------------------------------------------------------------------------------------- */
extern const tw__ck_table tw__wse_fabric_tables[];

/* --- run.c ---------------------------------------------------------------------------------------------------- */
tw__part *tw__wse_part_of(tw__wse *w, uint32_t pe);

/* --- ranks.c, gather.c: a wafer that several processes share --------------------------------------------------- */
bool tw__wse_ranks_begin(tw__wse *w); /* which PEs live here; false = out of memory, or they cannot be divided */
void tw__wse_ranks_free(tw__wse *w);
void tw__wse_ranks_mailboxes(tw__wse *w); /* all ranks, when PEs are there: whose programs have messages */
/* All ranks, as the rest. Windows from w->now on; what crosses from one rank to another is there afterwards, and
 * w->now behind them. */
void tw__wse_ranks_windows(tw__wse *w, unsigned windows);
/* What this rank found out becomes what all know: when something happens next, how many PEs there are to look at,
 * faults; messages are shown. */
uint64_t tw__wse_ranks_next(tw__wse *w, uint64_t next, size_t *busy);
void tw__wse_gather_messages(tw__wse *w);               /* and shows them */
uint32_t tw__wse_rows(const tw__wse *w, unsigned rank); /* its first row */

/* --- router.c, switch.c, host.c ------------------------------------------------------------------------------- */
void tw__wse_add_totals(tw__wse_totals *sum, const tw__wse_totals *more);
/* `queues`: output queues of the compute engine that had wavelets when the cycle began. */
void tw__wse_router_turn(tw__part *part, uint32_t pe, uint64_t now, uint32_t queues);
static inline bool tw__wse_slot_filled(const tw__slot *slot)
{
    uint64_t words[2];
    memcpy(words, slot->word, sizeof words);
    return words[0] | words[1];
}
/* Do the same colors come from the same sides in both cycles of a window, and does nothing wait? */
static inline bool tw__wse_router_flows(const tw__router *router, uint64_t now)
{
    uint64_t first[2], second[2];
    memcpy(first, router->slot[now & 3].word, sizeof first);
    memcpy(second, router->slot[(now + 1) & 3].word, sizeof second);
    return !((first[0] ^ second[0]) | (first[1] ^ second[1]) | router->out_busy |
             (router->busy & (router->ready | router->retry)));
}
/* Such a window in one go, if it is one train that comes, and nothing is in its way; false = it is not, and nothing
 * is done. */
bool tw__wse_router_stream(tw__part *part, uint32_t pe, uint64_t now);
/* Would a turn of the router in this cycle change anything? */
static inline bool tw__wse_router_stirs(const tw__router *router, uint64_t now, uint32_t queues)
{
    return tw__wse_slot_filled(&router->slot[now & 3]) || router->busy & (router->ready | router->retry) ||
           queues & ~router->stuck || router->has_ports;
}
uint32_t tw__wse_switch_command(tw__part *part, uint32_t pe, tw__channel *c,
                                uint32_t payload); /* the outgoing list */
void tw__wse_switch_advance(tw__channel *c);
bool tw__wse_filter_passes(const tw__channel *c, uint32_t payload, bool control); /* as its counter stands */
void tw__wse_filter_count(tw__channel *c, bool control);                          /* one wavelet more has come */
tw__port *tw__wse_port_of(const tw__pe *pe, unsigned side, unsigned color, bool out); /* NULL = none */
bool tw__wse_port_put(tw__port *port, uint32_t payload, bool control);
bool tw__wse_port_get(tw__port *port, uint32_t *payload, bool *control);

#endif
