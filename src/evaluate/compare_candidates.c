/* SPDX-License-Identifier: MIT */
/* compare_candidates.c - the table of candidates. To compare another model, add a line to the table. */
#include "evaluate/compare_internal.h"

#include <stdio.h>
#include <string.h>

/* NAIVE_OF: a candidate without calibration and with each calibration. Both calibrations use the same held-out rows,
 * so the second one costs little. */
#define SCALED                                                                                                         \
    { "calibration", "scaling" }
#define ISOTONIC                                                                                                       \
    { "calibration", "isotonic" }
#define NAIVE_OF(family_name)                                                                                          \
    {"naive, " family_name, {{"family", family_name}}, 1, 0, 0, NULL},                                                 \
        {"naive, " family_name ", scaled", {{"family", family_name}, SCALED}, 1, 0, 0, NULL}, {                        \
        "naive, " family_name ", isotonic", {{"family", family_name}, ISOTONIC}, 1, 0, 0, NULL                         \
    }

/* Simple candidates come first: of two equally good candidates, the first is recommended. A family applies to
 * numeric or to text columns; the setting is omitted if the table has no such columns. Candidates that model several
 * columns together do not suit tables with text columns. Attribute weights and stacked ensembles have no calibrated
 * forms, because they are already fitted to held-out rows. */
static const crd_i_compare_candidate candidates[] = {
    {"naive", {{0}}, 0, 0, 0, NULL},
    {"naive, scaled", {SCALED}, 0, 0, 1, NULL},
    {"naive, isotonic", {ISOTONIC}, 0, 0, 1, NULL},
    NAIVE_OF("student"),
    NAIVE_OF("kernel"),
    NAIVE_OF("histogram"),
    NAIVE_OF("mixture"),
    NAIVE_OF("auto"),
    NAIVE_OF("complement"),
    NAIVE_OF("bernoulli"),
    NAIVE_OF("words-dirichlet"),
    {"naive, exponents", {{"family", "auto"}, {"exponents", "fitted"}}, 0, 0, 1, "rows"},
    {"joint numbers, shared", {{"joint", "numbers"}, {"normal", "shared"}, {"exponents", "fitted"}}, 2, 0, 0, "cross"},
    {"joint numbers, shared, scaled",
     {{"joint", "numbers"}, {"normal", "shared"}, {"exponents", "fitted"}, SCALED},
     2,
     0,
     0,
     "cross"},
    {"joint numbers, shared, isotonic",
     {{"joint", "numbers"}, {"normal", "shared"}, {"exponents", "fitted"}, ISOTONIC},
     2,
     0,
     0,
     "cross"},
    {"joint numbers", {{"joint", "numbers"}, {"exponents", "fitted"}}, 2, 0, 0, "cross"},
    {"joint numbers, scaled", {{"joint", "numbers"}, {"exponents", "fitted"}, SCALED}, 2, 0, 0, "cross"},
    {"joint numbers, isotonic", {{"joint", "numbers"}, {"exponents", "fitted"}, ISOTONIC}, 2, 0, 0, "cross"},
    {"joint numbers, mixture",
     {{"joint", "numbers"}, {"normal", "mixture"}, {"exponents", "fitted"}},
     2,
     0,
     0,
     "cross"},
    {"joint categories", {{"joint", "categories"}, {"family", "auto"}}, 0, 2, 0, "cells"},
    {"joint categories, scaled", {{"joint", "categories"}, {"family", "auto"}, SCALED}, 0, 2, 0, "cells"},
    {"joint categories, isotonic", {{"joint", "categories"}, {"family", "auto"}, ISOTONIC}, 0, 2, 0, "cells"},
    {"tan", {{"method", "tan"}}, 0, 0, 2, "table"},
    {"kdb:2", {{"method", "kdb:2"}}, 0, 0, 3, "table"},
    {"a1de", {{"method", "a1de"}}, 0, 0, 2, "pairs"},
    {"a1de, scaled", {{"method", "a1de"}, SCALED}, 0, 0, 2, "pairs"},
    {"a1de, isotonic", {{"method", "a1de"}, ISOTONIC}, 0, 0, 2, "pairs"},
    {"pairs", {{"method", "pairs"}}, 0, 0, 2, "pairs"},
    {"pairs, scaled", {{"method", "pairs"}, SCALED}, 0, 0, 2, "pairs"},
    {"pairs, isotonic", {{"method", "pairs"}, ISOTONIC}, 0, 0, 2, "pairs"},
    {"boosting, scaled", {{"method", "boosting:20"}, {"family", "kernel"}, SCALED}, 0, 0, 1, "rows"},
    {"committee", {{"method", "committee"}}, 0, 0, 2, "committee"},
};

/* The settings that differ between candidates. */
static const char *const chosen[] = {"family", "method", "joint", "normal", "exponents", "calibration"};

