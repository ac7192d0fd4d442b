// needs: colossus
/* Any text through the assembler. What assembles must come back from its own ELF file, and its disassembly must
 * assemble to the same bytes; what does not must say why. .include and .incbin are left out: they would read files of
 * this machine. */
#include <tilewright/poplar/colossus/asm.h>

#include <stdlib.h>
#include <string.h>

static void check(bool ok)
{
    if (!ok) abort();
}

static void check_same(const tw_object *a, const tw_object *b)
{
    for (size_t i = 0; i < tw_object_section_count(a); i++) {
        const tw_section *x = tw_object_get_section(a, i), *y = NULL;
        for (size_t k = 0; k < tw_object_section_count(b); k++)
            if (strcmp(tw_object_get_section(b, k)->name, x->name) == 0) y = tw_object_get_section(b, k);
        if (!x->size) continue;
        check(y && x->size == y->size);
        check(!x->data || memcmp(x->data, y->data, x->size) == 0);
    }
}

static bool reads_files(const char *text, size_t size)
{
    for (size_t i = 0; i + 7 < size; i++)
        if (text[i] == '.' && (text[i + 1] | 32) == 'i' && (text[i + 2] | 32) == 'n' && (text[i + 3] | 32) == 'c')
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    if (size < 1 || size > 20000 || reads_files((const char *)data + 1, size - 1)) return 0;
    tw_asm_options options = { .arch = chips[data[0] % 3] };
    tw_diags *diags = tw_diags_new();
    tw_object *object, *back;
    tw_status status = tw_asm_text((const char *)data + 1, size - 1, "fuzz.S", &options, diags, &object);
    check((status == TW_OK) == (tw_diags_count(diags, TW_ERROR) == 0));
    check((status == TW_OK) == (object != NULL));
    tw_diags_free(diags);
    if (!object) return 0;
    uint8_t *bytes;
    size_t length, total = 0;
    check(tw_object_to_elf(object, &bytes, &length) == TW_OK);
    check(tw_object_from_elf(bytes, length, "fuzz.o", &back) == TW_OK);
    check_same(object, back);
    for (size_t i = 0; i < tw_object_section_count(object); i++) total += tw_object_get_section(object, i)->size;
    char *text = total < 20000 ? tw_object_dump(back, TW_DUMP_CODE) : NULL;
    tw_object_free(back);
    if (text) {
        check(tw_asm_text(text, strlen(text), "dump.S", &options, NULL, &back) == TW_OK);
        check_same(object, back);
        tw_object_free(back);
    }
    free(text);
    free(bytes);
    tw_object_free(object);
    return 0;
}
