/* SPDX-License-Identifier: MIT */
/* The container of model files, its checksum, and the little-endian codec, against hostile bytes. */
#include "io/section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state) {
    crd_context *context = NULL;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return 0;
}

/* The check value of CRC-32C in the catalog of parametrized CRC algorithms, and RFC 3720 B.4's 32 zero bytes. */
static void checksum_has_published_values(void **state) {
    (void)state;
    unsigned char zeros[32] = {0};
    assert_int_equal(crd_i_checksum((const unsigned char *)"123456789", 9), 0xe3069283u);
    assert_int_equal(crd_i_checksum(zeros, sizeof zeros), 0x8a9136aau);
}

/* Bit by bit, as CRC-32C is defined. */
static uint32_t checksum_by_definition(const unsigned char *bytes, size_t length) {
    uint32_t remainder = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        remainder ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) remainder = remainder >> 1 ^ (remainder & 1 ? 0x82f63b78u : 0);
    }
    return ~remainder;
}

/* Lengths about those where a way changes over to another loop, at every alignment. */
static void all_ways_give_the_same_checksum(void **state) {
    (void)state;
    enum { MOST = 70000 };
    static unsigned char bytes[MOST + 8];
    static const size_t lengths[] = {0, 1, 7, 8, 9, 63, 1000, 16383, 16384, 16385, 16391, MOST};
    uint32_t state_of_bytes = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state_of_bytes = state_of_bytes * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state_of_bytes >> 24);
    }
    const crd_i_checksum_way *ways[] = {&crd_i_checksum_plain,
#ifdef CRD_I_CHECKSUM_SSE42
                                        &crd_i_checksum_sse42
#endif
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        if (!ways[w]->is_supported()) continue;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (size_t offset = 0; offset < 8; offset++)
                assert_int_equal(ways[w]->compute(bytes + offset, lengths[i]),
                                 checksum_by_definition(bytes + offset, lengths[i]));
    }
}

static void integers_are_little_endian_and_read_back(void **state) {
    crd_i_encoder encoder = {.buffer = {.context = *state}};
    crd_i_encode_u8(&encoder, 0xAB);
    crd_i_encode_u32(&encoder, 0x01020304u);
    crd_i_encode_u64(&encoder, UINT64_C(0x1122334455667788));
    crd_i_encode_text(&encoder, crd_text_of("abc"));
    assert_false(encoder.failed);
    const unsigned char expected[] = {0xAB, 4,    3,    2, 1, 0x88, 0x77, 0x66, 0x55, 0x44,
                                      0x33, 0x22, 0x11, 3, 0, 0,    0,    'a',  'b',  'c'};
    assert_int_equal(encoder.buffer.length, sizeof expected);
    assert_memory_equal(encoder.buffer.bytes, expected, sizeof expected);
    crd_i_cursor cursor = {encoder.buffer.bytes, encoder.buffer.bytes + encoder.buffer.length, false};
    assert_int_equal(crd_i_decode_u8(&cursor), 0xAB);
    assert_int_equal(crd_i_decode_u32(&cursor), 0x01020304u);
    assert_true(crd_i_decode_u64(&cursor) == UINT64_C(0x1122334455667788));
    crd_text text = crd_i_decode_text(&cursor);
    assert_true(crd_text_equal(text, crd_text_of("abc")));
    assert_int_equal(crd_i_cursor_left(&cursor), 0);
    assert_int_equal(crd_i_decode_u32(&cursor), 0);
    assert_true(cursor.failed);
    crd_i_buffer_clear(&encoder.buffer);
}

static void a_stated_length_beyond_the_end_fails(void **state) {
    (void)state;
    const unsigned char bytes[] = {0xFF, 0xFF, 0xFF, 0xFF, 'a'};
    crd_i_cursor cursor = {bytes, bytes + sizeof bytes, false};
    assert_int_equal(crd_i_decode_text(&cursor).length, 0);
    assert_true(cursor.failed);
    crd_i_cursor other = {bytes, bytes + sizeof bytes, false};
    assert_false(crd_i_cursor_holds(&other, UINT64_MAX / 2, 8));
    crd_i_cursor fits = {bytes, bytes + sizeof bytes, false};
    assert_true(crd_i_cursor_holds(&fits, 5, 1));
}

