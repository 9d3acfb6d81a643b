/* SPDX-License-Identifier: MIT */
/* The set of texts behind every category column: codes, growth, emptying, order, failing memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/dictionary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t calls, fail_at;
static long live;

static void *counting_resize(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        if (block != NULL) live--;
        free(block);
        return NULL;
    }
    if (++calls == fail_at) return NULL;
    if (block == NULL) live++;
    return realloc(block, bytes);
}

static crd_context *context;

static int begin_context(void **state) {
    (void)state;
    calls = fail_at = 0;
    live = 0;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = counting_resize;
    return crd_context_create(&options, &context) == CRD_OK ? 0 : -1;
}

static int end_context(void **state) {
    (void)state;
    crd_context_destroy(context);
    return live == 0 ? 0 : -1;
}

static crd_text numbered(char buffer[32], int number) {
    int length = snprintf(buffer, 32, "value %d", number);
    crd_text text = {buffer, (size_t)length};
    return text;
}

static void test_codes(void **state) {
    (void)state;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    assert_int_equal(crd_i_dictionary_find(dictionary, crd_text_of("x")), -1);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("")), 0);
    assert_int_equal(crd_i_dictionary_text(dictionary, 0).length, 0);
    assert_non_null(crd_i_dictionary_text(dictionary, 0).bytes);
    assert_int_equal(crd_i_dictionary_find(dictionary, crd_text_of("")), 0);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("x")), 1);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("")), 0);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("xx")), 2);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("x")), 1);
    /* Texts that differ only in zero bytes at their end differ. */
    crd_text a = {"abcdefgh\0", 8}, b = {"abcdefgh\0", 9};
    assert_int_equal(crd_i_dictionary_add(dictionary, a), 3);
    assert_int_equal(crd_i_dictionary_add(dictionary, b), 4);
    assert_int_equal(crd_i_dictionary_size(dictionary), 5);
    crd_i_dictionary_destroy(dictionary);
    crd_i_dictionary_destroy(NULL);
}

static void test_many(void **state) {
    (void)state;
    enum { MANY = 200000 };
    char buffer[32];
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    for (int i = 0; i < MANY; i++) assert_int_equal(crd_i_dictionary_add(dictionary, numbered(buffer, i)), i);
    for (int i = MANY - 1; i >= 0; i--) {
        assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, i)), i);
        assert_true(crd_text_equal(crd_i_dictionary_text(dictionary, (size_t)i), numbered(buffer, i)));
    }
    assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, MANY)), -1);
    assert_true(calls < 100);
    crd_i_dictionary *copy = crd_i_dictionary_clone(dictionary);
    assert_int_not_equal(crd_i_dictionary_serial(copy), crd_i_dictionary_serial(dictionary));
    crd_i_dictionary_destroy(dictionary);
    assert_int_equal(crd_i_dictionary_size(copy), MANY);
    assert_int_equal(crd_i_dictionary_find(copy, numbered(buffer, 77777)), 77777);
    crd_i_dictionary_destroy(copy);
}

/* Texts of one length that differ in one byte, wherever it is, are different texts. */
static void test_every_byte_counts(void **state) {
    (void)state;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    char buffer[24];
    int32_t code = 0;
    for (int pass = 0; pass < 2; pass++, code = 0)
        for (size_t length = 1; length <= sizeof buffer; length++)
            for (size_t index = 0; index < length; index++)
                for (int bit = 0; bit < 8; bit++) {
                    memset(buffer, 'a', sizeof buffer);
                    buffer[index] = (char)(buffer[index] ^ 1 << bit);
                    crd_text text = {buffer, length};
                    assert_int_equal(crd_i_dictionary_add(dictionary, text), code++);
                }
    crd_text nothing = {NULL, 0};
    code = crd_i_dictionary_add(dictionary, crd_text_of(""));
    assert_int_equal(crd_i_dictionary_find(dictionary, nothing), code);
    crd_i_dictionary_destroy(dictionary);
}

