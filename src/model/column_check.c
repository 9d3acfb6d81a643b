/* SPDX-License-Identifier: MIT */
/* column_check.c - what in a table that was learned may not be as its owner meant it. See credence/model.h. */
#include "base/memory.h"

#include <credence/model.h>
#include <credence/number.h>

#include <stdbool.h>

/* An identifier has a new value in nearly every row. In so few rows any category may. */
enum { FEW_ROWS = 20 };
/* Names that are numbers but for a few cells are more often numbers with a blemish. Fewer may be so by chance. */
enum { LEAST_NUMBERS = 5 };
static const double NEARLY_ALL = 0.9;

static double count_cells(const crd_summary *summary, size_t attribute) {
    double cells = 0;
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) cells += crd_summary_present(summary, attribute, c);
    return cells;
}

/* How many cells are numbers, and the most frequent value that is none. */
static void count_numbers(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    double greatest = 0;
    for (size_t i = 0; i < out->values; i++) {
        crd_text text = crd_summary_value(summary, attribute, i);
        double number, count = crd_summary_value_rows(summary, attribute, i);
        if (crd_number_parse(text, &number) == CRD_NUMBER_FINITE) {
            out->numbers += count;
        } else if (count > greatest) {
            greatest = count;
            out->not_a_number = text;
        }
    }
}

/* Names have a few words, documents many. */
enum { WORDS_A_TEXT = 4 };
static const double HALF = 0.5;

static size_t count_words(crd_text text) {
    size_t words = 0;
    for (size_t i = 0; i < text.length; i++) words += text.bytes[i] != ' ' && (i == 0 || text.bytes[i - 1] == ' ');
    return words;
}

static bool are_texts(const crd_summary *summary, size_t attribute, size_t values) {
    double words = 0;
    for (size_t i = 0; i < values; i++) words += (double)count_words(crd_summary_value(summary, attribute, i));
    return words >= WORDS_A_TEXT * (double)values;
}

void crd_summary_check_column(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    crd_column_check found = CRD_COLUMN_CHECK_INIT;
    found.cells = count_cells(summary, attribute);
    if (crd_summary_kind(summary, attribute) == CRD_KIND_CATEGORY) {
        found.values = crd_summary_value_count(summary, attribute);
        count_numbers(summary, attribute, &found);
        bool is_counted = crd_summary_weight(summary).bytes == NULL;
        found.is_nearly_numeric = is_counted && found.not_a_number.bytes != NULL && found.numbers >= LEAST_NUMBERS &&
                                  found.numbers >= NEARLY_ALL * found.cells;
        found.is_identifier = is_counted && found.cells > FEW_ROWS && (double)found.values > NEARLY_ALL * found.cells;
        found.is_text = is_counted && found.cells > FEW_ROWS && (double)found.values > HALF * found.cells &&
                        are_texts(summary, attribute, found.values);
    }
    crd_i_copy_out(&found, sizeof found, out);
}

/* Classes that are so many, and a class of so few rows, are rather values of a quantity; fewer may be. */
enum { MANY_CLASSES = 100, SOME_CLASSES = 20, ROWS_A_CLASS = 10 };

/* Whether more classes than `most` are all numbers, some with a fraction, or with few rows to a class. */
static bool has_numbers_as_classes(const crd_summary *summary, size_t most) {
    size_t classes = crd_summary_class_count(summary);
    bool has_fractions = false;
    if (crd_summary_target(summary).bytes == NULL || classes <= most) return false;
    for (size_t i = 0; i < classes; i++) {
        double number;
        if (crd_number_parse(crd_summary_class(summary, i), &number) != CRD_NUMBER_FINITE) return false;
        has_fractions = has_fractions || number != (double)(int64_t)(number < 1e15 && number > -1e15 ? number : 0);
    }
    return has_fractions || crd_summary_rows(summary) < ROWS_A_CLASS * (double)classes;
}

int crd_summary_target_is_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, MANY_CLASSES);
}

int crd_summary_target_may_be_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, SOME_CLASSES);
}