static crd_i_encoder sample_file(crd_context *context) {
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_i_section_file_begin(&encoder);
    size_t begun = crd_i_section_begin(&encoder, "ABCD", 1, true);
    crd_i_encode_u32(&encoder, 42);
    crd_i_section_end(&encoder, begun);
    begun = crd_i_section_begin(&encoder, "note", 3, false);
    crd_i_section_end(&encoder, begun);
    crd_i_section_file_end(&encoder);
    assert_false(encoder.failed);
    return encoder;
}

/* Reads all sections; the first status that is not OK. */
static crd_status walk(const unsigned char *bytes, size_t length, size_t *sections) {
    crd_i_section_file file;
    crd_i_section section;
    bool more = true;
    crd_error error;
    *sections = 0;
    crd_status status = crd_i_section_file_open(bytes, length, &file, &error);
    while (status == CRD_OK) {
        status = crd_i_section_next(&file, &section, &more, &error);
        if (status != CRD_OK || !more) break;
        ++*sections;
    }
    if (status != CRD_OK) assert_int_equal(error.status, status);
    return status;
}

static void sections_come_back_as_written(void **state) {
    crd_i_encoder encoder = sample_file(*state);
    crd_i_section_file file;
    crd_i_section section;
    bool more = false;
    assert_int_equal(crd_i_section_file_open(encoder.buffer.bytes, encoder.buffer.length, &file, NULL), CRD_OK);
    assert_int_equal(crd_i_section_next(&file, &section, &more, NULL), CRD_OK);
    assert_true(more);
    assert_memory_equal(section.tag, "ABCD", 4);
    assert_true(section.critical);
    assert_int_equal(section.version, 1);
    assert_int_equal(crd_i_decode_u32(&section.content), 42);
    assert_int_equal(crd_i_cursor_left(&section.content), 0);
    assert_int_equal(crd_i_section_next(&file, &section, &more, NULL), CRD_OK);
    assert_true(more);
    assert_false(section.critical);
    assert_int_equal(crd_i_section_next(&file, &section, &more, NULL), CRD_OK);
    assert_false(more);
    crd_i_buffer_clear(&encoder.buffer);
}

static void every_truncation_and_every_flipped_bit_is_refused(void **state) {
    crd_i_encoder encoder = sample_file(*state);
    size_t length = encoder.buffer.length, sections = 0;
    for (size_t cut = 0; cut < length; cut++) {
        /* A copy of just that size, so that the address sanitizer sees a read past the end. */
        unsigned char *copy = malloc(cut + 1);
        memcpy(copy, encoder.buffer.bytes, cut);
        assert_int_not_equal(walk(copy, cut, &sections), CRD_OK);
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * length; bit++) {
        encoder.buffer.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_not_equal(walk(encoder.buffer.bytes, length, &sections), CRD_OK);
        encoder.buffer.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_int_equal(walk(encoder.buffer.bytes, length, &sections), CRD_OK);
    assert_int_equal(sections, 2);
    crd_i_buffer_clear(&encoder.buffer);
}

static void what_is_wrong_is_told_apart(void **state) {
    crd_i_encoder encoder = sample_file(*state);
    size_t sections = 0;
    assert_int_equal(walk((const unsigned char *)"a,b,c\n1,2,3\n", 12, &sections), CRD_ERROR_NOT_A_MODEL);
    assert_int_equal(walk(encoder.buffer.bytes, 0, &sections), CRD_ERROR_NOT_A_MODEL);
    assert_int_equal(walk(encoder.buffer.bytes, 4, &sections), CRD_ERROR_DAMAGED);
    assert_true(crd_i_buffer_append(&encoder.buffer, "x", 1));
    assert_int_equal(walk(encoder.buffer.bytes, encoder.buffer.length, &sections), CRD_ERROR_DAMAGED);
    encoder.buffer.length--;
    encoder.buffer.bytes[8] = 2;
    crd_i_section_file_end(&encoder);
    assert_int_equal(walk(encoder.buffer.bytes, encoder.buffer.length, &sections), CRD_ERROR_TOO_NEW);
    crd_i_buffer_clear(&encoder.buffer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_has_published_values),
        cmocka_unit_test(all_ways_give_the_same_checksum),
        cmocka_unit_test(integers_are_little_endian_and_read_back),
        cmocka_unit_test(a_stated_length_beyond_the_end_fails),
        cmocka_unit_test(sections_come_back_as_written),
        cmocka_unit_test(every_truncation_and_every_flipped_bit_is_refused),
        cmocka_unit_test(what_is_wrong_is_told_apart),
    };
    return cmocka_run_group_tests_name("io_section", tests, set_up, tear_down);
}
