/* SPDX-License-Identifier: MIT */
/* Terms of texts. Words are those of uniseg 0.10.1 that have a letter or a digit, folded and composed by Python 3.11's unicodedata;
 * stems are those of snowballstemmer 3.1.1. */
#include "text/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_fixture.h"

static const crd_i_token_rules words = {CRD_I_TOKENS_WORDS, true, 1, 1, 0, 0, ""};

/* Terms with bars between them. */
static const char *terms_of(crd_i_token_rules rules, crd_text text) {
    static char out[1 << 16];
    crd_i_tokenizer *tokenizer;
    const crd_i_term *terms;
    crd_error error;
    size_t used = 0, count = 1;
    assert_int_equal(crd_i_tokenizer_create(context, &rules, &tokenizer, &error), CRD_OK);
    assert_int_equal(crd_i_tokenizer_begin(tokenizer, text, &error), CRD_OK);
    while (count > 0) {
        assert_int_equal(crd_i_tokenizer_next(tokenizer, &terms, &count, &error), CRD_OK);
        assert_true(count <= CRD_I_MOST_TERMS);
        for (size_t i = 0; i < count && used + terms[i].length + 2 < sizeof out; i++) {
            assert_true(terms[i].from < terms[i].to && terms[i].to <= text.length);
            if (used > 0) out[used++] = '|';
            memcpy(out + used, terms[i].bytes, terms[i].length);
            used += terms[i].length;
        }
    }
    out[used] = '\0';
    crd_i_tokenizer_destroy(tokenizer);
    return out;
}

#define TERMS(rules, text) terms_of(rules, (crd_text){text, sizeof text - 1})

static const char *const references[][2] = {
    {"The quick (\xe2\x80\x9c"
     "brown\xe2\x80\x9d) fox can\xe2\x80\x99t jump 32.3 feet, right?",
     "the|quick|brown|fox|can\xe2\x80\x99t|jump|32.3|feet|right"},
    {"l'\xc3\xa9t\xc3\xa9 \xc3\xa0 Z\xc3\xbcrich: caf\xc3\xa9s",
     "l'\xc3\xa9t\xc3\xa9|\xc3\xa0|z\xc3\xbcrich|caf\xc3\xa9s"},
    {"Co\xc2\xadop e-mail: foo.bar@example.com http://x.org/a_b",
     "co\xc2\xadop|e|mail|foo.bar|example.com|http|x.org|a_b"},
    {"3,141.59 1;2 a:b 10% $5 _ __ a_ 1'000 rock 'n' roll", "3,141.59|1;2|a:b|10|5|a_|1'000|rock|n|roll"},
    {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88 "
     "\xe4\xb8\xad\xe6\x96\x87",
     "\xe6\x97\xa5|\xe6\x9c\xac|\xe8\xaa\x9e|\xe3\x81\xae|\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88|"
     "\xe4\xb8\xad|\xe6\x96\x87"},
    {"\xd7\x90\xd7\xb4\xd7\x91 \xd7\xa6\xd7\x94\"\xd7\x9c \xd7\x92' \xd7\x92'x",
     "\xd7\x90\xd7\xb4\xd7\x91|\xd7\xa6\xd7\x94\"\xd7\x9c|\xd7\x92'|\xd7\x92'x"},
    {"\xe0\xb8\xa0\xe0\xb8\xb2\xe0\xb8\xa9\xe0\xb8\xb2\xe0\xb9\x84\xe0\xb8\x97\xe0\xb8\xa2",
     "\xe0\xb8\xa0|\xe0\xb8\xb2|\xe0\xb8\xa9|\xe0\xb8\xb2|\xe0\xb9\x84|\xe0\xb8\x97|\xe0\xb8\xa2"},
    {"na\xc4\xb1ve STRASSE Stra\xc3\x9f"
     "e \xc4\xb0stanbul \xce\xa3\xce\x91\xce\xa3",
     "na\xc4\xb1ve|strasse|strasse|i\xcc\x87stanbul|\xcf\x83\xce\xb1\xcf\x83"},
    {"e\xcc\x81te\xcc\x81 \xc3\x85 A\xcc\x8a \xe2\x84\xab \xed\x95\x9c\xea\xb5\xad "
     "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab",
     "\xc3\xa9t\xc3\xa9|\xc3\xa5|\xc3\xa5|\xc3\xa5|\xed\x95\x9c\xea\xb5\xad|\xed\x95\x9c"},
    {"\xd1\x80\xd1\x83\xd1\x81\xd1\x81\xd0\xba\xd0\xb8\xd0\xb9 \xd0\xaf\xd0\xb7\xd1\x8b\xd0\xba, "
     "\xce\x95\xce\xbb\xce\xbb\xce\xb7\xce\xbd\xce\xb9\xce\xba\xce\xac",
     "\xd1\x80\xd1\x83\xd1\x81\xd1\x81\xd0\xba\xd0\xb8\xd0\xb9|\xd1\x8f\xd0\xb7\xd1\x8b\xd0\xba|"
     "\xce\xb5\xce\xbb\xce\xbb\xce\xb7\xce\xbd\xce\xb9\xce\xba\xce\xac"},
    {"\xf0\x9f\x98\x80 ok\xe2\x80\x8d\xc2\xa9 \xf0\x9f\x87\xa9\xf0\x9f\x87\xaa x", "ok\xe2\x80\x8d\xc2\xa9|x"},
    {"a.\xcc\x81"
     "b a.b. .a 1.a a.1 x\xc2\xb2 \xc2\xbd",
     "a.\xcc\x81"
     "b|a.b|a|1|a|a|1|x|\xc2\xb2|\xc2\xbd"}};