/* Short texts packed with whatever stands behind them are found as they are without. */
static void test_packed(void **state) {
    (void)state;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    crd_i_packed nothing = crd_i_pack_padded("                ", 0);
    assert_int_equal(crd_i_dictionary_find_packed(dictionary, nothing), -1);
    char buffer[CRD_I_PACKED_LENGTH + CRD_I_PACKED_PADDING];
    for (size_t length = 0; length <= CRD_I_PACKED_LENGTH; length++) {
        for (size_t i = 0; i < sizeof buffer; i++) buffer[i] = (char)(0x80 + i * 5);
        crd_text text = {buffer, length};
        assert_int_equal(crd_i_dictionary_add(dictionary, text), length);
        for (int limit = 0; limit < 256; limit += 51) {
            memset(buffer + length, limit, sizeof buffer - length);
            crd_i_packed packed = crd_i_pack_padded(buffer, length);
            assert_int_equal(crd_i_dictionary_find_packed(dictionary, packed), length);
            if (length == 0) continue;
            buffer[length - 1] ^= 1;
            assert_int_equal(crd_i_dictionary_find_packed(dictionary, crd_i_pack_padded(buffer, length)), -1);
            buffer[length - 1] ^= 1;
        }
    }
    crd_i_dictionary_destroy(dictionary);
}

static void test_emptying(void **state) {
    (void)state;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    crd_i_dictionary_empty(dictionary);
    uint64_t serial = crd_i_dictionary_serial(dictionary);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("a")), 0);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("b")), 1);
    assert_int_equal(crd_i_dictionary_serial(dictionary), serial);
    crd_i_dictionary_empty(dictionary);
    assert_int_not_equal(crd_i_dictionary_serial(dictionary), serial);
    assert_int_equal(crd_i_dictionary_size(dictionary), 0);
    assert_int_equal(crd_i_dictionary_find(dictionary, crd_text_of("a")), -1);
    assert_int_equal(crd_i_dictionary_add(dictionary, crd_text_of("b")), 0);
    crd_i_dictionary_destroy(dictionary);
}

/* Digits only: enough of a number for this test, and none of the layers above. */
static bool parse_digits(crd_text text, double *value) {
    *value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') return false;
        *value = 10 * *value + (text.bytes[i] - '0');
    }
    return text.length > 0;
}

static void expect_order(const char *const *texts, size_t count, const bool *is_live, const char *expected) {
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    int32_t codes[16];
    char order[128] = "";
    for (size_t i = 0; i < count; i++) assert_true(crd_i_dictionary_add(dictionary, crd_text_of(texts[i])) >= 0);
    size_t live_count = crd_i_dictionary_order(dictionary, is_live, parse_digits, codes);
    for (size_t i = 0; i < live_count; i++) {
        crd_text text = crd_i_dictionary_text(dictionary, (size_t)codes[i]);
        size_t used = strlen(order);
        snprintf(order + used, sizeof order - used, "%s%.*s", i == 0 ? "" : " ", (int)text.length, text.bytes);
    }
    assert_string_equal(order, expected);
    crd_i_dictionary_destroy(dictionary);
}

static void test_order(void **state) {
    (void)state;
    static const char *const NUMBERS[] = {"10", "9", "1", "2", "01"};
    expect_order(NUMBERS, 5, NULL, "01 1 2 9 10");
    static const char *const MIXED[] = {"10", "9", "1", "x", "2"};
    expect_order(MIXED, 5, NULL, "1 10 2 9 x");
    /* What is not live has no say. */
    static const bool IS_LIVE[] = {true, true, true, false, false};
    expect_order(MIXED, 5, IS_LIVE, "1 9 10");
    static const char *const WORDS[] = {"b", "\xC3\xA9", "B", "a", "ab", "z"};
    expect_order(WORDS, 6, NULL, "B a ab b z \xC3\xA9");
    expect_order(NULL, 0, NULL, "");
}

/* Whatever allocation fails, the dictionary stays as it was and can go on. */
static bool parse_none(crd_text text, double *value) {
    (void)text;
    (void)value;
    return false;
}

static void expect_in_order(const crd_i_dictionary *dictionary, int32_t *codes, bool by_number) {
    size_t count = crd_i_dictionary_size(dictionary);
    assert_int_equal(crd_i_dictionary_order(dictionary, NULL, by_number ? parse_digits : parse_none, codes), count);
    bool *met = calloc(count, sizeof *met);
    assert_non_null(met);
    for (size_t i = 0; i < count; i++) {
        assert_false(met[codes[i]]);
        met[codes[i]] = true;
        if (i == 0) continue;
        crd_text before = crd_i_dictionary_text(dictionary, (size_t)codes[i - 1]);
        crd_text text = crd_i_dictionary_text(dictionary, (size_t)codes[i]);
        double number_before = 0, number = 0;
        assert_true(parse_digits(before, &number_before) && parse_digits(text, &number));
        if (by_number) assert_true(number_before < number);
        else assert_true(memcmp(before.bytes, text.bytes, 5) < 0);
    }
    free(met);
}

