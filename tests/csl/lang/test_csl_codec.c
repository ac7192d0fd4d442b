/* SPDX-License-Identifier: MIT */
/* Program images as bytes: what a file may not say, that it holds all, and reading one without memory. */
#include "whole_image.h"

static unsigned char *bytes;
static size_t size;

static void encode(void)
{
    free(bytes);
    bytes = tw__csl_image_encode(image, &size);
    assert_non_null(bytes);
}

/* Where the value of a byte is stored: what differs when it is another one. */
#define OFFSET_OF(place, other)                \
    (__extension__({                           \
        encode();                              \
        unsigned char *one_ = bytes;           \
        bytes = NULL;                          \
        __typeof__(place) before_ = (place);   \
        (place) = (__typeof__(place))(other);  \
        encode();                              \
        (place) = before_;                     \
        size_t at_ = 0;                        \
        while (one_[at_] == bytes[at_]) at_++; \
        free(one_);                            \
        encode();                              \
        at_;                                   \
    }))

static void decodes(size_t length, const char *says)
{
    tw__csl_image *read = tw__csl_image_decode(bytes, length, "here");
    if (says && read) fail_msg("accepted, although %s", says);
    if (!says && !read) fail_msg("%s", tw_error_message());
    if (says) assert_non_null(strstr(tw_error_message(), says));
    tw__csl_image_free(read);
}

static void byte_is(size_t at, unsigned value, const char *says)
{
    unsigned char before = bytes[at];
    bytes[at] = (unsigned char)value;
    decodes(size, says);
    bytes[at] = before;
}

static void numbers_in_files(void **state)
{
    (void)state;
    size_t type = OFFSET_OF(p->symbols[0].type, TW_I32);
    byte_is(type, TW_TYPE_COUNT - 1, NULL);
    byte_is(type, TW_TYPE_COUNT, "it names an element type that does not exist");
    byte_is(type + 5, 9, "an array has more than eight dimensions");
    p->symbols[0].rank = 8;
    encode();
    decodes(size, NULL);
    size_t params = OFFSET_OF(image->exports[0].is_mutable, 1) + 5;
    byte_is(params, 16, "a function has more than 15 parameters");
    image->exports[0].param_count = 15;
    encode();
    decodes(size, NULL);
    size_t name = OFFSET_OF(p->symbols[0].name, "y");
    byte_is(name, 0, "a text has a zero in it");
    byte_is(name - 1, 0x10, "a text is longer than the file"); /* its length's highest byte */
    free(bytes);
    bytes = NULL;
}

/* The last table of a file is that of routes. */
static void ends_of_files(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) image->pes[i].route_count = image->pes[i].route = 0;
    image->route_count = 0;
    encode();
    decodes(size, NULL);
    decodes(size - 1, "it ends too early");
    bytes = realloc(bytes, size + 4);
    memset(bytes + size, 0, 4);
    decodes(size + 1, "it goes on after its end");
    bytes[size - 8] = 4; /* rows have a byte at least */
    decodes(size + 4, "it ends too early");
    bytes[size - 8] = 5;
    decodes(size + 4, "a table is longer than the file");
    free(bytes);
    bytes = NULL;
}

static void data_in_files(void **state)
{
    (void)state;
    tw__csl_segment *s = &p->segments[0];
    free(s->data);
    s->data = calloc(1, TW__CSL_PE_BYTES + 1);
    s->address = 0;
    s->bytes = TW__CSL_PE_BYTES;
    encode();
    decodes(size, NULL);
    s->bytes++;
    encode();
    decodes(size, "initial data is longer than the file or a PE");
    free(bytes);
    bytes = NULL;
}

/* Fields that share a byte keep their largest values. */
static void packed_fields(void **state)
{
    (void)state;
    tw__csl_fifo *f = &p->fifos[0];
    tw__csl_queue *q = &p->queues[0];
    for (int k = 0; k < 5; k++) {
        f->simd = k == 0 ? 3 : 0;
        f->empty_action = k == 1 ? 3 : 0;
        f->full_action = k == 2 ? 3 : 0;
        q->priority = k == 3 ? 3 : 0;
        q->control_base = k == 4 ? 63 : 0;
        tw__csl_queue queue = *q; /* writing changes nothing */
        tw__csl_fifo fifo = *f;
        encode();
        tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
        assert_non_null(read);
        assert_memory_equal(&read->programs[0].queues[0], &queue, sizeof queue);
        assert_int_equal(read->programs[0].fifos[0].simd, fifo.simd);
        assert_int_equal(read->programs[0].fifos[0].empty_action, fifo.empty_action);
        assert_int_equal(read->programs[0].fifos[0].full_action, fifo.full_action);
        tw__csl_image_free(read);
    }
    free(bytes);
    bytes = NULL;
}

