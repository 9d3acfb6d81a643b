/* SPDX-License-Identifier: MIT */
/* joint_table.c - the full joint table: a probability for each combination of categories, under each class. This is the
 * Bayes classifier without the independence assumption of naive Bayes.
 *
 * Let n be the number of complete rows of a class, n_x the number with combination x, and t the number of cells of the
 * table, which is the product of the columns' numbers of values. Then P(x | class) is
 *
 *   none       n_x / n
 *   m:M        (n_x + M p_x) / (n + M), p_x = 1 / t, or the product of the values' overall shares
 *   laplace:L  (n_x + L) / (n + L t)
 *
 * The pseudo-counts are spread over all cells, including cells that no row has, so the table always sums to 1. Without
 * smoothing, a class without complete rows would be 0 / 0. Then the shares over all classes are used, as in the
 * categorical family.
 *
 * If a row has missing cells, the probability of its present cells is the sum over all combinations that match them:
 *
 *   (sum of n_x + sum of the pseudo-counts) / (n + all pseudo-counts)
 *
 * The sum of n_x is computed by a walk over the combinations that occur. The sum of the pseudo-counts has a closed
 * form. It is M divided by the numbers of values of the present columns, or M times the present values' shares, or L
 * times the numbers of values of the missing columns.
 *
 * Incomplete rows do not belong to any cell of the table. They contribute to the probability q_i of each value under
 * the class. q_i is counted over all rows that have the column, with the same smoothing. If there are incomplete rows,
 * the table is also shrunk towards their product, which is naive Bayes, with equivalent sample size B:
 *
 *   (n_x + B prod_i q_i(x_i) + ...) / (n + B + ...)
 *
 * B is the power of two that maximizes the leave-one-out likelihood of the complete rows. Without complete rows, the
 * result is naive Bayes.
 *
 * Only combinations that occur use memory, so larger tables would be possible. But they would be almost empty: in a
 * table of 2^40 cells, a billion rows reach at most one cell in a thousand. Larger tables are rejected, with their size
 * in the message.
 *
 * Contents:
 *   1. Table size
 *   2. Combinations
 *   3. Incomplete rows
 *   4. Evaluation */
#include "density/multivariate/joint_density.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "stats/joint_tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_CELLS = 0x1p40;
static const uint64_t NOWHERE = UINT64_MAX;

typedef struct table {
    crd_i_joint base;
    bool *takes;
    crd_i_smoothing smoothing;
    bool is_marginal; /* the pseudo-counts are spread by overall shares */
    double strength;  /* M or L */
    double cells;     /* t */
    double mass;      /* the sum of all pseudo-counts: M or L t */
    crd_i_combinations met;
    uint64_t *indices; /* for each combination: its cell; NOWHERE if it is incomplete */
    /* hash table by cell, with at least twice as many entries as combinations: 1 + a combination, or 0 */
    uint32_t *places;
    unsigned place_bits;
    size_t *value_counts;  /* for each column; 0: the table does not cover it */
    double **shares;       /* for each column: the overall share of each value */
    double *totals, total; /* complete rows of each class, and of all classes */
    double all_rows;       /* complete and incomplete rows */
    double incomplete;     /* how many of all_rows are incomplete */
    double borrowed;       /* B; 0: all rows are complete */
    double **marginals;    /* for each column, class by class: the probability q of each value; NULL if B is 0 */
    uint64_t complete_met; /* number of complete combinations */
} table;

static void joint_table_destroy(crd_i_joint *base) {
    crd_i_combinations_clear(&((table *)base)->met);
    crd_i_arena_destroy(base->arena);
}

/* ======== 1. Table size ======== */

static int compare_counts(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x < y) - (x > y);
}

/* Writes the numbers of values as a product of powers, for example "256^30000", the largest first, truncated with
 * "...". Sorts `counts`. */
