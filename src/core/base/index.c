/* SPDX-License-Identifier: MIT */
/* An index of source texts: lists of files, symbols and uses. */
#include "core/base/index.h"
#include "core/base/list.h"

#include <stdlib.h>

struct tw_index {
    tw__arena *arena;
    TW__LIST(const char *) files;
    TW__LIST(tw_index_symbol) symbols;
    TW__LIST(tw_index_use) uses;
    bool lost;
};

tw_index *tw__index_new(void)
{
    tw_index *index = tw__calloc(1, sizeof *index);
    if (index && (index->arena = tw__arena_new(0))) return index;
    free(index);
    return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for an index"), NULL);
}

void tw_index_free(tw_index *index)
{
    if (!index) return;
    tw__arena_free(index->arena);
    free(index->files.items);
    free(index->symbols.items);
    free(index->uses.items);
    free(index);
}

const char *tw__index_text(tw_index *index, const char *text)
{
    const char *copy = text && *text ? tw__arena_strdup(index->arena, text) : "";
    if (!copy) index->lost = true;
    return copy ? copy : "";
}

uint32_t tw__index_add_file(tw_index *index, const char *path)
{
    const char *copy = tw__index_text(index, path);
    TW__APPEND(index->files, index->lost = true, copy);
    return index->files.count ? (uint32_t)index->files.count - 1 : 0;
}

uint32_t tw__index_add_symbol(tw_index *index, const tw_index_symbol *symbol)
{
    tw_index_symbol *row = TW__PUSH(index->symbols, index->lost = true);
    if (!row) return TW_INDEX_NONE;
    *row = *symbol;
    row->name = tw__index_text(index, symbol->name);
    row->type = tw__index_text(index, symbol->type);
    row->value = tw__index_text(index, symbol->value);
    row->fields = tw__index_text(index, symbol->fields);
    row->path = tw__index_text(index, symbol->path);
    return (uint32_t)index->symbols.count - 1;
}

void tw__index_add_use(tw_index *index, const tw_index_use *use)
{
    tw_index_use *row = TW__PUSH(index->uses, index->lost = true);
    if (!row) return;
    *row = *use;
    row->type = tw__index_text(index, use->type);
    row->value = tw__index_text(index, use->value);
}

tw_index_symbol *tw__index_symbol(tw_index *index, uint32_t symbol)
{
    return symbol < index->symbols.count ? &index->symbols.items[symbol] : NULL;
}

tw_index_use *tw__index_last_use(tw_index *index)
{
    return index->uses.count ? &index->uses.items[index->uses.count - 1] : NULL;
}

tw_index *tw__index_done(tw_index *index)
{
    if (!index || !index->lost) return index;
    tw_index_free(index);
    return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory for an index"), NULL);
}

const char *tw_index_file(const tw_index *index, size_t file)
{
    return index && file < index->files.count ? index->files.items[file] : NULL;
}

const tw_index_symbol *tw_index_symbol_get(const tw_index *index, size_t symbol)
{
    return index && symbol < index->symbols.count ? &index->symbols.items[symbol] : NULL;
}

const tw_index_use *tw_index_use_get(const tw_index *index, size_t use)
{
    return index && use < index->uses.count ? &index->uses.items[use] : NULL;
}