/* Bytes of `length` from `at` on that a file does not hold: it is the same when they change. */
static unsigned lost(void *at, size_t length)
{
    unsigned count = 0;
    encode();
    unsigned char *whole = bytes;
    size_t whole_size = size;
    for (size_t i = 0; i < length; i++) {
        unsigned char *byte = (unsigned char *)at + i;
        *byte ^= 1;
        bytes = tw__csl_image_encode(image, &size); /* NULL: a value that no file may hold */
        *byte ^= 1;
        if (bytes && size == whole_size && memcmp(bytes, whole, size) == 0) count++;
        free(bytes);
    }
    bytes = whole;
    size = whole_size;
    return count;
}

/* Every number of every row is in the file; what is not is what rows have to spare. */
static void files_hold_all(void **state)
{
    (void)state;
    enum { TYPE = 3 }; /* an element type is a byte of its four */
    p->symbols[0].rank = 8;
    image->exports[0].param_count = 15;
    tw__csl_image_file(image, "file.csl");
#define LOST(row, spare) assert_int_equal(lost((row), sizeof *(row)), spare)
#define FROM(row, first, last, spare) \
    assert_int_equal(                 \
        lost(&(row)->first, offsetof(__typeof__(*(row)), last) - offsetof(__typeof__(*(row)), first)), spare)
    FROM(image, wse3, programs, 0);
    LOST(&image->pes[1], 0);
    LOST(&image->pool[3], 0);
    LOST(&image->routes[1], 1 + 2); /* of the filter */
    FROM(&image->exports[0], is_function, param_names, 16 * TYPE + 4);
    LOST(&p->code[0], 0);
    FROM(&p->functions[2], entry, line, 0);
    assert_int_equal(lost(&p->functions[2].line, 4), 0);
    LOST(&p->lines[0], 0);
    LOST(&p->consts[1], 0);
    LOST(&p->uses[0], 0);
    LOST(&p->maps[0], 3);
    LOST(&p->dsr_loads[1], 0);
    LOST(&p->dsr_init[1], 0);
    LOST(&p->shapes[0], 0);
    FROM(&p->symbols[0], address, type_text, TYPE + 4);
    FROM(&p->symbols[0], file, line, 0);
    assert_int_equal(lost(&p->symbols[0].line, 4), 0);
    LOST(&p->exports[0], 0);
    LOST(&p->tasks[0], 0);
    FROM(&p->fifos[0], address, spare, 0);
    LOST(&p->queues[0], 0);
    LOST(&p->declarations[0], 0);
    LOST(&p->configs[0], 0);
    LOST(&p->inits[0], 1);
    LOST(&p->rotations[0], 3);
    LOST(&p->handlers[0], 2);
    FROM(p, stack_address, pool_count, 0);
    assert_int_equal(lost(&p->pool_count, 4), 0);
    assert_int_equal(lost(p->segments[0].data, 4), 0);
    free(bytes);
    bytes = NULL;
}

/* Texts too, and that one of them is missing. */
static void files_hold_texts(void **state)
{
    (void)state;
    image->exports[0].param_names[0] = "n";
    tw__csl_image_file(image, "file.csl");
    const char **texts[] = {
        &p->name,          &p->functions[0].name,   &p->symbols[0].name,          &p->symbols[0].type_text,
        &p->fifos[0].name, &image->exports[0].name, &image->exports[0].type_text, &image->exports[0].param_names[0],
        &image->files[1]
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *before = *texts[i];
        *texts[i] = "another";
        encode();
        tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
        assert_non_null(read);
        const tw__csl_program *q = &read->programs[0];
        const char *const got[] = {
            q->name,          q->functions[0].name,  q->symbols[0].name,         q->symbols[0].type_text,
            q->fifos[0].name, read->exports[0].name, read->exports[0].type_text, read->exports[0].param_names[0],
            read->files[1]
        };
        assert_string_equal(got[i], "another");
        tw__csl_image_free(read);
        *texts[i] = before;
    }
    image->exports[0].param_names[0] = NULL;
    encode();
    tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
    assert_non_null(read);
    assert_null(read->exports[0].param_names[0]);
    tw__csl_image_free(read);
    free(bytes);
    bytes = NULL;
}

/* Each allocation that can fail while a file is read: it is refused and says why. */
static void no_memory_to_read(void **state)
{
    (void)state;
    encode();
    unsigned failed = 0;
    for (uint64_t n = 1; n < 500; n++) {
        tw__fail_allocation(n);
        tw__csl_image *read = tw__csl_image_decode(bytes, size, "here");
        bool reached = tw__fail_allocation(0) == 0;
        if (reached && !read) {
            failed++;
            assert_non_null(strstr(tw_error_message(), "memory"));
        }
        if (!reached) assert_non_null(read);
        tw__csl_image_free(read);
        if (!reached) break;
    }
    assert_true(failed > 20); /* a table each, and the data */
    free(bytes);
    bytes = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_in_files), TEST(ends_of_files),    TEST(data_in_files),     TEST(packed_fields),
        TEST(files_hold_all),   TEST(files_hold_texts), TEST(no_memory_to_read),
    };
    return cmocka_run_group_tests_name("csl_codec", tests, NULL, NULL);
}