static void write_product(size_t *counts, size_t columns, char *out, size_t size) {
    size_t length = 0;
    out[0] = '\0';
    qsort(counts, columns, sizeof *counts, compare_counts);
    for (size_t i = 0, next; i < columns && counts[i] > 0; i = next) {
        for (next = i; next < columns && counts[next] == counts[i];) next++;
        if (counts[i] == 1 && length > 0) break;
        char factor[64];
        int written = next - i == 1
                          ? snprintf(factor, sizeof factor, "%s%lu", length == 0 ? "" : "*", (unsigned long)counts[i])
                          : snprintf(factor, sizeof factor, "%s%lu^%lu", length == 0 ? "" : "*",
                                     (unsigned long)counts[i], (unsigned long)(next - i));
        if (length + (size_t)written + sizeof "*..." > size) {
            memcpy(out + length, "*...", sizeof "*...");
            return;
        }
        memcpy(out + length, factor, (size_t)written + 1);
        length += (size_t)written;
    }
}

/* Reports that the table would be too large, with its size. */
static crd_status joint_table_refuse(table *joint, const crd_i_joint_source *joint_source, double log_cells,
                                     crd_error *error) {
    static const double LOG_OF_TEN = 0x1.26bb1bbb55516p+1;
    char product[120];
    double rows = 0;
    for (size_t i = 0; i < joint_source->view.condition_count; i++) rows += joint_source->class_counts[i];
    write_product(joint->value_counts, joint->base.column_count, product, sizeof product);
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "the joint table would have %s entries for each class, about 10^%.0f, and there are %.0f rows "
                      "to fill it: take fewer columns together, or use naive Bayes or aode",
                      product, floor(log_cells / LOG_OF_TEN), rows);
}

/* Determines the covered columns and the number of cells. Returns CRD_ERROR_LIMIT if the table would be too large. */
static crd_status joint_table_measure(table *joint, const crd_i_joint_source *joint_source, crd_error *error) {
    const crd_i_joint_tally *joint_tally = joint_source->joint_tally;
    double log_cells = 0;
    joint->cells = 1;
    for (size_t column = 0; column < joint_tally->column_count; column++) {
        size_t values = joint_source->view.columns[column].value_count;
        joint->takes[column] = joint_tally->types[column] == CRD_TYPE_CATEGORICAL && values > 0;
        if (!joint->takes[column]) continue;
        joint->value_counts[column] = values;
        joint->cells *= (double)values;
        log_cells += crd_log((double)values);
    }
    return joint->cells > MOST_CELLS ? joint_table_refuse(joint, joint_source, log_cells, error) : CRD_OK;
}

/* ======== 2. Combinations ======== */

/* Returns the cell of a combination; NOWHERE if it is incomplete. */
static uint64_t index_of(const table *joint, const int32_t *codes) {
    uint64_t index = 0;
    for (size_t column = 0; column < joint->base.column_count; column++) {
        if (!joint->takes[column]) continue;
        if (codes[column] < 0) return NOWHERE;
        index = index * joint->value_counts[column] + (uint64_t)codes[column];
    }
    return index;
}

/* Returns the hash table entry of a cell, which is 0 if no row has the cell. Uses multiplicative hashing and linear
 * probing. */
static uint32_t *joint_table_place(const table *joint, uint64_t index) {
    size_t mask = ((size_t)1 << joint->place_bits) - 1;
    size_t place = (size_t)(index * UINT64_C(0x9e3779b97f4a7c15) >> (64 - joint->place_bits));
    while (joint->places[place] != 0 && joint->indices[joint->places[place] - 1] != index) place = (place + 1) & mask;
    return &joint->places[place];
}