static void test_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++)
        assert_string_equal(terms_of(words, crd_text_of(references[i][0])), references[i][1]);
    assert_string_equal(TERMS(words, ""), "");
    assert_string_equal(TERMS(words, " .,! \n"), "");
    assert_string_equal(TERMS(words, "a\0b"), "a|b");
    /* No UTF-8: a byte alone, an overlong form, a surrogate, beyond the last, cut short. */
    assert_string_equal(TERMS(words, "a\xff"
                                     "b\xc0\xaf"
                                     "c\xed\xa0\x80"
                                     "d\xf4\x90\x80\x80"
                                     "e\xc3"),
                        "a|b|c|d|e");
}

static void test_case(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    rules.fold_case = false;
    assert_string_equal(TERMS(rules, "Stra\xc3\x9f"
                                     "e A\xcc\x8a ABC"),
                        "Stra\xc3\x9f"
                        "e|\xc3\x85|ABC");
}

static void test_blanks(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    rules.unit = CRD_I_TOKENS_BLANKS;
    /* No-break and ideographic spaces are white. */
    assert_string_equal(TERMS(rules, " Free!!! $$$\tx\xc2\xa0y\xe3\x80\x80\xc3\x84 :-)\n"),
                        "free!!!|$$$|x|y|\xc3\xa4|:-)");
}

static void test_characters(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    rules.unit = CRD_I_TOKENS_CHARACTERS;
    assert_string_equal(TERMS(rules, "  A\n b "), "a|b");
    rules.least_ngram = rules.most_ngram = 2;
    assert_string_equal(TERMS(rules, "  Ab \n c "), "ab|b | c");
    /* A letter and its mark are one character, and sharp s is two. */
    assert_string_equal(TERMS(rules, "e\xcc\x81x\xe4\xb8\xad\xe6\x96\x87"),
                        "\xc3\xa9x|x\xe4\xb8\xad|\xe4\xb8\xad\xe6\x96\x87");
    assert_string_equal(TERMS(rules, "\xc3\x9f"), "ss");
    rules.least_ngram = 1;
    rules.most_ngram = 3;
    assert_string_equal(TERMS(rules, "abcd"), "a|b|ab|c|bc|abc|d|cd|bcd");
}

static void test_ngrams(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    rules.most_ngram = 2;
    assert_string_equal(TERMS(rules, "To be, or not"), "to|be|to be|or|be or|not|or not");
    rules.least_ngram = 2;
    assert_string_equal(TERMS(rules, "To"), "");
    rules.least_ngram = rules.most_ngram = 3;
    assert_string_equal(TERMS(rules, "a b c d"), "a b c|b c d");
    /* Beyond one batch: n-grams reach back over its border. */
    char text[2001];
    for (size_t i = 0; i < 1000; i++) memcpy(text + 2 * i, i % 2 == 0 ? "a " : "b ", 2);
    const char *terms = terms_of(rules, (crd_text){text, 2000});
    for (size_t i = 0; i < 998; i++) assert_memory_equal(terms + 6 * i, i % 2 == 0 ? "a b a" : "b a b", 5);
    assert_int_equal(strlen(terms), 998 * 6 - 1);
}

static void test_sparse(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    rules.sparse_bigrams = 3;
    assert_string_equal(TERMS(rules, "buy cheap pills now"),
                        "buy|cheap|buy cheap|pills|cheap pills|buy * pills|now|pills now|cheap * now|buy * * now");
    /* What n-grams have already is not counted twice. */
    rules.most_ngram = rules.sparse_bigrams = 2;
    assert_string_equal(TERMS(rules, "a b c"), "a|b|a b|c|b c|a * c");
}

