/* op_forms: what stands where in the operations that are no tile instructions (spec pto.md 2.4): their lists and
 * named parts, and which operand each written type is of. What an operation has besides is refused with its form. */
#include "pto/text/bind/op_rules.h"

typedef struct form {
    const char *name; /* "arith.*": all that begin so */
    const char
        *lists; /* in order; "" = without a name, "shape " = shape = [...] or shape [...]; a digit: how many */
    const char *words; /* names of single values, each followed by a blank */
    const char *types; /* operand that each type after ':' is of; '.' = not an operand's */
    const char *text;
    bool (*rule)(const tw__as_site *c); /* of its operands; may be NULL */
} form;

static const form forms[] = {
    // clang-format off
    { "pto.addptr", NULL, "", "0", "%q = pto.addptr %p, %offset : pointer -> pointer", tw__as_rule_same },
    { "pto.load_scalar", "1", "", "0", "%x = pto.load_scalar %p[%i] : pointer -> type", tw__as_rule_load },
    { "pto.store_scalar", "1", "", "10", "pto.store_scalar %x, %p[%i] : pointer, type", tw__as_rule_store },
    { "pto.make_tensor_view", "shape ;strides ", "", ".", "%v = pto.make_tensor_view %p, shape = [...], strides = [...] : view", tw__as_rule_view },
    { "pto.partition_view", "offsets ;sizes ", "", "0", "%w = pto.partition_view %v, offsets = [...], sizes = [...] : view -> part", tw__as_rule_part },
    { "pto.get_tensor_view_*", NULL, "", "0", "%n = pto.get_tensor_view_dim %v, %dimension : view -> index", tw__as_rule_dimension },
    { "pto.alloc_tile", NULL, "addr valid_row valid_col ", ".", "%t = pto.alloc_tile [addr = %a] [valid_row = %r] [valid_col = %c] : tile", tw__as_rule_alloc },
    { "pto.declare_tile", NULL, "", ".", "%t = pto.declare_tile -> tile", NULL },
    { "pto.bitcast", NULL, "", "0", "%u = pto.bitcast %t : tile -> tile", NULL },
    { "pto.subset", "2;sizes 2", "", "0", "%s = pto.subset %t[%row, %col] sizes [rows, cols] : tile", tw__as_rule_window },
    { "pto.set_validshape", NULL, "", "0", "pto.set_validshape %t, %rows, %cols : tile", tw__as_rule_valid },
    { "pto.tgetval", NULL, "", "01", "%x = pto.tgetval ins(%t, %i : tile, index) outs : type", NULL },
    { "pto.tsetval", NULL, "", "01", "pto.tsetval ins(%i, %x : index, type) outs(%t : tile)", tw__as_rule_set_element },
    { "pto.tprint", NULL, "", "0", "pto.tprint ins(%t : tile)", NULL },
    { "pto.trap", NULL, "", "", "pto.trap", NULL },
    { "pto.get_block_*", NULL, "", ".", "%i = pto.get_block_idx", tw__as_rule_integer },
    { "pto.get_subblock_*", NULL, "", ".", "%i = pto.get_subblock_idx", tw__as_rule_integer },
    { "memref.alloc*", NULL, "", ".", "%m = memref.alloc(%extents) : memref", NULL },
    { "memref.dealloc", NULL, "", "0", "memref.dealloc %m : memref", NULL },
    { "memref.load", "", "", "0", "%x = memref.load %m[%i] : memref", tw__as_rule_indexes },
    { "memref.store", "", "", "1", "memref.store %x, %m[%i] : memref", tw__as_rule_indexes },
    { "memref.reinterpret_cast", "offset 1;sizes ;strides ", "", "0", "%r = memref.reinterpret_cast %m to offset: [%o], sizes: [...], strides: [...] : memref to memref", NULL },
    { "memref.cast", NULL, "", "0", "%r = memref.cast %m : memref to memref", NULL },
    { "memref.dim", NULL, "", "0", "%n = memref.dim %m, %dimension : memref", tw__as_rule_dimension },
    { "arith.constant", NULL, NULL, "", "%c = arith.constant 1 : type", NULL },
    { "arith.cmp*", NULL, NULL, "0", "%c = arith.cmpi slt, %a, %b : type", NULL },
    { "arith.select", NULL, "", "1", "%x = arith.select %condition, %a, %b : type", tw__as_rule_condition },
    { "arith.index_cast*", NULL, "", "0", "%b = arith.index_cast %a : type to type", tw__as_rule_cast },
    { "arith.ext*", NULL, "", "0", "%b = arith.extui %a : type to type", tw__as_rule_cast },
    { "arith.trunc*", NULL, "", "0", "%b = arith.trunci %a : type to type", tw__as_rule_cast },
    { "arith.bitcast", NULL, "", "0", "%b = arith.bitcast %a : type to type", tw__as_rule_cast },
    { "arith.sitofp", NULL, "", "0", "%b = arith.sitofp %a : type to type", tw__as_rule_cast },
    { "arith.uitofp", NULL, "", "0", "%b = arith.uitofp %a : type to type", tw__as_rule_cast },
    { "arith.fpto*", NULL, "", "0", "%b = arith.fptosi %a : type to type", tw__as_rule_cast },
    { "arith.negf", NULL, "", "0", "%b = arith.negf %a : type", NULL },
    { "arith.*", NULL, "", "0", "%c = arith.addi %a, %b : type", NULL },
    // clang-format on
};