/* As files bring them: most in order, and then some that belong before, among and behind them. */
static void test_order_of_late_comers(void **state) {
    (void)state;
    enum { MOST = 300 };
    char buffer[16];
    int32_t codes[MOST];
    for (int by_number = 0; by_number < 2; by_number++)
        for (int late = 0; late <= MOST; late += late < 5 ? 1 : 37) {
            crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
            /* Those divisible by the step come last, from the largest on. */
            int step = late == 0 ? MOST + 1 : (MOST + late - 1) / late;
            for (int i = 0; i < MOST; i++) {
                snprintf(buffer, sizeof buffer, by_number ? "%d" : "%05d", i + (by_number ? 9900 : 0));
                if (i % step != 0 || late == 0) (void)crd_i_dictionary_add(dictionary, crd_text_of(buffer));
            }
            for (int i = MOST; late > 0 && i-- > 0;) {
                snprintf(buffer, sizeof buffer, by_number ? "%d" : "%05d", i + (by_number ? 9900 : 0));
                if (i % step == 0) (void)crd_i_dictionary_add(dictionary, crd_text_of(buffer));
            }
            assert_int_equal(crd_i_dictionary_size(dictionary), MOST);
            expect_in_order(dictionary, codes, by_number);
            crd_i_dictionary_destroy(dictionary);
        }
}

/* Texts that are appended are found as others are, once there is an index of them, and add up with others. */
static void test_appending(void **state) {
    (void)state;
    enum { MANY = 10000 };
    char buffer[32];
    crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
    assert_true(crd_i_dictionary_index(dictionary));
    assert_int_equal(crd_i_dictionary_add(dictionary, numbered(buffer, 0)), 0);
    for (int i = 1; i < MANY; i++) assert_true(crd_i_dictionary_append(dictionary, numbered(buffer, i)));
    assert_true(crd_i_dictionary_index(dictionary));
    for (int i = 0; i < MANY; i++) assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, i)), i);
    assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, MANY)), -1);
    assert_int_equal(crd_i_dictionary_add(dictionary, numbered(buffer, MANY)), MANY);
    assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, MANY)), MANY);
    crd_i_dictionary_destroy(dictionary);
}

static void test_failing_memory(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        calls = 0;
        fail_at = index;
        bool failed = false;
        crd_i_dictionary *dictionary = crd_i_dictionary_create(context);
        if (dictionary == NULL) continue;
        char buffer[32];
        for (int i = 0; i < 100; i++) {
            int32_t code = crd_i_dictionary_add(dictionary, numbered(buffer, i));
            if (code < 0) {
                failed = true;
                assert_int_equal(crd_i_dictionary_size(dictionary), i);
                assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, i)), -1);
                code = crd_i_dictionary_add(dictionary, numbered(buffer, i));
            }
            assert_int_equal(code, i);
        }
        for (int i = 0; i < 100; i++) assert_int_equal(crd_i_dictionary_find(dictionary, numbered(buffer, i)), i);
        crd_i_dictionary *copy = crd_i_dictionary_clone(dictionary);
        int32_t codes[100];
        size_t ordered = crd_i_dictionary_order(dictionary, NULL, parse_digits, codes);
        failed = failed || copy == NULL || ordered == SIZE_MAX;
        crd_i_dictionary_destroy(copy);
        crd_i_dictionary_destroy(dictionary);
        if (calls < index) {
            assert_false(failed);
            break;
        }
        assert_true(failed);
    }
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, begin_context, end_context)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_codes),
        IN_CONTEXT(test_many),
        IN_CONTEXT(test_every_byte_counts),
        IN_CONTEXT(test_packed),
        IN_CONTEXT(test_emptying),
        IN_CONTEXT(test_order),
        IN_CONTEXT(test_order_of_late_comers),
        IN_CONTEXT(test_appending),
        IN_CONTEXT(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
