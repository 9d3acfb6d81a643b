/* evaluate_candidates.c - what evaluate --compare tries. To try something else, add a line to the table. */
#include "verbs/evaluate/evaluate_compare.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <string.h>

/* Simpler ones first: of two that are as good as each other, the first is recommended. Families are for numbers, and are
 * left out of the settings of a candidate where a table has none. */
const candidate candidate_table[] = {
    {"naive", {{0}}, 0, 0, 0, NULL},
    {"naive, student", {{"family", "student"}}, 1, 0, 0, NULL},
    {"naive, kernel", {{"family", "kernel"}}, 1, 0, 0, NULL},
    {"naive, histogram", {{"family", "histogram"}}, 1, 0, 0, NULL},
    {"naive, mixture", {{"family", "mixture"}}, 1, 0, 0, NULL},
    {"naive, auto", {{"family", "auto"}}, 1, 0, 0, NULL},
    {"naive, exponents", {{"family", "auto"}, {"exponents", "fitted"}}, 0, 0, 1, "rows"},
    {"joint numbers, shared", {{"joint", "numbers"}, {"normal", "shared"}, {"exponents", "fitted"}}, 2, 0, 0, "cross"},
    {"joint numbers", {{"joint", "numbers"}, {"exponents", "fitted"}}, 2, 0, 0, "cross"},
    {"joint numbers, mixture",
     {{"joint", "numbers"}, {"normal", "mixture"}, {"exponents", "fitted"}},
     2,
     0,
     0,
     "cross"},
    {"joint categories", {{"joint", "categories"}, {"family", "auto"}}, 0, 2, 0, "cells"},
    {"a1de", {{"method", "a1de"}}, 0, 0, 2, "pairs"},
    {"a1de, scaled", {{"method", "a1de"}, {"calibration", "scaling"}}, 0, 0, 2, "pairs"},
    {"pairs", {{"method", "pairs"}}, 0, 0, 2, "pairs"},
    {"pairs, scaled", {{"method", "pairs"}, {"calibration", "scaling"}}, 0, 0, 2, "pairs"},
    {"boosting, scaled",
     {{"method", "boosting:20"}, {"family", "kernel"}, {"calibration", "scaling"}},
     0,
     0,
     1,
     "rows"},
    {"committee", {{"method", "committee"}}, 0, 0, 2, "committee"},
};
const size_t candidate_count = sizeof candidate_table / sizeof *candidate_table;

bool candidate_chooses(const char *setting) {
    static const char *const chosen[] = {"family", "method", "joint", "normal", "exponents", "calibration"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        if (strcmp(chosen[i], setting) == 0) return true;
    }
    return false;
}

/* ---- The table at hand ---- */

/* What is kept in pairs of a number column has so many cells at most. */
static const double CELLS_OF_NUMBERS = 64;

void table_facts_read(const crd_summary *summary, table_facts *out) {
    double sum = 0, squares = 0;
    *out = (table_facts){.classes = crd_summary_class_count(summary), .combinations = 1};
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) {
        crd_kind kind = crd_summary_kind(summary, a);
        double values = 0;
        if (kind == CRD_KIND_NUMBER) {
            out->numbers++;
            values = CELLS_OF_NUMBERS;
        } else if (kind == CRD_KIND_CATEGORY) {
            out->categories++;
            values = (double)crd_summary_value_count(summary, a);
            if (values > 0) out->combinations *= values;
        }
        sum += values;
        squares += values * values;
    }
    out->pairs = ((sum * sum - squares) / 2 + sum) * (double)out->classes;
}

bool candidate_fits(const candidate *c, const table_facts *facts) {
    return facts->numbers >= c->numbers && facts->categories >= c->categories &&
           facts->numbers + facts->categories >= c->columns;
}

/* Each fold has two models, so that what one may keep with ease is too much here. */
static const double MOST_PAIRS = 0x1p24, MOST_COMBINATIONS = 0x1p40, MOST_PRODUCTS = 0x1p18;
static const uint64_t MOST_ROWS_COMBINED = 1000000;