static void test_stems(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    strcpy(rules.stemmer, "english");
    assert_string_equal(TERMS(rules, "Running flies generously relational"), "run|fli|generous|relat");
    strcpy(rules.stemmer, "german");
    assert_string_equal(TERMS(rules, "H\xc3\xa4usern laufend"), "haus|laufend");
    crd_i_tokenizer *tokenizer;
    crd_error error;
    strcpy(rules.stemmer, "klingon");
    assert_int_equal(crd_i_tokenizer_create(context, &rules, &tokenizer, &error), CRD_ERROR_SETTING);
    assert_null(tokenizer);
}

/* Buckets are a part of models: they stay what they are. */
static void test_hash(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    rules.hash_bits = 18;
    char first[32];
    snprintf(first, sizeof first, "%s", TERMS(rules, "viagra"));
    assert_int_equal(strlen(first), 6);
    assert_int_equal(first[0], '#');
    assert_true(strtoul(first + 1, NULL, 16) < 1u << 18);
    assert_string_equal(TERMS(rules, "VIAGRA"), first);
    rules.sparse_bigrams = 2;
    char all[64];
    snprintf(all, sizeof all, "%s", TERMS(rules, "a b"));
    assert_int_equal(strlen(all), 3 * 6 + 2);
}

static void test_long(void **state) {
    (void)state;
    static char text[100000];
    memset(text, 'A', sizeof text);
    const char *terms = terms_of(words, (crd_text){text, sizeof text});
    assert_int_equal(strlen(terms), CRD_I_MOST_TOKEN);
    /* Marks without end on one letter. */
    for (size_t i = 1; i + 1 < sizeof text; i += 2) memcpy(text + i, "\xcc\x81", 2);
    text[sizeof text - 1] = ' ';
    terms = terms_of(words, (crd_text){text, sizeof text});
    assert_int_equal(strlen(terms), 2 * CRD_I_MOST_TOKEN); /* the first composes with the letter */
    crd_i_token_rules rules = words;
    rules.unit = CRD_I_TOKENS_CHARACTERS;
    assert_memory_equal(terms_of(rules, (crd_text){text, sizeof text}), "\xc3\xa1|\xcc\x81|", 6);
}

static void test_rules(void **state) {
    (void)state;
    crd_i_token_rules rules = words;
    crd_i_tokenizer *tokenizer;
    crd_error error;
    rules.unit = CRD_I_TOKENS_CHARACTERS;
    rules.sparse_bigrams = 1;
    assert_int_equal(crd_i_tokenizer_create(context, &rules, &tokenizer, &error), CRD_ERROR_SETTING);
    assert_string_equal(error.message, "sparse-bigrams needs words, and tokens is characters");
}

static void test_bags(void **state) {
    (void)state;
    crd_i_tokenizer *tokenizer;
    crd_error error;
    crd_i_buffer bag = {.context = context};
    crd_i_bag_cursor cursor;
    crd_text term;
    uint32_t times;
    bool more;
    assert_int_equal(crd_i_tokenizer_create(context, &words, &tokenizer, &error), CRD_OK);
    assert_int_equal(crd_i_bag_encode(tokenizer, crd_text_of("to be or not To be"), &bag, &error), CRD_OK);
    static const char *const sorted[] = {"be", "not", "or", "to"};
    const crd_text bytes = {(const char *)bag.bytes, bag.length};
    assert_int_equal(crd_i_bag_begin(bytes, &cursor, &error), CRD_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(crd_i_bag_next(&cursor, &term, &times, &more, &error), CRD_OK);
        assert_true(more && crd_text_equal(term, crd_text_of(sorted[i])));
        assert_int_equal(times, i == 0 || i == 3 ? 2 : 1);
    }
    assert_int_equal(crd_i_bag_next(&cursor, &term, &times, &more, &error), CRD_OK);
    assert_false(more);
    /* Cut short anywhere it is damaged. */
    for (size_t length = 0; length < bytes.length; length++) {
        crd_status status = crd_i_bag_begin((crd_text){bytes.bytes, length}, &cursor, &error);
        for (more = true; status == CRD_OK && more;) status = crd_i_bag_next(&cursor, &term, &times, &more, &error);
        assert_int_equal(status, CRD_ERROR_DAMAGED);
    }
    bag.length = 0;
    assert_int_equal(crd_i_bag_encode(tokenizer, crd_text_of(""), &bag, &error), CRD_OK);
    assert_int_equal(bag.length, 1);
    crd_i_buffer_clear(&bag);
    crd_i_tokenizer_destroy(tokenizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),      cmocka_unit_test(test_case),   cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_characters), cmocka_unit_test(test_ngrams), cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_stems),      cmocka_unit_test(test_hash),   cmocka_unit_test(test_long),
        cmocka_unit_test(test_rules),      cmocka_unit_test(test_bags)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
