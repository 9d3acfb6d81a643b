/* SPDX-License-Identifier: MIT */
/* profile.c - computes a profile of all columns. See credence/profile.h.
 *
 * Rows are counted like the training rows of a model, with a single class. So the result does not depend on threads,
 * chunks and the order of rows. The statistics are exact counts of categories, exact moments of numbers, their
 * minimum and maximum, and their adaptive histogram (src/stats/grid.c).
 *
 * Contents:
 *   1. Suspicious columns
 *   2. Counting
 *   3. Column profiles
 *   4. Results
 *   5. Report */
#include "profile/profile_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/accumulate.h"
#include "model/learn.h"
#include "model/model_parts.h"
#include "model/schema_view.h"
#include "model/value_check.h"
#include "stats/term_store.h"
#include "table/read/reader.h"

#include <credence/schema.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Suspicious columns ========
 *
 * These rules detect columns that look like a row number, an identifier, or codes. */

/* With fewer values, all of them may be distinct by chance. */
enum { FEW_CELLS = 20 };
/* Codes have few distinct values, which occur often. */
enum { MOST_CODES = 7, CELLS_A_CODE = 10 };

/* Returns whether n numbers with this minimum, maximum, mean and variance are consecutive integers. The variance of
 * n distinct integers is at least (n^2 - 1) / 12, with equality if they are consecutive. */
static bool are_consecutive(const crd_column_profile *facts) {
    const double near = 1e-12;
    double n = (double)facts->present, variance = facts->deviation * facts->deviation * (n - 1) / n;
    double wanted = (n - 1) * (n + 1) / 12, middle = facts->least / 2 + facts->greatest / 2;
    return facts->greatest - facts->least + 1 == n && facts->least == floor(facts->least) &&
           fabs(variance - wanted) <= near * wanted && fabs(facts->mean - middle) <= near * n;
}

static bool all_whole(const crd_i_grid_view *cells) {
    bool are = true;
    for (size_t i = 0; are && i < cells->count; i++) are = cells->values[i] == floor(cells->values[i]);
    return are;
}

/* Returns whether the numbers look like row numbers: distinct integers in a range of less than twice their number. */
static bool column_appearance_is_row_number(const crd_i_profile_column *column) {
    const crd_column_profile *facts = &column->facts;
    if (facts->present < FEW_CELLS) return false;
    if (!facts->is_exact) return are_consecutive(facts);
    return facts->distinct == facts->present && facts->greatest - facts->least < 2 * (double)facts->present &&
           all_whole(&column->cells);
}

/* Returns whether the numbers look like codes of categories. */
static bool column_appearance_are_codes(const crd_i_profile_column *column) {
    const crd_column_profile *facts = &column->facts;
    if (!facts->is_exact || facts->distinct < 2 || facts->distinct > MOST_CODES) return false;
    if (facts->present < CELLS_A_CODE * facts->distinct || !all_whole(&column->cells)) return false;
    /* Integers that begin at 0 and go beyond 1 are probably counts. */
    return facts->least > 0 || (facts->least == 0 && facts->greatest == 1);
}

static crd_text column_appearance_value_text(const void *owner, size_t i) {
    const crd_i_variable *variable = ((const crd_i_profile_column *)owner)->variable;
    return crd_i_dictionary_text(variable->values, (size_t)((const crd_i_profile_column *)owner)->ranked[i]);
}

static double column_appearance_value_rows(const void *owner, size_t i) {
    const crd_i_profile_column *column = owner;
    return crd_i_counts_value(column->variable->tally, (size_t)column->ranked[i], 0);
}

/* Returns whether the categories look like identifiers: nearly all of them are distinct. */
static bool column_appearance_is_identifier(const crd_i_profile_column *column) {
    const crd_column_profile *facts = &column->facts;
    const crd_i_value_list values = {column, column->ranked_count, column_appearance_value_text,
                                     column_appearance_value_rows};
    crd_column_check column_check = CRD_COLUMN_CHECK_INIT;
    if (facts->present <= FEW_CELLS || (double)facts->distinct <= 0.9 * (double)facts->present) return false;
    crd_i_check_values(&values, (double)facts->present, &column_check);
    return column_check.is_identifier != 0;
}

