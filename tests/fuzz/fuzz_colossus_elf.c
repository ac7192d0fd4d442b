// needs: colossus
/* Any bytes as an object file. What can be read must be written, shown and linked without harm. */
#include <tilewright/poplar/colossus/link.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_object *object, *image;
    if (tw_object_from_elf(data, size, "fuzz.o", &object) != TW_OK) return 0;
    uint64_t total = 0;
    for (size_t i = 0; i < tw_object_section_count(object); i++) total += tw_object_get_section(object, i)->size;
    if (total < 100000) free(tw_object_dump(object, 31));
    uint8_t *bytes;
    size_t length;
    if (tw_object_to_elf(object, &bytes, &length) == TW_OK) free(bytes);
    const tw_object *objects[] = { object };
    if (tw_link(objects, 1, NULL, NULL, &image) == TW_OK) {
        if (total < 100000) free(tw_object_dump(image, TW_DUMP_STACK | TW_DUMP_SYMBOLS));
        tw_object_free(image);
    }
    tw_object_free(object);
    return 0;
}