static const form *form_of(const tw__as_host *host)
{
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        size_t n = strlen(forms[i].name);
        bool prefix = forms[i].name[n - 1] == '*';
        if (prefix ? strncmp(host->name, forms[i].name, n - 1) == 0 : strcmp(host->name, forms[i].name) == 0)
            return &forms[i];
    }
    return NULL;
}

/* "; expected ..." */
static const char *expected(const form *f, char *buf, size_t size)
{
    g_snprintf(buf, size, "%s%s", f->text ? "; expected " : "", f->text ? f->text : "");
    return buf;
}

static bool is_one_of(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *w = words; (w = strstr(w, word)); w += n)
        if ((w == words || w[-1] == ' ') && w[n] == ' ') return true;
    return false;
}

/* The next list of the form: its name, then how many it has; false when there are no more. */
static bool next_list(const char **at, char *name, size_t size, unsigned *count)
{
    if (!*at) return false;
    size_t length = strcspn(*at, ";"), word = strcspn(*at, " ");
    bool named = word < length;
    g_snprintf(name, size, "%.*s", named ? (int)word : 0, *at);
    size_t digit = named ? word + 1 : 0;
    *count = digit < length ? (unsigned)((*at)[digit] - '0') : 0; /* 0 = any number */
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

static unsigned length_of(const tw__as_item *list)
{
    unsigned n = 0;
    for (const tw__as_item *i = list->child; i; i = i->next) n++;
    return n;
}

static bool refuse(tw__as_binder *b, const tw__as_item *where, const tw__as_op *op, const form *f, const char *what,
                   const char *name)
{
    char text[200];
    tw__as_refuse(b, where, op, "pto.form", "%s: %s%s%s%s", op->name, what, *name ? " " : "", name,
                  expected(f, text, sizeof text));
    return false;
}

/* A list, `word` before it or NULL. */
static bool check_list(tw__as_binder *b, const tw__as_op *op, const form *f, const tw__as_item *list,
                       const tw__as_item *word, const char **lists)
{
    char name[32];
    unsigned count;
    if (!next_list(lists, name, sizeof name, &count) || strcmp(word ? word->text : "", name) != 0)
        return refuse(b, word ? word : list, op, f, "this list has no meaning here", "");
    for (const tw__as_item *i = list->child; i; i = i->next)
        if ((i->kind != TW__AS_VALUE && i->kind != TW__AS_NUMBER) || i->has_value)
            return refuse(b, i, op, f, "a list holds values", "");
    char wanted[32];
    g_snprintf(wanted, sizeof wanted, "%u here", count);
    return count == 0 || length_of(list) == count || refuse(b, list, op, f, "the list has to have", wanted);
}

/* A word that is no name of a list: one of those with a value, once. */
static bool check_word(tw__as_binder *b, const tw__as_op *op, const form *f, const tw__as_item *word)
{
    char text[40];
    if (f->lists && strstr(f->lists, word->text))
        return refuse(b, word, op, f, "expected a list after", word->text);
    if (!f->words || strcmp(word->text, "to") == 0) return true; /* "to" of memref.reinterpret_cast */
    g_snprintf(text, sizeof text, "'%.30s'", word->text);
    if (!is_one_of(f->words, word->text)) return refuse(b, word, op, f, "there is no", text);
    if (!word->has_value) return refuse(b, word, op, f, "expected '=' after", word->text);
    for (const tw__as_item *i = op->items; i != word; i = i->next)
        if (i->kind == TW__AS_WORD && strcmp(i->text, word->text) == 0)
            return refuse(b, word, op, f, "given twice:", word->text);
    return true;
}

/* No attributes but notes of others, which have a dot in their name; the one of a view is its own affair. */
static bool check_dict(tw__as_binder *b, const tw__as_op *op, const form *f, const tw__as_item *dict)
{
    if (!f->words || strcmp(f->name, "pto.make_tensor_view") == 0) return true;
    for (const tw__as_item *d = dict->child; d; d = d->next)
        if (d->text && !strchr(d->text, '.')) return refuse(b, d, op, f, "there is no attribute", d->text);
    return true;
}

bool tw__as_check_form(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host)
{
    const form *f = form_of(host);
    const char *lists = f ? f->lists : NULL;
    char name[32], text[40];
    unsigned count;
    bool good = true;
    for (const tw__as_item *i = f ? op->items : NULL, *before = NULL; i && good; before = i, i = i->next) {
        bool word = i->kind == TW__AS_WORD && strcmp(i->text, "ins") != 0 && strcmp(i->text, "outs") != 0;
        const tw__as_item *list = i->kind == TW__AS_LIST ? i : word && i->has_value ? i->child : NULL;
        const tw__as_item *named = word ? i : before && before->kind == TW__AS_WORD ? before : NULL;
        if (list && list->kind == TW__AS_LIST)
            good = check_list(b, op, f, list, named, &lists);
        else if (word && (i->has_value || !i->next || i->next->kind != TW__AS_LIST))
            good = check_word(b, op, f, i);
        else if (i->kind == TW__AS_DICT)
            good = check_dict(b, op, f, i);
    }
    if (!good || !f || !next_list(&lists, name, sizeof name, &count)) return good;
    g_snprintf(text, sizeof text, "'%s'", *name ? name : "[...]");
    return refuse(b, NULL, op, f, "missing:", text);
}

bool tw__as_check_written(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host, const tw__as_parts *p,
                          const uint32_t *slots, tw__as_item *const *where, const tw__as_code *code,
                          const tw__as_type *type)
{
    const form *f = form_of(host);
    unsigned count = code->count;
    for (unsigned i = 0; f && f->types[i] && i < p->in_types; i++) {
        unsigned operand = f->types[i] == '.' ? count : (unsigned)(f->types[i] - '0');
        if (operand < count && !tw__as_same_type(&b->f->slot_type[slots[operand]], p->in_type[i]))
            return tw__as_refuse(b, where[operand], op, "pto.type", "%s: this is %s, the type written is %s",
                                 op->name, tw__as_type_text(&b->f->slot_type[slots[operand]]), p->in_type[i]->text),
                   false;
    }
    return !f || !f->rule ||
           f->rule(&(tw__as_site){ .b = b,
                                   .op = op,
                                   .slots = slots,
                                   .where = where,
                                   .count = count,
                                   .parts = code->parts,
                                   .type = type });
}

const char *tw__as_form_text(const tw__as_host *host, char *buf, size_t size)
{
    const form *f = form_of(host);
    return f ? expected(f, buf, size) : strcpy(buf, "");
}