/* Builds the hash table of the complete combinations, and counts complete and incomplete rows. false: out of memory. */
static bool place_combinations(table *joint) {
    crd_i_arena *arena = joint->base.arena;
    const crd_i_combinations *met = &joint->met;
    joint->place_bits = 1;
    while ((size_t)1 << joint->place_bits < 2 * met->count) joint->place_bits++;
    joint->indices = crd_i_arena_alloc(arena, met->count, sizeof *joint->indices);
    joint->places = crd_i_arena_alloc_zeroed(arena, (size_t)1 << joint->place_bits, sizeof *joint->places);
    joint->totals = crd_i_arena_alloc_zeroed(arena, joint->base.conditions, sizeof *joint->totals);
    if (crd_i_arena_failed(arena)) return false;
    for (size_t i = 0; i < met->count; i++) {
        uint64_t index = index_of(joint, met->codes + i * met->column_count);
        joint->indices[i] = index;
        for (size_t entry = met->begins[i]; index == NOWHERE && entry < met->begins[i + 1]; entry++)
            joint->incomplete += met->counts[entry];
        if (index == NOWHERE) continue;
        joint->complete_met++;
        *joint_table_place(joint, index) = (uint32_t)(i + 1);
        for (size_t entry = met->begins[i]; entry < met->begins[i + 1]; entry++) {
            joint->totals[met->conditions[entry]] += met->counts[entry];
            joint->total += met->counts[entry];
        }
    }
    return true;
}

/* Computes the overall share of each value, over all rows that have the column, complete or not. */
static bool joint_table_find_shares(table *joint) {
    const crd_i_combinations *met = &joint->met;
    for (size_t column = 0; column < joint->base.column_count; column++) {
        if (!joint->takes[column]) continue;
        double *shares = crd_i_arena_alloc_zeroed(joint->base.arena, joint->value_counts[column], sizeof *shares);
        double sum = 0;
        joint->shares[column] = shares;
        if (shares == NULL) return false;
        for (size_t i = 0; i < met->count; i++) {
            int32_t code = met->codes[i * met->column_count + column];
            if (code < 0) continue;
            for (size_t entry = met->begins[i]; entry < met->begins[i + 1]; entry++) {
                shares[code] += met->counts[entry];
                sum += met->counts[entry];
            }
        }
        for (size_t value = 0; sum > 0 && value < joint->value_counts[column]; value++) shares[value] /= sum;
    }
    return true;
}

static void set_smoothing(table *joint, const crd_settings *settings) {
    joint->smoothing = settings->smoothing;
    joint->is_marginal = settings->smoothing == CRD_I_SMOOTHING_M && settings->smoothing_marginal;
    joint->strength = settings->smoothing == CRD_I_SMOOTHING_NONE ? 0 : settings->smoothing_strength;
    joint->mass = settings->smoothing == CRD_I_SMOOTHING_LAPLACE ? joint->strength * joint->cells : joint->strength;
}

/* ======== 3. Incomplete rows ======== */

/* Computes the probability of each value of a column under each class, over all rows that have the column. */
static bool find_marginals(table *joint, size_t column) {
    crd_i_arena *arena = joint->base.arena;
    const crd_i_combinations *met = &joint->met;
    size_t values = joint->value_counts[column], classes = joint->base.conditions;
    double *created = crd_i_arena_alloc_zeroed(arena, classes, values * sizeof *created), sum = 0;
    double *all = crd_i_arena_alloc_zeroed(arena, values, sizeof *all);
    joint->marginals[column] = created;
    if (all == NULL) return false;
    for (size_t i = 0; i < met->count; i++) {
        int32_t code = met->codes[i * met->column_count + column];
        for (size_t entry = met->begins[i]; code >= 0 && entry < met->begins[i + 1]; entry++) {
            created[(size_t)met->conditions[entry] * values + (size_t)code] += met->counts[entry];
            all[code] += met->counts[entry];
            sum += met->counts[entry];
        }
    }
    for (size_t class = 0; class < classes; class ++) {
        double *entries = created + class * values, rows = 0;
        for (size_t value = 0; value < values; value++) rows += entries[value];
        for (size_t value = 0; value < values; value++) {
            double even = joint->is_marginal ? joint->shares[column][value] : 1 / (double)values;
            double assumed = joint->smoothing == CRD_I_SMOOTHING_LAPLACE ? joint->strength : joint->strength * even;
            double mass =
                joint->smoothing == CRD_I_SMOOTHING_LAPLACE ? joint->strength * (double)values : joint->strength;
            entries[value] = rows + mass > 0 ? (entries[value] + assumed) / (rows + mass) : all[value] / sum;
        }
    }
    return true;
}

