/* SPDX-License-Identifier: MIT */
/* What has been translated. Translations are kept for as long as the process lives, by content: a tile whose code is
 * the same at the same addresses uses them too. Places that are interpreted for long are translated by a thread of
 * its own, while the interpreter goes on. */
#include "poplar/colossus/sim/native.h"

#include <stdlib.h>

/* HOT: turns in a block of 256 bytes, a tenth of a second, about what the compiler takes; MOST_DROPS: tiles that
 * change their code all the time are interpreted. */
enum { HOT = 40000000, BLOCK_BITS = 8, BLOCKS = 4096, MOST_DROPS = 64, MOST_TRANSLATIONS = 1000 };

typedef struct job {
    tw__native *native;
    char *text;
} job;

static struct {
    GMutex lock;
    GCond done;
    GPtrArray *all;    /* tw__native */
    GHashTable *known; /* checksums of texts that have been translated, or could not be */
    GThreadPool *pool;
    unsigned working;
} registry;
static unsigned translations; /* atomic: registry.all->len */
static gsize blocks[BLOCKS];  /* atomic: turns */
static tw__sim_compiler *compiler;

void tw__sim_set_compiler(tw__sim_compiler *given)
{
    g_atomic_pointer_set(&compiler, given);
}

static bool all_at_once;

void tw__sim_translate_all(void)
{
    all_at_once = true;
}

bool tw__native_at_once(const tw_sim *sim)
{
    return sim->options.translate == TW_SIM_TRANSLATE_AT_ONCE || all_at_once;
}

bool tw__native_wanted(const tw_sim *sim)
{
    return sim->options.translate != TW_SIM_TRANSLATE_OFF && g_atomic_pointer_get(&compiler) &&
           sim->native_drops < MOST_DROPS && G_BYTE_ORDER == G_LITTLE_ENDIAN;
}

/* --- translating ------------------------------------------------------------------------------------------------ */