size_t crd_i_candidate_count(void) {
    return sizeof candidates / sizeof *candidates;
}

const crd_i_compare_candidate *crd_i_candidate_at(size_t index) {
    return &candidates[index];
}

/* Returns the number of settings before the calibration, which is the last setting; SIZE_MAX if there is no
 * calibration. */
static size_t settings_before_calibration(const crd_i_compare_candidate *candidate) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && candidate->settings[i].name != NULL; i++)
        if (strcmp(candidate->settings[i].name, "calibration") == 0) return i;
    return SIZE_MAX;
}

/* See compare_internal.h. Searches backwards for the candidate with the same settings except the calibration. */
const crd_i_compare_candidate *crd_i_candidate_base(const crd_i_compare_candidate *candidate) {
    size_t count = settings_before_calibration(candidate);
    for (const crd_i_compare_candidate *one = candidate; count != SIZE_MAX && one-- > candidates;) {
        bool is_base = count == CRD_I_CANDIDATE_SETTINGS || one->settings[count].name == NULL;
        for (size_t i = 0; is_base && i < count; i++)
            is_base = one->settings[i].name != NULL &&
                      strcmp(one->settings[i].name, candidate->settings[i].name) == 0 &&
                      strcmp(one->settings[i].value, candidate->settings[i].value) == 0;
        if (is_base) return one;
    }
    return NULL;
}

const char *crd_comparison_candidate(size_t index) {
    return index < crd_i_candidate_count() ? candidates[index].name : NULL;
}

int crd_comparison_chooses(const char *setting) {
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (strcmp(chosen[i], setting) == 0) return 1;
    return 0;
}

/* ---- Facts of a table ---- */

/* Pair counts discretize a numeric column into at most this many bins. */
static const double CELLS_OF_NUMBERS = 64;

/* See compare_internal.h. With v_i values in column i, the number of pairs is ((sum v_i)^2 - sum v_i^2) / 2. */
void crd_i_table_facts_read(const crd_summary *summary, crd_i_table_facts *out) {
    double sum = 0, squares = 0, category_squares = 0;
    out->numbers = out->categories = out->texts = 0;
    out->classes = crd_summary_class_count(summary);
    out->combinations = 1;
    out->values = out->occurrences = 0;
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
            out->values += values;
            category_squares += values * values;
        } else if (kind == CRD_KIND_TEXT) {
            out->texts++;
            for (size_t k = 0; k < out->classes; k++) out->occurrences += crd_summary_occurrences(summary, a, k);
        }
        sum += values;
        squares += values * values;
    }
    out->category_pairs = (out->values * out->values - category_squares) / 2 * (double)out->classes;
    /* Every pair of columns, and each column with the class. */
    out->pairs = ((sum * sum - squares) / 2 + sum) * (double)out->classes;
}

/* Returns whether the candidate sets a family for text columns. */
static bool is_of_texts(const crd_i_compare_candidate *candidate) {
    static const char *const families[] = {"complement", "bernoulli", "words-dirichlet"};
    if (candidate->settings[0].name == NULL || strcmp(candidate->settings[0].name, "family") != 0) return false;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(candidate->settings[0].value, families[i]) == 0) return true;
    return false;
}

/* Returns whether the candidate models each column separately, so text columns are possible. */
static bool is_of_attributes(const crd_i_compare_candidate *candidate) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && candidate->settings[i].name != NULL; i++)
        if (strcmp(candidate->settings[i].name, "method") == 0 || strcmp(candidate->settings[i].name, "joint") == 0)
            return false;
    return true;
}

bool crd_i_candidate_suits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts) {
    if (is_of_texts(candidate)) return facts->texts > 0;
    if (facts->texts > 0 && !is_of_attributes(candidate)) return false;
    return facts->numbers >= candidate->numbers && facts->categories >= candidate->categories &&
           facts->numbers + facts->categories + facts->texts >= candidate->columns;
}

/* Limits of the statistics. They are lower than the limits of a single model, because every fold has two models. */
static const double MOST_PAIRS = 0x1p24, MOST_COMBINATIONS = 0x1p40, MOST_PRODUCTS = 0x1p18, MOST_TABLE_CELLS = 0x1p24;
static const uint64_t MOST_ROWS_COMBINED = 1000000;

/* A stacked ensemble omits members whose statistics would be too large for any model. Between these limits and the
 * limits above, the ensemble would differ from the one that is trained later. */
static const double PAIRS_GIVEN_UP = 0x1p28;
enum { NUMBERS_TOGETHER = 400 };