/* Returns the log probability of a complete combination under a class by naive Bayes. */
static double log_product(const table *joint, const int32_t *codes, size_t class) {
    double product = 0;
    for (size_t column = 0; column < joint->base.column_count; column++)
        if (joint->takes[column])
            product += crd_log(joint->marginals[column][class * joint->value_counts[column] + (size_t)codes[column]]);
    return product;
}

/* Returns the leave-one-out log likelihood: each complete row under the table without this row. `products` are the
 * naive Bayes probabilities of all entries. */
static double left_out_likelihood(const table *joint, const double *products, double borrowed) {
    const crd_i_combinations *met = &joint->met;
    double sum = 0;
    for (size_t i = 0; i < met->count; i++)
        for (size_t entry = met->begins[i]; joint->indices[i] != NOWHERE && entry < met->begins[i + 1]; entry++) {
            double count = met->counts[entry], others = fmax(count - 1, 0);
            double rows = fmax(joint->totals[met->conditions[entry]] - 1, 0) + borrowed;
            sum += count * crd_i_log_ratio(others + borrowed * products[entry], rows);
        }
    return sum;
}

/* Chooses B by leave-one-out likelihood. false: out of memory. */
static bool choose_borrowed(table *joint) {
    static const double MOST = 0x1p30;
    const crd_i_combinations *met = &joint->met;
    double *products = crd_i_alloc(joint->base.context, met->begins[met->count], sizeof *products), best = -INFINITY;
    if (products == NULL) return false;
    for (size_t i = 0; i < met->count; i++)
        for (size_t entry = met->begins[i]; joint->indices[i] != NOWHERE && entry < met->begins[i + 1]; entry++)
            products[entry] =
                crd_exp(log_product(joint, met->codes + i * met->column_count, (size_t)met->conditions[entry]));
    joint->borrowed = MOST;
    for (double borrowed = 1; joint->total > 0 && borrowed <= MOST; borrowed *= 2) {
        double result = left_out_likelihood(joint, products, borrowed);
        if (!(result > best)) continue;
        best = result;
        joint->borrowed = borrowed;
    }
    crd_free(joint->base.context, products);
    return true;
}

static bool use_incomplete(table *joint) {
    if (!(joint->incomplete > 0)) return true;
    joint->marginals = crd_i_arena_alloc_zeroed(joint->base.arena, joint->base.column_count, sizeof *joint->marginals);
    bool done = joint->marginals != NULL;
    for (size_t column = 0; done && column < joint->base.column_count; column++)
        done = !joint->takes[column] || find_marginals(joint, column);
    return done && choose_borrowed(joint);
}

/* Derives the table from a joint-counts tally. Errors: CRD_ERROR_LIMIT if it would be too large, CRD_ERROR_MEMORY. */
static crd_status joint_table_derive(crd_context *context, const crd_i_joint_source *joint_source,
                                     const crd_settings *settings, crd_i_joint **out, crd_error *error) {
    size_t columns = joint_source->joint_tally->column_count, conditions = joint_source->view.condition_count;
    *out = NULL;
    table *joint = crd_i_arena_object(context, sizeof *joint);
    if (joint == NULL) return crd_i_fail_memory(error);
    crd_i_arena *arena = joint->base.arena;
    joint->base.type = &crd_i_joint_table;
    joint->base.context = context;
    joint->base.conditions = joint->base.capacity = conditions;
    joint->base.column_count = columns;
    joint->met.context = context;
    joint->base.takes = joint->takes = crd_i_arena_alloc_zeroed(arena, columns, sizeof *joint->takes);
    joint->value_counts = crd_i_arena_alloc_zeroed(arena, columns, sizeof *joint->value_counts);
    joint->shares = crd_i_arena_alloc_zeroed(arena, columns, sizeof *joint->shares);
    crd_status status = crd_i_arena_check(arena, error);
    if (status == CRD_OK) status = joint_table_measure(joint, joint_source, error);
    if (status != CRD_OK) goto fail;
    set_smoothing(joint, settings);
    if (!crd_i_combinations_init(&joint->met, context, joint_source->joint_tally, &joint_source->view) ||
        !place_combinations(joint) || (joint->is_marginal && !joint_table_find_shares(joint)) ||
        !use_incomplete(joint)) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    for (size_t i = 0; i < conditions; i++) joint->all_rows += joint_source->class_counts[i];
    joint->base.rows = joint->all_rows;
    joint->base.incomplete_rows = joint->incomplete;
    *out = &joint->base;
    return CRD_OK;
fail:
    joint_table_destroy(&joint->base);
    return status;
}