static tw__native *native_of(const tw__region *r)
{
    tw__native *n = g_new0(tw__native, 1);
    const tw_sim *sim = r->sim;
    uint32_t words = (r->high - r->low) / 4;
    *n = (tw__native){ .arch = sim->arch,
                       .clashes = !sim->options.ignore_clashes,
                       .denormals = sim->options.denormals,
                       .low = r->low,
                       .high = r->high,
                       .words = g_memdup2(sim->memory + (r->low - sim->base), r->high - r->low),
                       .counts = g_malloc0(words),
                       .entries = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    for (uint32_t i = 0; i < words; i++) {
        uint32_t address = r->low + 4 * i, end;
        uint8_t flags = *tw__region_at(r, address);
        if (flags & TW__REGION_SEEN) {
            const tw__sim_op *op = tw__region_op(r, address);
            for (uint32_t at = address; at < tw__region_next(op); at += 4) n->counts[(at - r->low) / 4] = 1;
            if (tw__native_kind_of(op) == TW__NATIVE_REPEAT && !(flags & TW__REGION_LEFT))
                for (uint32_t at = tw__region_body(op, &end); at < end; at += 4) n->counts[(at - r->low) / 4] = 1;
        }
        bool entry = (flags & TW__REGION_ENTRY) && (flags & TW__REGION_SEEN) && !(flags & TW__REGION_LEFT);
        if (entry || (flags & TW__REGION_BODY)) g_array_append_val(n->entries, address);
    }
    return n;
}

static void native_free(tw__native *n)
{
    g_free(n->words);
    g_free(n->counts);
    g_array_free(n->entries, TRUE);
    g_free(n);
}

static void native_translate(gpointer data, gpointer user)
{
    job *j = data;
    tw__sim_compiler *compile = g_atomic_pointer_get(&compiler);
    (void)user;
    j->native->code = compile ? compile(j->text) : NULL;
    g_mutex_lock(&registry.lock);
    if (j->native->code) {
        g_ptr_array_add(registry.all, j->native);
        g_atomic_int_set(&translations, registry.all->len);
    } else {
        native_free(j->native);
    }
    registry.working--;
    g_cond_broadcast(&registry.done);
    g_mutex_unlock(&registry.lock);
    g_free(j->text);
    g_free(j);
}

/* Is this text new? Then it is noted, and will be translated. */
static bool native_note(const char *text)
{
    char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    g_mutex_lock(&registry.lock);
    if (!registry.all) {
        registry.all = g_ptr_array_new();
        registry.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    bool fresh = registry.all->len < MOST_TRANSLATIONS && !g_hash_table_contains(registry.known, sum);
    if (fresh) g_hash_table_add(registry.known, sum), registry.working++;
    g_mutex_unlock(&registry.lock);
    if (!fresh) g_free(sum);
    return fresh;
}

static void translate_later(job *j)
{
    g_mutex_lock(&registry.lock);
    if (!registry.pool) registry.pool = g_thread_pool_new(native_translate, NULL, 1, FALSE, NULL);
    GThreadPool *pool = registry.pool;
    g_mutex_unlock(&registry.lock);
    g_thread_pool_push(pool, j, NULL);
}

/* Does translated code of this tile begin or lie here already? */
static bool native_covered(const tw_sim *sim, uint32_t address)
{
    for (unsigned i = 0; i < sim->native_count; i++) {
        const tw__native *n = sim->natives[i];
        if (address >= n->low && address < n->high && n->counts[(address - n->low) / 4]) return true;
    }
    return false;
}

/* Where nothing came of it is not asked again (until the code changes). */
static bool native_asked(tw_sim *sim, uint32_t address)
{
    if (!tw__sim_at(&sim->contexts[0], address)) return true;
    uint32_t offset = address - sim->base;
    uint8_t *entry = &sim->pages[offset >> TW__SIM_PAGE_BITS]->native[(offset & (TW__SIM_PAGE - 1)) / 4];
    if (*entry) return true;
    *entry = TW__SIM_ASKED;
    return false;
}

static void native_request(tw_sim *sim, uint32_t address)
{
    if (native_covered(sim, address) || native_asked(sim, address)) return;
    tw__region *r = tw__region_new(sim, address);
    tw__native *n = r->count ? native_of(r) : NULL;
    char *text = n && n->entries->len ? tw__native_text(r) : NULL;
    if (text && native_note(text)) {
        job *j = g_new(job, 1);
        *j = (job){ n, text };
        tw__native_at_once(sim) ? native_translate(j, NULL) : translate_later(j);
    } else {
        if (n) native_free(n);
        g_free(text);
    }
    tw__region_free(r);
}

void tw__native_hot(tw_sim *sim, uint32_t address, uint64_t turns)
{
    if (!tw__native_wanted(sim) || (address & 3) || address - sim->base >= sim->region1 - sim->base) return;
    gsize *block = &blocks[(address >> BLOCK_BITS) % BLOCKS];
    bool at_once = tw__native_at_once(sim);
    gsize before = at_once ? HOT : (gsize)g_atomic_pointer_add(block, (gssize)MIN(turns, HOT));
    if (before + turns < HOT) return;
    if (!at_once) g_atomic_pointer_set(block, 0);
    native_request(sim, address);
}

uint64_t tw__sim_native_turns(const tw_sim *sim)
{
    return sim->native_turns;
}

unsigned tw__sim_native_wait(void)
{
    g_mutex_lock(&registry.lock);
    while (registry.working) g_cond_wait(&registry.done, &registry.lock);
    unsigned count = registry.all ? registry.all->len : 0;
    g_mutex_unlock(&registry.lock);
    return count;
}

/* --- tiles ------------------------------------------------------------------------------------------------------ */

static bool native_fits(const tw_sim *sim, const tw__native *n)
{
    if (n->arch != sim->arch || n->clashes == sim->options.ignore_clashes || n->denormals != sim->options.denormals)
        return false;
    const uint8_t *code = sim->memory + (n->low - sim->base);
    for (uint32_t i = 0; i < (n->high - n->low) / 4; i++)
        if (n->counts[i] && memcmp(&n->words[i], code + 4 * i, 4) != 0) return false;
    return true;
}

/* Stores find out by the records of a page that it holds code: it gets them. */
static bool native_attach(tw_sim *sim, const tw__native *n)
{
    for (unsigned i = 0; i < sim->native_count; i++)
        if (sim->natives[i] == n) return false; /* after a write somewhere else */
    if (sim->native_count == TW__SIM_NATIVES || !native_fits(sim, n)) return false;
    for (uint32_t at = n->low; at < n->high; at += 4)
        if (n->counts[(at - n->low) / 4] && !tw__sim_at(&sim->contexts[0], at)) return false;
    sim->natives[sim->native_count++] = n;
    for (unsigned i = 0; i < n->entries->len; i++) {
        uint32_t offset = g_array_index(n->entries, uint32_t, i) - sim->base;
        uint8_t *entry = &sim->pages[offset >> TW__SIM_PAGE_BITS]->native[(offset & (TW__SIM_PAGE - 1)) / 4];
        if (!*entry || *entry == TW__SIM_ASKED) *entry = (uint8_t)sim->native_count;
    }
    return true;
}

bool tw__native_ready(tw_sim *sim)
{
    if (!tw__native_wanted(sim)) return false;
    unsigned count = (unsigned)g_atomic_int_get(&translations);
    if (sim->native_seen < count) {
        g_mutex_lock(&registry.lock);
        for (; sim->native_seen < count; sim->native_seen++)
            if (native_attach(sim, registry.all->pdata[sim->native_seen])) sim->native_wait = 0;
        g_mutex_unlock(&registry.lock);
    }
    return sim->native_count && !sim->native_wait;
}

void tw__native_detach(tw_sim *sim)
{
    if (sim->native_count) sim->native_drops++;
    for (uint32_t p = 0; sim->native_count && p < sim->page_count; p++)
        if (sim->pages[p]) memset(sim->pages[p]->native, 0, sizeof sim->pages[p]->native);
    sim->native_count = sim->native_seen = 0;
}