/* Returns the appearance of a column; see crd_appearance. */
static crd_appearance profile_appearance(const crd_i_profile_column *column) {
    switch (column->facts.type) {
    case CRD_TYPE_NUMERIC:
        if (column_appearance_is_row_number(column)) return CRD_APPEARANCE_ROW_NUMBER;
        return column_appearance_are_codes(column) ? CRD_APPEARANCE_CODES : CRD_APPEARANCE_PLAIN;
    case CRD_TYPE_CATEGORICAL:
        return column_appearance_is_identifier(column) ? CRD_APPEARANCE_IDENTIFIER : CRD_APPEARANCE_PLAIN;
    case CRD_TYPE_TEXT: return CRD_APPEARANCE_PLAIN;
    case CRD_TYPE_NONE: break;
    }
    return CRD_APPEARANCE_PLAIN;
}

/* ======== 2. Counting ======== */

/* Moves the weight from the schema to an ordinary column at its position. Returns false if memory runs out. */
static bool profile_add_weight(crd_i_schema *schema) {
    crd_i_schema_weight *weight = &schema->weight;
    if (weight->name.bytes == NULL) return true;
    if (!crd_i_schema_add(schema, weight->name, CRD_TYPE_NUMERIC, weight->position)) return false;
    crd_free(schema->context, (void *)weight->name.bytes);
    weight->name.bytes = NULL;
    size_t index = schema->count - 1;
    crd_i_schema_column added = schema->columns[index];
    for (; index > 0 && schema->columns[index - 1].position > added.position; index--)
        schema->columns[index] = schema->columns[index - 1];
    schema->columns[index] = added;
    return true;
}