/* Returns whether a statistic is small enough. If not, writes the reason. */
static bool tally_fits(const char *tally, const crd_i_table_facts *facts, char reason[CRD_I_REASON_ROOM]) {
    double numbers = (double)facts->numbers, products = numbers * (numbers + 1) / 2 * (double)facts->classes;
    bool is_committee = strcmp(tally, "committee") == 0;
    bool counts_pairs = strcmp(tally, "pairs") == 0 || (is_committee && facts->pairs < PAIRS_GIVEN_UP);
    bool adds_products = strcmp(tally, "cross") == 0 || (is_committee && facts->numbers <= NUMBERS_TOGETHER);
    bool counts_cells = strcmp(tally, "cells") == 0;
    double cells = (double)facts->rows * (double)(facts->numbers + facts->categories + 1);
    if (counts_pairs && facts->pairs > MOST_PAIRS) {
        snprintf(reason, CRD_I_REASON_ROOM, "it counts pairs of values, and there are about %.1g of them",
                 facts->pairs);
    } else if (adds_products && products > MOST_PRODUCTS) {
        snprintf(reason, CRD_I_REASON_ROOM, "it sums products of numbers, and there are %.0f of them", products);
    } else if (counts_cells && facts->combinations > MOST_COMBINATIONS) {
        snprintf(reason, CRD_I_REASON_ROOM, "the table of all categories would have about %.1g entries for each class",
                 facts->combinations);
    } else if (strcmp(tally, "table") == 0 && cells > MOST_TABLE_CELLS) {
        snprintf(reason, CRD_I_REASON_ROOM, "it stores all rows, and they have %.3g values", cells);
    } else if (counts_cells && facts->rows > MOST_ROWS_COMBINED) {
        snprintf(reason, CRD_I_REASON_ROOM, "it stores every combination of categories, and there are too many rows");
    } else {
        return true;
    }
    return false;
}

bool crd_i_candidate_fits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts,
                          char reason[CRD_I_REASON_ROOM]) {
    reason[0] = '\0';
    return candidate->tally == NULL || tally_fits(candidate->tally, facts, reason);
}

/* Returns whether the candidate needs further statistics of numeric columns. Families other than normal and Student
 * do, and so do stacked ensembles. */
static bool reads_more_of_numbers(const crd_i_compare_candidate *one) {
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS && one->settings[i].name != NULL; i++)
        if (strcmp(one->settings[i].name, "family") == 0 && strcmp(one->settings[i].value, "student") != 0 &&
            !is_of_texts(one))
            return true;
    return one->tally != NULL && strcmp(one->tally, "committee") == 0;
}

static bool is_tried(const crd_i_compared *one) {
    return one->result.status == CRD_CANDIDATE_PENDING;
}

/* See compare_internal.h. Statistics are needed only for the candidates that are tried. */
void crd_i_candidate_tallies(const crd_i_compared *all, size_t count, const crd_i_table_facts *facts,
                             char tallies[CRD_I_TALLIES_ROOM]) {
    static const char *const together[] = {"cells", "cross", "pairs", "table"};
    char ignored[CRD_I_REASON_ROOM];
    bool reads_more = false;
    for (size_t j = 0; j < count; j++)
        reads_more = reads_more || (is_tried(&all[j]) && reads_more_of_numbers(all[j].candidate));
    /* All statistics of single columns except extremes, which no candidate needs. */
    size_t length = (size_t)snprintf(tallies, CRD_I_TALLIES_ROOM, "%srows", reads_more ? "signs,logs,grid," : "");
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        bool is_read = false;
        for (size_t j = 0; j < count; j++) {
            const char *tally = all[j].candidate->tally;
            if (tally == NULL || !is_tried(&all[j])) continue;
            bool is_member = strcmp(tally, "committee") == 0 && strcmp(together[i], "cells") != 0 &&
                             strcmp(together[i], "table") != 0 &&
                             (facts->numbers > 1 || strcmp(together[i], "cross") != 0);
            if (is_member || strcmp(tally, together[i]) == 0) is_read = true;
        }
        if (is_read && tally_fits(together[i], facts, ignored))
            length += (size_t)snprintf(tallies + length, CRD_I_TALLIES_ROOM - length, ",%s", together[i]);
    }
}

/* See compare_internal.h. A family affects numeric columns. If all numeric columns are modeled together, exponents
 * affect only categorical columns. */
bool crd_i_candidate_sets(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts, size_t setting) {
    if (setting >= CRD_I_CANDIDATE_SETTINGS || candidate->settings[setting].name == NULL) return false;
    const char *name = candidate->settings[setting].name;
    bool takes_numbers =
        strcmp(candidate->settings[0].name, "joint") == 0 && strcmp(candidate->settings[0].value, "numbers") == 0;
    if (strcmp(name, "family") == 0) return facts->numbers > 0 || is_of_texts(candidate);
    if (strcmp(name, "exponents") == 0 && takes_numbers) return facts->categories > 0;
    return true;
}