/* ======== 4. Evaluation ======== */

static void count_combination(const table *joint, size_t i, double *counts) {
    for (size_t entry = joint->met.begins[i]; entry < joint->met.begins[i + 1]; entry++)
        counts[joint->met.conditions[entry]] += joint->met.counts[entry];
}

/* Adds the rows of each class that match the present cells, by a walk over all combinations. */
static void count_matching(const table *joint, const crd_i_joint_cell *cells, double *counts) {
    size_t columns = joint->base.column_count;
    for (size_t i = 0; i < joint->met.count; i++) {
        if (joint->indices[i] == NOWHERE) continue;
        const int32_t *codes = joint->met.codes + i * columns;
        bool matches = true;
        for (size_t column = 0; matches && column < columns; column++)
            matches = !joint->takes[column] || !cells[column].is_present || codes[column] == cells[column].code;
        if (matches) count_combination(joint, i, counts);
    }
}

/* Adds log P(present cells | class) to the sum of each class. `counts` has room for one double per class. */
static void joint_table_add(const crd_i_joint *base, const crd_i_joint_cell *cells, double *sums, double *counts) {
    const table *joint = (const table *)base;
    double missing_values = 1, present_values = 1, share = 1;
    uint64_t index = 0;
    bool is_complete = true, is_empty = true;
    /* Without rows and pseudo-counts, the density is undefined and skipped. */
    if (joint->total == 0 && joint->mass == 0 && joint->borrowed == 0) return;
    for (size_t column = 0; column < base->column_count; column++) {
        if (!joint->takes[column]) continue;
        double values = (double)joint->value_counts[column];
        if (!cells[column].is_present) {
            is_complete = false;
            missing_values *= values;
            continue;
        }
        is_empty = false;
        present_values *= values;
        index = index * joint->value_counts[column] + (uint64_t)cells[column].code;
        if (joint->is_marginal) share *= joint->shares[column][cells[column].code];
    }
    if (is_empty) return;
    for (size_t i = 0; i < base->conditions; i++) counts[i] = 0;
    if (!is_complete) count_matching(joint, cells, counts);
    else if (*joint_table_place(joint, index) != 0)
        count_combination(joint, *joint_table_place(joint, index) - 1u, counts);
    double assumed = joint->strength; /* the part of `mass` in the matching cells */
    if (joint->smoothing == CRD_I_SMOOTHING_LAPLACE) assumed *= missing_values;
    else if (joint->is_marginal) assumed *= share;
    else assumed /= present_values;
    double overall = 0;
    for (size_t i = 0; i < base->conditions; i++) overall += counts[i];
    for (size_t i = 0; i < base->conditions; i++) {
        double total = joint->totals[i] + joint->mass, borrowed = joint->borrowed;
        if (borrowed > 0) {
            for (size_t column = 0; column < base->column_count; column++)
                if (joint->takes[column] && cells[column].is_present)
                    borrowed *= joint->marginals[column][i * joint->value_counts[column] + (size_t)cells[column].code];
            sums[i] += crd_i_log_ratio(counts[i] + assumed + borrowed, total + joint->borrowed);
            continue;
        }
        sums[i] += total > 0 ? crd_i_log_ratio(counts[i] + assumed, total) : crd_i_log_ratio(overall, joint->total);
    }
}

