/* SPDX-License-Identifier: MIT */
/* The table of columns, and a value of a struct by its column. */
#include "core/profile/schema.h"

#include <stddef.h>

#define TABLE(table, type, page) typedef type of_##table;
#include "core/profile/schema.def"

/* The number of each row is that of its line; what a table begins with follows. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
enum {
#define TABLE(table, type, page) FIRST_##table, BEFORE_##table = FIRST_##table - 1,
#define COLUMN(...)              JOIN(ROW_, __LINE__),
#include "core/profile/schema.def"
};

const tw__column tw__schema[] = {
#define COLUMN(table, member, kind, key, page, below, when, label, unit, meaning) \
    { offsetof(of_##table, member),                                               \
      sizeof(((of_##table *)0)->member),                                          \
      TW__KIND_##kind,                                                            \
      TW__BELOW_##below,                                                          \
      TW__TABLE_##table,                                                          \
      TW__WHEN_##when,                                                            \
      key,                                                                        \
      page,                                                                       \
      label,                                                                      \
      unit,                                                                       \
      meaning },
#include "core/profile/schema.def"
    { .table = TW__TABLES }
};

const tw__table_info tw__tables[TW__TABLES] = {
#define TABLE(table, type, page) { FIRST_##table, sizeof(of_##table), page, 0, 0, 0 },
#define LIMITED(table, type, page, list, most, omitted) \
    { FIRST_##table, sizeof(of_##table), page, offsetof(tw_profile, list), most, offsetof(tw_profile, omitted) },
#include "core/profile/schema.def"
};

unsigned tw__step_parts(const tw__step *s)
{
    bool compute = s->type == TW_PROGRAM_ON_TILE_EXECUTE;
    unsigned parts = TW__WHEN_MAIN | (s->sync ? 0 : compute ? TW__WHEN_COMPUTE : TW__WHEN_EXCHANGE);
    if (s->type == TW_PROGRAM_SYNC) return parts;
    return parts | TW__WHEN_TILES | TW__WHEN_THREADS | (compute ? 0 : TW__WHEN_DATA | TW__WHEN_MOVED);
}

/* A list as the profile's all are, whatever it is of. */
typedef TW__LIST(void) list;

tw__items tw__table_items(const tw_profile *p, tw__table table)
{
    list l = { NULL, 0, 0 };
    if (tw__tables[table].list) memcpy(&l, (const char *)p + tw__tables[table].list, sizeof l);
    return (tw__items){ l.items, l.count };
}

void *tw__table_push(tw_profile *p, tw__table table)
{
    list l;
    char *at = (char *)p + tw__tables[table].list;
    size_t size = tw__tables[table].size;
    memcpy(&l, at, sizeof l);
    if (l.count >= tw__tables[table].most) {
        ++*(uint64_t *)((char *)p + tw__tables[table].omitted);
        return NULL;
    }
    if (!tw__grow(&l.items, &l.room, l.count, size)) {
        tw__profile_fail(p, TW_E_NO_MEMORY, "out of memory for the profile");
        return NULL;
    }
    char *item = memset((char *)l.items + l.count++ * size, 0, size);
    memcpy(at, &l, sizeof l);
    return item;
}

uint64_t tw__column_get(const tw__column *c, const void *item)
{
    const char *at = (const char *)item + c->at;
    uint32_t four;
    uint64_t eight;
    if (c->size == 1) return *(const uint8_t *)at;
    if (c->size == 4) return memcpy(&four, at, 4), four;
    return memcpy(&eight, at, 8), eight;
}

void tw__column_set(const tw__column *c, void *item, uint64_t value)
{
    char *at = (char *)item + c->at;
    uint8_t one = (uint8_t)value;
    uint32_t four = (uint32_t)value;
    memcpy(at, c->size == 1 ? (void *)&one : c->size == 4 ? (void *)&four : (void *)&value, c->size);
}

void tw__column_set_real(const tw__column *c, void *item, double value)
{
    memcpy((char *)item + c->at, &value, sizeof value);
}

double tw__column_real(const tw__column *c, const void *item)
{
    double value;
    memcpy(&value, (const char *)item + c->at, sizeof value);
    return value;
}

bool tw__column_known(const tw__column *c, const void *item)
{
    if (c->kind == TW__KIND_RATIO) return tw__column_real(c, item) >= 0;
    if (tw__column_is_real(c)) return true;
    uint64_t value = tw__column_get(c, item);
    if (c->kind == TW__KIND_ID) return value != TW__NONE;
    return value || (c->kind < TW__KIND_ROW && c->kind != TW__KIND_SIGNED && !(c->when & TW__WHEN_IF));
}

const char *tw__column_word(const tw__column *c, unsigned value)
{
    static const char *const syncs[] = { "", "Internal", "External", "Global" };
    if (c->kind == TW__KIND_SYNC) return value < sizeof syncs / sizeof *syncs ? syncs[value] : NULL;
    return value <= TW_FIDELITY_ABSENT ? tw_fidelity_name((tw_fidelity)value) : NULL;
}