/* A committee does without pairs that are too many for any model, and takes numbers together up to so many. In between
 * it would be another one than that which is trained. */
static const double PAIRS_GIVEN_UP = 0x1p28;
enum { NUMBERS_TOGETHER = 400 };

bool candidate_tally_fits(const char *tally, const table_facts *facts, string *reason) {
    double numbers = (double)facts->numbers, products = numbers * (numbers + 1) / 2 * (double)facts->classes;
    if (strcmp(tally, "pairs") == 0 && facts->pairs > MOST_PAIRS) {
        string_format(reason, "it counts pairs of values, and there are about %.1g of them", facts->pairs);
    } else if (strcmp(tally, "committee") == 0 && facts->pairs > MOST_PAIRS && facts->pairs < PAIRS_GIVEN_UP) {
        string_format(reason, "it counts pairs of values, and there are about %.1g of them", facts->pairs);
    } else if (strcmp(tally, "committee") == 0 && facts->numbers <= NUMBERS_TOGETHER && products > MOST_PRODUCTS) {
        string_format(reason, "it adds up products of numbers, and there are %.0f of them", products);
    } else if (strcmp(tally, "cross") == 0 && products > MOST_PRODUCTS) {
        string_format(reason, "it adds up products of numbers, and there are %.0f of them", products);
    } else if (strcmp(tally, "cells") == 0 && facts->combinations > MOST_COMBINATIONS) {
        string_format(reason, "the table of all categories would have about %.1g cells for each class",
                      facts->combinations);
    } else if (strcmp(tally, "cells") == 0 && facts->rows > MOST_ROWS_COMBINED) {
        string_format(reason, "it keeps every combination of categories, and there are too many rows");
    } else {
        return true;
    }
    return false;
}

void candidate_tallies(const table_facts *facts, string *out) {
    static const char *const together[] = {"cells", "cross", "pairs"};
    string ignored = {0};
    /* All but extremes, which no candidate reads. */
    string_format(out, "signs,logs,grid,rows");
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        bool is_read = false;
        for (size_t j = 0; j < candidate_count; j++) {
            const candidate *c = &candidate_table[j];
            if (c->tally != NULL && strcmp(c->tally, together[i]) == 0 && candidate_fits(c, facts)) is_read = true;
        }
        if (is_read && candidate_tally_fits(together[i], facts, &ignored)) string_format(out, ",%s", together[i]);
    }
    string_free(&ignored);
}

/* ---- Settings ---- */

/* Families are for numbers; where all numbers are taken together, exponents are for categories. */
static bool has_effect(const candidate *c, const table_facts *facts, size_t setting) {
    bool takes_numbers = strcmp(c->settings[0].name, "joint") == 0 && strcmp(c->settings[0].value, "numbers") == 0;
    const char *name = c->settings[setting].name;
    if (strcmp(name, "family") == 0) return facts->numbers > 0;
    if (strcmp(name, "exponents") == 0 && takes_numbers) return facts->categories > 0;
    return true;
}

int candidate_apply(const candidate *c, const table_facts *facts, crd_settings *settings) {
    crd_error error;
    for (size_t i = 0; i < CANDIDATE_SETTINGS && c->settings[i].name != NULL; i++) {
        if (!has_effect(c, facts, i)) continue;
        crd_text value = crd_text_of(c->settings[i].value);
        if (crd_settings_set(settings, c->settings[i].name, value, &error) != CRD_OK) return message_error(&error);
    }
    return ENDED_WELL;
}

void candidate_add_options(const candidate *c, const table_facts *facts, string *out) {
    for (size_t i = 0; i < CANDIDATE_SETTINGS && c->settings[i].name != NULL; i++) {
        if (has_effect(c, facts, i)) string_format(out, " --%s %s", c->settings[i].name, c->settings[i].value);
    }
}
