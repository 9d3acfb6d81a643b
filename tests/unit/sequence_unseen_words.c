/* SPDX-License-Identifier: MIT */
/* Probabilities of words, counted and new, beside those of a separate program that follows the formulas word by word; when a
 * column is one of words; case and shape beyond ASCII; failing allocations. */
#include "base/context.h"
#include "sequence/unseen_words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_fixture.h"

enum { CLASSES = 3, MOST_VALUES = 400 };

typedef struct word_row {
    const char *text;
    double numbers[CLASSES];
} word_row;

/* A column as counts: filled in word by word. */
typedef struct words_column {
    crd_i_dictionary *values;
    size_t begins[MOST_VALUES + 1];
    uint32_t class_of[MOST_VALUES * CLASSES];
    double counts[MOST_VALUES * CLASSES], totals[MOST_VALUES];
    size_t count;
} words_column;

static crd_text text_of(const char *bytes) {
    const crd_text text = {bytes, strlen(bytes)};
    return text;
}

static void add(words_column *column, const char *text, const double numbers[CLASSES]) {
    assert_int_equal(crd_i_dictionary_add(column->values, text_of(text)), column->count);
    size_t end = column->begins[column->count];
    column->totals[column->count] = 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        if (numbers[c] == 0) continue;
        column->class_of[end] = c;
        column->counts[end++] = numbers[c];
        column->totals[column->count] += numbers[c];
    }
    column->begins[++column->count] = end;
}

static crd_i_value_counts counts_of(const words_column *column) {
    const crd_i_value_counts counts = {column->count,    CLASSES,        column->begins,
                                       column->class_of, column->counts, column->totals};
    return counts;
}

static words_column *new_column(void) {
    words_column *column = calloc(1, sizeof *column);
    assert_non_null(column);
    column->values = crd_i_dictionary_create(context);
    assert_non_null(column->values);
    return column;
}

static void destroy_column(words_column *column) {
    crd_i_dictionary_destroy(column->values);
    free(column);
}

/* Nouns, verbs and names. */
static const word_row counted_words[] = {{"walked", {0, 3, 0}},   {"talked", {0, 1, 0}}, {"jumped", {0, 1, 0}},
                                         {"painting", {1, 1, 0}}, {"house", {4, 0, 0}},  {"mouse", {1, 0, 0}},
                                         {"walks", {1, 1, 0}},    {"House", {0, 0, 1}},  {"Boston", {0, 0, 2}},
                                         {"Berlin", {0, 0, 1}},   {"42", {2, 0, 0}},     {"co-op", {1, 0, 0}},
                                         {"приехал", {0, 1, 0}},  {"Москва", {0, 0, 1}}};

static words_column *example(void) {
    words_column *column = new_column();
    for (size_t i = 0; i < sizeof counted_words / sizeof *counted_words; i++)
        add(column, counted_words[i].text, counted_words[i].numbers);
    return column;
}

static void logs_follow_the_formulas(void **state) {
    (void)state;
    /* Computed by a program in Python that goes through all words for each affix, with Unicode's own tables of letters. */
    static const word_row expected[] = {{"house", {-1.0478365368765592, -5.3399329243782274, -3.5705028499691078}},
                                        {"talked", {-5.3568739715600611, -2.0604986506338383, -5.6645448379754848}},
                                        {"yelled", {-5.2931446332817078, -3.7799970298556906, -5.6353474832395065}},
                                        {"Dublin", {-5.538857747570531, -5.3619840003183228, -3.3999408813795187}},
                                        {"HOUSE", {-3.9792708940868264, -6.6212826636335098, -4.4978408695506058}},
                                        {"7", {-4.4955185265942026, -4.6155923052395655, -4.423075876098876}},
                                        {"ушёл", {-4.7740202067010218, -4.0689066172815362, -5.1162230566588214}},
                                        {"МОСКВА", {-5.6075641115699248, -5.4306903643177158, -3.3715452176044458}},
                                        {"x", {-4.6562371710446389, -4.1780483487360254, -4.9984400210024376}},
                                        {"spouse", {-3.9567228365364637, -5.0706225539928642, -5.8910142262592764}},
                                        {"walking", {-4.7196501879661188, -3.9854947382787391, -5.86213502627918}}};
    words_column *column = example();
    const crd_i_value_counts counts = counts_of(column);
    crd_i_unseen_words *words;
    crd_error error;
    assert_int_equal(crd_i_unseen_words_of(context, column->values, &counts, 10, &words, &error), CRD_OK);
    assert_non_null(words);
    double buffer[4 * CLASSES], logs[CLASSES];
    assert_int_equal(crd_i_unseen_words_room(words), sizeof buffer / sizeof *buffer);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        crd_i_unseen_words_log(words, text_of(expected[i].text), buffer, logs);
        for (size_t c = 0; c < CLASSES; c++)
            if (!(fabs(logs[c] - expected[i].numbers[c]) < 1e-12))
                fail_msg("%s: %.17g, not %.17g", expected[i].text, logs[c], expected[i].numbers[c]);
    }
    crd_i_unseen_words_destroy(words);
    destroy_column(column);
}

/* Made-up words: a stem of its own with an ending that goes with the class, or with nothing. Each occurs once. */
static words_column *made_up(size_t words, bool has_endings, bool is_of_digits) {
    static const char *const endings[CLASSES] = {"ness", "ed", "ly"};
    words_column *column = new_column();
    for (size_t i = 0; i < words; i++) {
        size_t of_class = i % CLASSES, hash = i * 7919 + 13;
        char text[64];
        if (is_of_digits) snprintf(text, sizeof text, "%zu-%zu", i + 1000, of_class);
        else
            snprintf(text, sizeof text, "%c%c%c%c%s", 'a' + (int)(hash % 23), 'a' + (int)(hash / 23 % 19),
                     'a' + (int)(i / 17 % 17), 'a' + (int)(i % 17), has_endings ? endings[of_class] : "");
        double numbers[CLASSES] = {0};
        numbers[of_class] = 1;
        add(column, text, numbers);
    }
    return column;
}

