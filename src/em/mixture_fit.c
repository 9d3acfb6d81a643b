/* SPDX-License-Identifier: MIT */
/* mixture_fit.c - EM iterations, random initialization and row subsets. See class_mixture.h. */
#include "em/class_mixture.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

/* ---- Steps ---- */

typedef struct mixture_run {
    crd_i_class_mixture *mixture;
    const crd_i_class_mixture_rows *rows;
    const double *known;
    double *statistics;
} mixture_run;

static crd_status mixture_run_expect(void *state, crd_i_em_step *out, crd_error *error) {
    const mixture_run *run = state;
    const size_t count = crd_i_class_mixture_statistics(run->mixture);
    const size_t last = crd_i_class_mixture_parameters(run->mixture) - 1;
    if (run->known != NULL) memcpy(run->statistics, run->known, count * sizeof *run->known);
    else memset(run->statistics, 0, count * sizeof *run->statistics);
    crd_status status =
        crd_i_class_mixture_expect(run->mixture, run->rows, run->statistics, &out->log_likelihood, error);
    if (status != CRD_OK) return status;
    if (run->known != NULL) out->log_likelihood += crd_i_class_mixture_complete(run->mixture, run->known);
    out->objective = out->log_likelihood + crd_i_class_mixture_state(run->mixture)[last];
    return CRD_OK;
}

static void mixture_run_maximize(void *state) {
    const mixture_run *run = state;
    crd_i_class_mixture_maximise(run->mixture, run->statistics);
}

crd_status crd_i_mixture_fit_run(crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                                 const double *known, const crd_i_em_rule *rule, double *statistics,
                                 crd_i_em_trace *trace, crd_error *error) {
    mixture_run run = {mixture, rows, known, statistics};
    const crd_i_em_model model = {&run, mixture_run_expect, mixture_run_maximize, NULL};
    return crd_i_em_run(&model, rule, trace, error);
}

/* ---- Initialization ---- */

static double mixture_fit_weight(const crd_i_class_mixture_rows *rows, size_t row) {
    return rows->weights != NULL ? rows->weights[row] : crd_i_case_weight(rows->table, row);
}

/* Draws a row with probability proportional to its weight times its distance from the nearest seed. Without distances,
 * the probability is proportional to the weight. Returns SIZE_MAX if all of these products are 0. */
static size_t mixture_fit_draw_row(const crd_i_class_mixture_rows *rows, const double *distances, bool has_distances,
                                   double *cumulative, crd_i_random *random) {
    double sum = 0;
    for (size_t i = 0; i < rows->table->rows; i++) {
        sum += mixture_fit_weight(rows, i) * (has_distances ? distances[i] : 1);
        cumulative[i] = sum;
    }
    if (!(sum > 0)) return SIZE_MAX;
    return crd_i_random_choice(random, cumulative, rows->table->rows);
}

crd_status crd_i_mixture_fit_start(crd_i_class_mixture *mixture, size_t classes, const crd_i_class_mixture_rows *rows,
                                   uint64_t seed, uint64_t stream, crd_error *error) {
    const crd_i_case_table *table = rows->table;
    crd_context *context = table->context;
    crd_status status = CRD_OK;
    crd_i_random random = crd_i_random_at(seed, stream);
    double *distances = crd_i_alloc(context, table->rows, sizeof *distances);
    double *cumulative = crd_i_alloc(context, table->rows, sizeof *cumulative);
    int32_t *nearest = crd_i_alloc_zeroed(context, table->rows, sizeof *nearest);
    double *statistics = crd_i_alloc_zeroed(context, crd_i_class_mixture_statistics(mixture), sizeof *statistics);
    if (distances == NULL || cumulative == NULL || nearest == NULL || statistics == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    for (size_t k = 0; k < classes; k++) {
        const size_t chosen = mixture_fit_draw_row(rows, distances, k > 0, cumulative, &random);
        if (crd_i_context_cancelled(context)) {
            status = crd_i_fail_cancelled(error);
            goto done;
        }
        if (chosen == SIZE_MAX) break;
        for (size_t i = 0; i < table->rows; i++) {
            const double distance = crd_i_class_mixture_distance(mixture, table, i, chosen);
            if (k > 0 && distance >= distances[i]) continue;
            distances[i] = distance;
            nearest[i] = (int32_t)k;
        }
    }
    crd_i_class_mixture_count(mixture, rows, nearest, statistics);
    crd_i_class_mixture_maximise(mixture, statistics);

done:
    if (table->is_shared) status = crd_i_agree(context, status, error);
    crd_free(context, distances);
    crd_free(context, cumulative);
    crd_free(context, nearest);
    crd_free(context, statistics);
    return status;
}

/* ---- Row subsets ---- */

/* Copies the given rows of column c. Returns false if out of memory. */
static bool mixture_fit_copy_column(crd_i_case_table *case_table, const crd_i_case_table *source_table, size_t c,
                                    const size_t *rows, size_t count) {
    const crd_i_case_column *case_column = &source_table->columns[c];
    crd_i_case_column *column = &case_table->columns[c];
    column->type = case_column->type;
    column->has_missing = case_column->has_missing;
    if (!crd_i_case_column_name(case_table, c, case_column->name)) return false;
    if (case_column->type == CRD_TYPE_NUMERIC) {
        column->numbers = crd_i_alloc(case_table->context, count, sizeof *column->numbers);
        for (size_t i = 0; column->numbers != NULL && i < count; i++)
            column->numbers[i] = case_column->numbers[rows[i]];
        return column->numbers != NULL;
    }
    /* The state names are not copied; they remain in the original table. */
    column->state_count = case_column->state_count;
    if (!crd_i_case_column_codes(case_table, c, count)) return false;
    for (size_t i = 0; i < count; i++) crd_i_case_put(column, i, crd_i_case_code(case_column, rows[i]));
    return true;
}

crd_status crd_i_case_rows(const crd_i_case_table *table, const size_t *rows, size_t count, crd_i_case_table **out,
                           crd_error *error) {
    crd_i_case_table *case_table = crd_i_case_table_create(table->context, table->column_count);
    bool done = case_table != NULL;
    *out = NULL;
    for (size_t c = 0; done && c < table->column_count; c++)
        done = mixture_fit_copy_column(case_table, table, c, rows, count);
    if (done && table->weights != NULL) {
        case_table->weights = crd_i_alloc(table->context, count, sizeof *case_table->weights);
        done = case_table->weights != NULL;
    }
    if (!done) {
        crd_i_case_table_destroy(case_table);
        return crd_i_fail_memory(error);
    }
    case_table->rows = count;
    case_table->target = table->target;
    case_table->is_shared = table->is_shared;
    for (size_t i = 0; i < count; i++) {
        if (case_table->weights != NULL) case_table->weights[i] = table->weights[rows[i]];
        case_table->total += crd_i_case_weight(case_table, i);
    }
    *out = case_table;
    return CRD_OK;
}

void crd_i_mixture_fit_part(const crd_i_case_table *table, size_t parts, size_t which, double *part) {
    size_t next = 0;
    for (size_t i = 0; i < table->rows; i++) {
        const double weight = crd_i_case_weight(table, i), each = floor(weight / (double)parts);
        double remainder = weight - each * (double)parts;
        part[i] = each;
        for (; remainder > 0; remainder -= 1, next = next + 1 == parts ? 0 : next + 1)
            if (next == which) part[i] += fmin(remainder, 1);
    }
}