/* Creates the model without rows, with a placeholder as its target. */
static crd_status profile_create_blank(crd_context *context, const crd_reader *reader, crd_model **out,
                                       crd_error *error) {
    crd_i_schema *schema;
    *out = NULL;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    if (schema->context != context) {
        crd_i_schema_destroy(schema);
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader belongs to another context");
    }
    if (!profile_add_weight(schema) || !crd_i_schema_stand_in(schema)) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    status = crd_i_model_create_bare(context, schema, NULL, out, error);
    if (status != CRD_OK) return status;
    const crd_i_kept kept = {crd_i_extras_of(&crd_i_extremes) | crd_i_extras_of(&crd_i_grid), 0};
    status = crd_i_model_keep(*out, kept, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

typedef struct profile_pass {
    const crd_model *blank;
    crd_reader *reader;
    uint64_t most_rows;
    crd_model *counts;
    crd_read_facts facts;
} profile_pass;

static crd_status profile_pass_make(void *state, crd_error *error) {
    profile_pass *pass = state;
    crd_model_destroy(pass->counts);
    pass->counts = NULL;
    pass->facts = (crd_read_facts)CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_create_like(pass->blank, &pass->counts, error);
    while (status == CRD_OK && pass->facts.rows < pass->most_rows) {
        const crd_frame *frame = NULL;
        status = crd_reader_next(pass->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = crd_i_accumulate_buffered(pass->counts, frame, &pass->facts, error);
    }
    return status == CRD_OK ? crd_i_accumulate_flush(pass->counts, error) : status;
}

/* Counts frames until at least `most_rows` rows were read. */
static crd_status tally_first(const crd_model *blank, crd_reader *reader, uint64_t most_rows, crd_model **out,
                              crd_read_facts *facts, crd_error *error) {
    profile_pass pass = {.blank = blank, .reader = reader, .most_rows = most_rows};
    const crd_status status = crd_i_reader_make_passes(reader, profile_pass_make, &pass, error);
    *facts = pass.facts;
    if (status == CRD_OK) *out = pass.counts;
    else crd_model_destroy(pass.counts);
    return status;
}

/* ======== 3. Column profiles ======== */

typedef struct ranked_value {
    double count;
    int32_t place, code;
} ranked_value;

/* Orders values for qsort: descending counts, then ascending places. */
static int profile_by_count(const void *left, const void *right) {
    const ranked_value *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Ranks values by their count. `values` are in the order of values. */
static bool rank_values(crd_context *context, ranked_value *values, size_t count, crd_i_profile_column *column) {
    column->ranked = crd_i_alloc(context, count, sizeof *column->ranked);
    if (column->ranked == NULL) return false;
    qsort(values, count, sizeof *values, profile_by_count);
    for (size_t i = 0; i < count; i++) column->ranked[i] = values[i].code;
    column->ranked_count = count;
    return true;
}

/* Fills the facts of a categorical column. Returns false if memory runs out. */
static bool fill_category(const crd_i_variable *variable, const crd_i_view *view, crd_i_profile_column *column) {
    crd_context *context = variable->tally->context;
    ranked_value *values = crd_i_alloc(context, view->value_count, sizeof *values);
    if (values == NULL) return false;
    for (size_t i = 0; i < view->value_count; i++) {
        int32_t code = view->values[i];
        values[i] = (ranked_value){crd_i_counts_value(variable->tally, (size_t)code, 0), (int32_t)i, code};
    }
    column->facts.distinct = view->value_count;
    bool done = rank_values(context, values, view->value_count, column);
    crd_free(context, values);
    return done;
}

/* Fills mean and standard deviation. They stay NaN if they are undefined. Returns false if memory runs out. */
static bool fill_moments(const crd_i_tally *tally, crd_column_profile *facts) {
    crd_i_moment_cell cell = crd_i_moments_cell(tally, 0);
    crd_i_scaled variance;
    bool defined = true;
    if (!crd_i_moments_mean(cell, &facts->mean, NULL, &defined)) {
        if (defined) return false;
        facts->mean = NAN;
    }
    if (crd_i_moments_variance(cell, true, &variance, &defined)) facts->deviation = crd_i_scaled_root(variance);
    else if (defined) return false;
    return true;
}

/* Fills the facts of a numeric column. Returns false if memory runs out. */
static bool profile_fill_number(const crd_i_variable *variable, const crd_i_view *view, crd_i_profile_column *column) {
    crd_context *context = variable->tally->context;
    const crd_i_tally *extremes = NULL, *grid = NULL;
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        if (crd_i_extra_type(i) == &crd_i_extremes) extremes = variable->extra[i];
        if (crd_i_extra_type(i) == &crd_i_grid) grid = variable->extra[i];
    }
    crd_column_profile *facts = &column->facts;
    if (facts->present == 0 || extremes == NULL || grid == NULL) return true;
    (void)crd_i_extremes_value(extremes, 0, &facts->least, &facts->greatest);
    if (!fill_moments(variable->tally, facts)) return false;
    if (!crd_i_grid_view_init(&column->cells, context, grid, view)) return false;
    const crd_i_grid_view *cells = &column->cells;
    facts->is_exact = cells->is_exact;
    facts->resolution = cells->width;
    facts->distinct = cells->is_exact ? cells->count : CRD_I_GRID_MOST + 1;
    if (!cells->is_exact) return true;
    ranked_value *values = crd_i_alloc(context, cells->count, sizeof *values);
    if (values == NULL) return false;
    for (size_t i = 0; i < cells->count; i++) values[i] = (ranked_value){cells->counts[i], (int32_t)i, (int32_t)i};
    bool done = rank_values(context, values, cells->count, column);
    crd_free(context, values);
    return done;
}

/* Counts the distinct terms of a text column. Returns false if memory runs out. */
static bool fill_text(const crd_i_variable *variable, const crd_i_view *conditions, crd_i_profile_column *column) {
    crd_i_term_store *terms = NULL;
    if (crd_i_terms_store(variable->tally, conditions, &terms, NULL) != CRD_OK) return false;
    column->facts.distinct = crd_i_term_store_terms(terms);
    crd_i_term_store_release(terms);
    return true;
}

/* Fills the facts of a column. Returns false if memory runs out. */
static bool profile_fill_column(const crd_profile *profile, size_t index, const crd_i_view *view,
                                const crd_i_view *conditions) {
    crd_i_profile_column *column = &profile->columns[index];
    const crd_i_variable *variable = &profile->model->variables[index];
    crd_column_profile *facts = &column->facts;
    column->cells.context = profile->context;
    column->variable = variable;
    *facts = (crd_column_profile){.size = sizeof *facts, .is_exact = 1};
    facts->least = facts->greatest = facts->mean = facts->deviation = NAN;
    facts->name = profile->model->schema->columns[index].name;
    facts->type = crd_i_model_column_type(profile->model, index);
    if (variable->tally != NULL) facts->present = (uint64_t)crd_i_tally_total(variable->tally, 0);
    facts->missing = profile->rows - facts->present;
    bool done = true;
    if (facts->type == CRD_TYPE_CATEGORICAL && variable->tally != NULL) done = fill_category(variable, view, column);
    if (facts->type == CRD_TYPE_NUMERIC && variable->tally != NULL) done = profile_fill_number(variable, view, column);
    if (facts->type == CRD_TYPE_TEXT && variable->tally != NULL) done = fill_text(variable, conditions, column);
    /* Parts of dates have no appearance, because they cannot be ignored or read as another type on their own. */
    const bool is_part = profile->model->schema->columns[index].format.part != CRD_I_PART_WHOLE;
    if (done && !is_part) facts->appearance = profile_appearance(column);
    return done;
}

/* Fills the facts of all columns. */
static crd_status fill_columns(crd_profile *profile, crd_error *error) {
    crd_i_schema_view *view;
    size_t count = profile->model->schema->count - 1;
    profile->columns = crd_i_alloc_zeroed(profile->context, count, sizeof *profile->columns);
    if (profile->columns == NULL) return crd_i_fail_memory(error);
    profile->column_count = count;
    crd_status status = crd_i_schema_view_create_counted(profile->model, &view, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (!profile_fill_column(profile, i, &view->views[i], &view->views[count])) status = crd_i_fail_memory(error);
    crd_i_schema_view_destroy(view);
    return status;
}

/* See credence/profile.h. `most_rows` 0 reads all rows. */
crd_status crd_profile_create(crd_context *context, crd_reader *reader, uint64_t most_rows, crd_profile **out,
                              crd_error *error) {
    *out = NULL;
    crd_model *blank = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = profile_create_blank(context, reader, &blank, error);
    if (status != CRD_OK) return status;
    crd_profile *profile = crd_i_alloc_zeroed(context, 1, sizeof *profile);
    if (profile == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    profile->context = context;
    status = most_rows == 0 ? crd_i_model_tally_all(blank, reader, &profile->model, &facts, error)
                            : tally_first(blank, reader, most_rows, &profile->model, &facts, error);
    if (status != CRD_OK) goto fail;
    profile->rows = facts.rows;
    status = fill_columns(profile, error);
    if (status != CRD_OK) goto fail;
    crd_model_destroy(blank);
    *out = profile;
    return CRD_OK;

fail:
    crd_model_destroy(blank);
    crd_profile_destroy(profile);
    return status;
}

void crd_profile_destroy(crd_profile *profile) {
    if (profile == NULL) return;
    for (size_t i = 0; i < profile->column_count; i++) {
        crd_i_grid_view_clear(&profile->columns[i].cells);
        crd_free(profile->context, profile->columns[i].ranked);
    }
    crd_free(profile->context, profile->columns);
    crd_model_destroy(profile->model);
    crd_free(profile->context, profile);
}

/* ======== 4. Results ======== */

uint64_t crd_profile_rows(const crd_profile *profile) {
    return profile->rows;
}

size_t crd_profile_column_count(const crd_profile *profile) {
    return profile->column_count;
}

void crd_profile_column(const crd_profile *profile, size_t column, crd_column_profile *out) {
    crd_i_copy_out(&profile->columns[column].facts, sizeof profile->columns[column].facts, out);
}

/* Returns the order statistic with an index from 0. Within a bin that is an interval, the values are assumed to be
 * evenly spaced. */
static double order_statistic(const crd_i_profile_column *column, double index) {
    const crd_i_grid_view *cells = &column->cells;
    double before = 0;
    size_t i = 0;
    while (i + 1 < cells->count && before + cells->counts[i] <= index) before += cells->counts[i++];
    if (cells->is_exact) return cells->values[i];
    double value = cells->values[i] + cells->width * ((index - before + 0.5) / cells->counts[i] - 0.5);
    return fmin(fmax(value, column->facts.least), column->facts.greatest);
}

/* Interpolates linearly between two order statistics (type 7 of Hyndman and Fan 1996). */
double crd_profile_quantile(const crd_profile *profile, size_t index, double p) {
    const crd_i_profile_column *column = &profile->columns[index];
    if (column->cells.count == 0 || !(p >= 0 && p <= 1)) return NAN;
    double place = p * ((double)column->facts.present - 1), below = floor(place);
    double low = order_statistic(column, below);
    if (place == below) return low;
    double high = order_statistic(column, below + 1), part = place - below;
    return low == high ? low : low * (1 - part) + high * part;
}

int crd_profile_frequent(const crd_profile *profile, size_t index, uint64_t rank, crd_value *value, uint64_t *cells) {
    const crd_i_profile_column *column = &profile->columns[index];
    const crd_i_variable *variable = &profile->model->variables[index];
    if (rank >= column->ranked_count) return 0;
    size_t position = (size_t)column->ranked[rank];
    *value = (crd_value){column->facts.type, 0, {NULL, 0}};
    if (column->facts.type == CRD_TYPE_NUMERIC) {
        value->number = column->cells.values[position];
        *cells = (uint64_t)column->cells.counts[position];
    } else {
        value->text = crd_i_dictionary_text(variable->values, position);
        *cells = (uint64_t)crd_i_counts_value(variable->tally, position, 0);
    }
    return 1;
}

/* ======== 5. Report ======== */

enum { REPORT_QUANTILES = 5, REPORT_FREQUENT = 10, REPORT_BINS = 20 };

bool crd_i_profile_histogram(const crd_profile *profile, size_t index, size_t bins, double *counts) {
    const crd_i_profile_column *column = &profile->columns[index];
    const crd_i_grid_view *cells = &column->cells;
    double least = column->facts.least, range = column->facts.greatest - least;
    if (cells->count == 0 || bins == 0 || !isfinite(range)) return false;
    for (size_t i = 0; i < bins; i++) counts[i] = 0;
    for (size_t i = 0; i < cells->count; i++) {
        /* The center of the first or last bin may be outside the range of the column. */
        double part = range > 0 ? fmin(fmax((cells->values[i] - least) / range, 0), 1) : 0;
        size_t bin = (size_t)(part * (double)bins);
        counts[bin < bins ? bin : bins - 1] += cells->counts[i];
    }
    return true;
}

/* Adds a histogram. If there are few distinct numbers, each has its own interval. */
static void profile_report_histogram(const crd_profile *profile, size_t index, crd_result *result) {
    double counts[REPORT_BINS];
    const crd_column_profile *facts = &profile->columns[index].facts;
    const size_t bins = facts->is_exact && facts->distinct < REPORT_BINS ? (size_t)facts->distinct : REPORT_BINS;
    if (!crd_i_profile_histogram(profile, index, bins, counts)) return;
    crd_result_begin(result, CRD_SHORT_ARRAY, "histogram");
    for (size_t i = 0; i < bins; i++) crd_result_number(result, NULL, counts[i]);
    crd_result_end(result);
}

static void profile_report_numbers(const crd_profile *profile, size_t index, crd_result *result) {
    static const double levels[REPORT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    static const char *const keys[REPORT_QUANTILES] = {"quantile_5", "quantile_25", "median", "quantile_75",
                                                       "quantile_95"};
    const crd_column_profile *facts = &profile->columns[index].facts;
    if (!facts->is_exact) crd_result_number(result, "resolution", facts->resolution);
    crd_result_number(result, "min", facts->least);
    for (size_t q = 0; q < REPORT_QUANTILES; q++)
        crd_result_number(result, keys[q], crd_profile_quantile(profile, index, levels[q]));
    crd_result_number(result, "max", facts->greatest);
    crd_result_number(result, "mean", facts->mean);
    crd_result_number(result, "sd", facts->deviation);
    profile_report_histogram(profile, index, result);
}

static void profile_report_frequent(const crd_profile *profile, size_t index, crd_result *result) {
    crd_value value;
    uint64_t cells = 0;
    crd_result_begin(result, CRD_ARRAY, "most_frequent");
    for (uint64_t rank = 0; rank < REPORT_FREQUENT; rank++) {
        if (!crd_profile_frequent(profile, index, rank, &value, &cells)) break;
        crd_result_begin(result, CRD_SHORT_OBJECT, NULL);
        if (value.type == CRD_TYPE_NUMERIC) crd_result_number(result, "value", value.number);
        else crd_result_text(result, "value", value.text);
        crd_result_count(result, "count", cells);
        crd_result_number(result, "share", (double)cells / (double)profile->columns[index].facts.present);
        crd_result_end(result);
    }
    crd_result_end(result);
}

/* Adds the facts about a column that is not ignored. */
static void profile_report_column(const crd_profile *profile, size_t index, const char *role, crd_result *result) {
    static const char *const looks[] = {[CRD_APPEARANCE_PLAIN] = NULL,
                                        [CRD_APPEARANCE_ROW_NUMBER] = "row number",
                                        [CRD_APPEARANCE_IDENTIFIER] = "identifier",
                                        [CRD_APPEARANCE_CODES] = "codes"};
    const crd_column_profile *facts = &profile->columns[index].facts;
    const uint64_t rows = facts->present + facts->missing;
    const bool is_attribute = role == NULL;
    crd_result_words(result, "role", is_attribute ? "attribute" : role);
    crd_result_count(result, "missing", facts->missing);
    crd_result_number(result, "missing_share", rows == 0 ? 0 : (double)facts->missing / (double)rows);
    crd_result_count(result, "distinct", facts->distinct);
    crd_result_boolean(result, "is_exact", facts->is_exact);
    if (facts->type == CRD_TYPE_NUMERIC && facts->present > 0) profile_report_numbers(profile, index, result);
    profile_report_frequent(profile, index, result);
    if (looks[facts->appearance] != NULL && (is_attribute || facts->appearance != CRD_APPEARANCE_IDENTIFIER))
        crd_result_words(result, "looks_like", looks[facts->appearance]);
}

void crd_profile_report(const crd_profile *profile, const crd_schema *schema, crd_result *result) {
    size_t index = 0;
    crd_result_count(result, "rows", crd_profile_rows(profile));
    crd_result_begin(result, CRD_ARRAY, "columns");
    for (size_t column = 0; column < crd_schema_column_count(schema); column++) {
        const bool is_ignored = crd_schema_is_ignored(schema, column) != 0;
        const size_t parts = is_ignored ? 1 : crd_schema_column_parts(schema, column);
        const crd_text format = crd_schema_column_format(schema, column);
        const char *role = column == crd_schema_target(schema)   ? "target"
                           : column == crd_schema_weight(schema) ? "weight"
                                                                 : NULL;
        for (size_t part = 0; part < parts; part++) {
            crd_result_begin(result, CRD_OBJECT, NULL);
            crd_result_text(result, "column", crd_schema_part_name(schema, column, part));
            crd_result_words(result, "type",
                             is_ignored ? "ignored" : crd_column_type_name(profile->columns[index].facts.type));
            if (format.length > 0) crd_result_text(result, "format", format);
            if (!is_ignored) profile_report_column(profile, index++, role, result);
            crd_result_end(result);
        }
    }
    crd_result_end(result);
}