/* Whether the values are taken for words. */
static bool are_words(words_column *column) {
    const crd_i_value_counts counts = counts_of(column);
    crd_i_unseen_words *words;
    crd_error error;
    assert_int_equal(crd_i_unseen_words_of(context, column->values, &counts, 0, &words, &error), CRD_OK);
    bool is_found = words != NULL;
    crd_i_unseen_words_destroy(words);
    destroy_column(column);
    return is_found;
}

static void values_that_look_like_words_are_found(void **state) {
    (void)state;
    assert_true(are_words(made_up(300, true, false)));
    assert_true(are_words(made_up(30, true, false)));
    assert_false(are_words(made_up(6, true, false)));    /* too few */
    assert_false(are_words(made_up(289, false, false))); /* codes: their form predicts nothing */
    assert_false(are_words(made_up(300, true, true)));   /* numbers, though their ends go with the class */
    assert_false(are_words(new_column()));
    words_column *alphabet = new_column(); /* all values occur often */
    for (char c = 'A'; c <= 'T'; c++) {
        const char text[] = {c, '\0'};
        const double numbers[CLASSES] = {c % 3 + 2, c % 5 + 1, c % 7};
        add(alphabet, text, numbers);
    }
    assert_false(are_words(alphabet));
}

/* What is kept of long ranges is what is computed of short ones: with many words, and with one more that changes nothing. */
static void sums_of_many_words_are_those_of_few(void **state) {
    (void)state;
    words_column *column = made_up(300, true, false);
    const crd_i_value_counts counts = counts_of(column);
    crd_text texts[MOST_VALUES];
    for (size_t v = 0; v < column->count; v++) texts[v] = crd_i_dictionary_text(column->values, v);
    crd_i_affix_index *index = crd_i_affix_index_create(context, texts, &counts, true, 3);
    assert_non_null(index);
    const uint32_t keys[] = {1, 's', 's', 'e'}; /* lower case, ...ess */
    crd_i_affix_range range = crd_i_affix_index_all(index);
    for (size_t depth = 0; depth < 4; depth++) {
        range = crd_i_affix_index_narrow(index, range, depth, keys[depth]);
        double sums[CLASSES];
        crd_i_affix_index_sum(index, range, depth + 1, sums);
        assert_true(sums[0] == 100);
        assert_true(sums[1] == (depth == 0 ? 100 : 0));
    }
    crd_i_affix_index_destroy(index);
    destroy_column(column);
}

static void letters_have_case_in_other_alphabets(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"ÄÖÜ", "äöü"}, {"ŁÓDŹ", "łódź"}, {"ΆΘΉΝΑ", "άθήνα"}, {"ЁЛКА", "ёлка"},
                                           {"ՀԱՅ", "հայ"}, {"ẞ", "ß"},       {"ĲŸ", "ĳÿ"},       {"１Ａ", "１ａ"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        crd_i_word upper, lower;
        crd_i_word_parse(text_of(pairs[i][0]), &upper);
        crd_i_word_parse(text_of(pairs[i][1]), &lower);
        assert_int_equal(upper.length, lower.length);
        assert_memory_equal(upper.letters, lower.letters, upper.length * sizeof *upper.letters);
        assert_int_not_equal(upper.shape, lower.shape);
    }
    assert_int_equal(crd_i_letter_class_of(0x0967), CRD_I_LETTER_DIGIT);    /* Devanagari one */
    assert_int_equal(crd_i_letter_class_of(0x3002), CRD_I_LETTER_SIGN);     /* ideographic full stop */
    assert_int_equal(crd_i_letter_class_of(0x00DF), CRD_I_LETTER_LOWER);    /* sharp s */
    assert_int_equal(crd_i_letter_class_of(0x4E2D), CRD_I_LETTER_CASELESS); /* Han */
    crd_i_word odd; /* bytes that are no UTF-8, and a word that is longer than what is kept */
    crd_i_word_parse(text_of("\xFF\xC3"), &odd);
    assert_int_equal(odd.length, 2);
    char longer[1000];
    memset(longer, 'a', sizeof longer);
    longer[0] = 'X';
    longer[sizeof longer - 1] = 'z';
    const crd_text text = {longer, sizeof longer};
    crd_i_word_parse(text, &odd);
    assert_int_equal(odd.length, CRD_I_MOST_LETTERS);
    assert_int_equal(odd.letters[0], 'x');
    assert_int_equal(odd.letters[CRD_I_MOST_LETTERS - 1], 'z');
}

static void memory_may_run_out(void **state) {
    (void)state;
    words_column *column = made_up(120, true, false);
    const crd_i_value_counts counts = counts_of(column);
    crd_i_unseen_words *words = NULL;
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_error error;
        assert_allocation_fails(&trial, crd_i_unseen_words_of(context, column->values, &counts, 0, &words, &error),
                                CRD_OK, error);
        assert_true(trial.has_failed == (words == NULL));
    }
    assert_non_null(words);
    crd_i_unseen_words_destroy(words);
    destroy_column(column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_follow_the_formulas), cmocka_unit_test(values_that_look_like_words_are_found),
        cmocka_unit_test(sums_of_many_words_are_those_of_few), cmocka_unit_test(letters_have_case_in_other_alphabets),
        cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