static bool list_combinations(const table *joint, crd_i_parameter_list *parameter) {
    size_t columns = joint->base.column_count, classes = joint->base.conditions, met = (size_t)joint->complete_met;
    double *codes = crd_i_parameter_list_matrix(parameter, "combination", met, columns);
    double *rows = codes == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "rows", met, classes);
    for (size_t i = 0, index = 0; rows != NULL && i < joint->met.count; i++) {
        if (joint->indices[i] == NOWHERE) continue;
        for (size_t column = 0; column < columns; column++)
            codes[index * columns + column] =
                joint->takes[column] ? (double)joint->met.codes[i * joint->met.column_count + column] : -1;
        count_combination(joint, i, rows + index++ * classes);
    }
    return rows != NULL;
}

/* Lists the parameters for export: combinations and their counts, pseudo-counts, and q and shares if they are used. */
static bool joint_table_list_parameters(const crd_i_joint *base, crd_i_parameter_list *parameter) {
    const table *joint = (const table *)base;
    size_t all = 0, next = 0;
    double *values = crd_i_parameter_list_vector(parameter, "values", base->column_count);
    for (size_t i = 0; values != NULL && i < base->column_count; i++) {
        values[i] = (double)joint->value_counts[i];
        all += joint->value_counts[i];
    }
    if (values == NULL || !list_combinations(joint, parameter) ||
        !crd_i_parameter_list_copy(parameter, "class_rows", joint->totals, base->conditions, 1) ||
        !crd_i_parameter_list_number(parameter, "strength", joint->strength) ||
        !crd_i_parameter_list_number(parameter, "mass", joint->mass) ||
        !crd_i_parameter_list_number(parameter, "is_laplace", joint->smoothing == CRD_I_SMOOTHING_LAPLACE) ||
        !crd_i_parameter_list_number(parameter, "is_marginal", joint->is_marginal) ||
        !crd_i_parameter_list_number(parameter, "borrowed", joint->borrowed))
        return false;
    double *naive =
        joint->borrowed > 0 ? crd_i_parameter_list_vector(parameter, "naive", all * base->conditions) : NULL;
    for (size_t i = 0, begin = 0; naive != NULL && i < base->column_count; i++)
        for (size_t j = 0; j < joint->value_counts[i] * base->conditions; j++) naive[begin++] = joint->marginals[i][j];
    if (joint->borrowed > 0 && naive == NULL) return false;
    if (!joint->is_marginal) return true;
    double *shares = crd_i_parameter_list_vector(parameter, "share", all);
    for (size_t i = 0; shares != NULL && i < base->column_count; i++)
        for (size_t v = 0; v < joint->value_counts[i]; v++) shares[next++] = joint->shares[i][v];
    return shares != NULL;
}

static bool joint_table_estimates(const crd_i_joint *base, crd_i_estimates *out) {
    const table *joint = (const table *)base;
    return crd_i_estimates_add(out, "probabilities of combinations",
                               ((uint64_t)joint->cells - 1) * (uint64_t)base->conditions);
}

static void joint_table_describe(const crd_i_joint *base, char *out, size_t size) {
    const table *joint = (const table *)base;
    char borrowed[80] = "";
    if (joint->borrowed > 0 && joint->total > 0)
        snprintf(borrowed, sizeof borrowed, ", with %.0f rows of naive Bayes from all rows", joint->borrowed);
    else if (joint->borrowed > 0) snprintf(borrowed, sizeof borrowed, ", so it is naive Bayes from all rows");
    snprintf(out, size, "a table of %.0f entries, %lu of them used, by the %.0f of %.0f rows that are complete%s",
             joint->cells, (unsigned long)joint->complete_met, joint->total, joint->all_rows, borrowed);
}

const crd_i_joint_type crd_i_joint_table = {
    .name = "table",
    .summary = "a probability for each combination of categories",
    .reads = &crd_i_joint_counts,
    .derive = joint_table_derive,
    .destroy = joint_table_destroy,
    .add = joint_table_add,
    .estimates = joint_table_estimates,
    .list_parameters = joint_table_list_parameters,
    .describe = joint_table_describe,
};
