/* SPDX-License-Identifier: MIT */
/* discretize.c - computes cut points for all numeric columns. See crd_discretize in credence/profile.h.
 *
 * The rows are counted once, by class. The cut points of each column are computed from its adaptive histogram
 * (src/stats/grid.c).
 *
 * Contents:
 *   1. Cut points of one column
 *   2. Cut points of all columns */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "density/multivariate/entropy_discretization.h"
#include "io/public_schema.h"
#include "math/functions/elementary.h"
#include "model/learn.h"
#include "model/model_internal.h"
#include "model/model_parts.h"
#include "model/schema_view.h"
#include "stats/grid.h"
#include "table/read/reader.h"

#include <credence/profile.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum crd_i_cut_rule_type {
    CRD_I_CUTS_POINTS,
    CRD_I_CUTS_QUANTILE,
    CRD_I_CUTS_WIDTH,
    CRD_I_CUTS_MDL
} crd_i_cut_rule_type;

typedef struct crd_i_cut_rule {
    crd_i_cut_rule_type type;
    size_t count;   /* number of intervals, or of points */
    double *points; /* owned */
} crd_i_cut_rule;

/* ======== 1. Cut points of one column ========
 *
 * A cut lies between two neighboring bins of the adaptive histogram, near the middle of the gap. It is rounded to a
 * decimal number with few digits, because it appears in the labels of intervals. */

/* ---- Rules ---- */

/* Maximum number of intervals. Tables of counts with more are not useful. */
enum { MOST_INTERVALS = 1000 };

static crd_status fail_rule(crd_text text, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    return crd_i_fail(error, CRD_ERROR_SETTING,
                      "'%s' is not a discretization rule: expected quantile:N or width:N with N from 2 to %d, mdl, or "
                      "cut points A:B:... in ascending order",
                      crd_i_quote(text, shown), (int)MOST_INTERVALS);
}

/* Parses NAME followed by a number of intervals. Returns false if the text does not match. */
static bool parse_count(crd_text text, const char *name, size_t *count) {
    size_t length = strlen(name);
    double number = 0;
    if (text.length <= length || memcmp(text.bytes, name, length) != 0) return false;
    crd_text view = {text.bytes + length, text.length - length};
    if (crd_number_parse(view, &number) != CRD_NUMBER_FINITE) return false;
    if (!(number >= 2 && number <= MOST_INTERVALS && number == floor(number))) return false;
    *count = (size_t)number;
    return true;
}

/* Parses cut points in ascending order, separated by colons. */
static crd_status parse_points(crd_context *context, crd_text text, crd_i_cut_rule *out, crd_error *error) {
    size_t most = 1;
    for (size_t i = 0; i < text.length; i++) most += text.bytes[i] == ':';
    if (most >= MOST_INTERVALS) return fail_rule(text, error);
    out->points = crd_i_alloc(context, most, sizeof *out->points);
    if (out->points == NULL) return crd_i_fail_memory(error);
    for (size_t begin = 0, end; begin <= text.length; begin = end + 1) {
        for (end = begin; end < text.length && text.bytes[end] != ':';) end++;
        crd_text part = crd_i_text_trim((crd_text){text.bytes + begin, end - begin});
        if (crd_number_parse(part, &out->points[out->count++]) != CRD_NUMBER_FINITE) return fail_rule(text, error);
    }
    return crd_i_cuts_fit(out->points, out->count) ? CRD_OK : fail_rule(text, error);
}

/* Parses a rule. CRD_ERROR_SETTING: unknown rule. */
static crd_status cut_rule_parse(crd_context *context, crd_text text, crd_i_cut_rule *out, crd_error *error) {
    *out = (crd_i_cut_rule){CRD_I_CUTS_POINTS, 0, NULL};
    text = crd_i_text_trim(text);
    if (crd_text_equal(text, crd_text_of("mdl"))) out->type = CRD_I_CUTS_MDL;
    else if (parse_count(text, "quantile:", &out->count)) out->type = CRD_I_CUTS_QUANTILE;
    else if (parse_count(text, "width:", &out->count)) out->type = CRD_I_CUTS_WIDTH;
    else return parse_points(context, text, out, error);
    return CRD_OK;
}

/* ---- Rounding to few digits ---- */

/* Rounds x to a multiple of the largest power of ten that is not above `bound`. Returns x if that is beyond the
 * precision or the range of doubles. */
static double round_within(double x, double bound) {
    enum { MOST_EXPONENT = 290 };
    const double exact = 9007199254740992.0;
    char text[64];
    double unit, result;
    if (!(bound > 0) || !isfinite(bound)) return x;
    double exponent = floor(crd_log(bound) / crd_log(10));
    if (fabs(exponent) > MOST_EXPONENT) return x;
    snprintf(text, sizeof text, "1e%d", (int)exponent);
    if (crd_number_parse(crd_text_of(text), &unit) != CRD_NUMBER_FINITE || !(fabs(x / unit) < exact)) return x;
    snprintf(text, sizeof text, "%llde%d", (long long)rint(x / unit), (int)exponent);
    return crd_number_parse(crd_text_of(text), &result) == CRD_NUMBER_FINITE ? result : x;
}

/* Returns a number with few digits that is above `low` and not above `high`. */
static double cut_search_between(double low, double high) {
    enum { PARTS = 20 };
    double middle = low / 2 + high / 2, result = round_within(middle, (high - low) / PARTS);
    if (result > low && result <= high) return result;
    return middle > low ? middle : high;
}

/* Returns the cut between a bin and its predecessor. `cell` is at least 1. */
static double cut_search_boundary(const crd_i_grid_view *cells, size_t cell) {
    double half = cells->width / 2, low = cells->values[cell - 1] + half, high = cells->values[cell] - half;
    return low < high ? cut_search_between(low, high) : high;
}

/* ---- Searching ---- */

/* The state of a search. */
typedef struct search {
    crd_i_grid_view cells;
    double *totals; /* number of rows in each bin */
    double rows;
    double *cuts;
    size_t count;
} search;

/* Appends a cut if it is larger than the last one. Adding 0.0 turns -0 into 0. */
static void add_cut(search *source_search, double cut) {
    if (source_search->count == 0 || source_search->cuts[source_search->count - 1] < cut)
        source_search->cuts[source_search->count++] = cut + 0.0;
}

/* Cuts before the bin whose preceding number of rows is nearest to each quantile. */
static void cut_by_quantiles(search *source_search, size_t intervals) {
    double before = 0;
    size_t cell = 0;
    for (size_t i = 1; i < intervals; i++) {
        double wanted = source_search->rows * (double)i / (double)intervals;
        while (cell < source_search->cells.count &&
               fabs(before + source_search->totals[cell] - wanted) <= fabs(before - wanted))
            before += source_search->totals[cell++];
        if (cell > 0 && cell < source_search->cells.count)
            add_cut(source_search, cut_search_boundary(&source_search->cells, cell));
    }
}

/* Cuts into intervals of equal width. */
static void cut_by_width(search *source_search, size_t intervals, double least, double greatest) {
    const double digits = 1000;
    double width = greatest / (double)intervals - least / (double)intervals;
    if (!(width > 0)) return;
    for (size_t i = 1; i < intervals; i++)
        add_cut(source_search, round_within(least + (double)i * width, width / digits));
}

/* Cuts by the minimum description length principle (Fayyad and Irani 1993). Returns false if memory runs out. */
static bool cut_by_entropy(crd_context *context, search *source_search) {
    size_t count = source_search->cells.count, classes = source_search->cells.conditions;
    if (classes > 0 && count + 1 > SIZE_MAX / classes) return false;
    double *sums = crd_i_alloc(context, (count + 1) * classes, sizeof *sums);
    int32_t *marks = crd_i_alloc(context, count, sizeof *marks);
    bool done = sums != NULL && marks != NULL;
    if (done && crd_i_entropy_cuts(source_search->cells.counts, count, classes, sums, marks)) {
        for (size_t cell = 1; cell < count; cell++)
            if (marks[cell] != 0) add_cut(source_search, cut_search_boundary(&source_search->cells, cell));
    }
    crd_free(context, sums);
    crd_free(context, marks);
    return done;
}

/* Computes the cut points from the histogram. Returns false if memory runs out. */
static bool search_grid(crd_context *context, const crd_i_tally *grid, const crd_i_tally *extremes,
                        const crd_i_view *view, const crd_i_cut_rule *rule, search *source_search) {
    if (!crd_i_grid_view_init(&source_search->cells, context, grid, view)) return false;
    source_search->totals = crd_i_alloc_zeroed(context, source_search->cells.count, sizeof *source_search->totals);
    size_t capacity = source_search->cells.count > rule->count ? source_search->cells.count : rule->count;
    source_search->cuts = crd_i_alloc(context, capacity, sizeof *source_search->cuts);
    if (source_search->totals == NULL || source_search->cuts == NULL) return false;
    double least = INFINITY, greatest = -INFINITY;
    for (size_t k = 0; k < source_search->cells.conditions; k++) {
        double low, high;
        if (crd_i_extremes_value(extremes, (size_t)view->conditions[k], &low, &high)) {
            least = fmin(least, low);
            greatest = fmax(greatest, high);
        }
        for (size_t i = 0; i < source_search->cells.count; i++)
            source_search->totals[i] += source_search->cells.counts[i * source_search->cells.conditions + k];
    }
    for (size_t i = 0; i < source_search->cells.count; i++) source_search->rows += source_search->totals[i];
    if (rule->type == CRD_I_CUTS_MDL) return cut_by_entropy(context, source_search);
    if (rule->type == CRD_I_CUTS_QUANTILE) cut_by_quantiles(source_search, rule->count);
    else if (source_search->cells.count > 0) cut_by_width(source_search, rule->count, least, greatest);
    return true;
}

/* Computes the cut points of a variable that has extremes and a histogram. *cuts is owned by the caller. There may be
 * none, for example if all numbers are equal.
 *
 * Given cut points are copied. A column that was always missing has no histogram and gets no cuts. */
static crd_status cut_search(crd_context *context, const crd_i_variable *variable, const crd_i_view *view,
                             const crd_i_cut_rule *rule, double **cuts, size_t *count, crd_error *error) {
    search source_search = {.cells = {.context = context}};
    *cuts = NULL;
    *count = 0;
    if (rule->type == CRD_I_CUTS_POINTS) {
        *cuts = crd_i_alloc(context, rule->count, sizeof **cuts);
        if (*cuts == NULL) return crd_i_fail_memory(error);
        memcpy(*cuts, rule->points, rule->count * sizeof **cuts);
        *count = rule->count;
        return CRD_OK;
    }
    const crd_i_tally *grid = NULL, *extremes = NULL;
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        if (crd_i_extra_type(i) == &crd_i_grid) grid = variable->extra[i];
        if (crd_i_extra_type(i) == &crd_i_extremes) extremes = variable->extra[i];
    }
    bool done = grid == NULL || extremes == NULL || search_grid(context, grid, extremes, view, rule, &source_search);
    crd_i_grid_view_clear(&source_search.cells);
    crd_free(context, source_search.totals);
    if (!done) {
        crd_free(context, source_search.cuts);
        return crd_i_fail_memory(error);
    }
    *cuts = source_search.cuts;
    *count = source_search.count;
    return CRD_OK;
}

/* ======== 2. Cut points of all columns ======== */

typedef struct discretize_rules {
    crd_context *context;
    crd_i_cut_rule *parsed;
    crd_discretization *given;
    size_t count;
} discretize_rules;

static void clear_rules(discretize_rules *rules) {
    for (size_t i = 0; rules->parsed != NULL && i < rules->count; i++)
        crd_free(rules->context, rules->parsed[i].points);
    crd_free(rules->context, rules->parsed);
    crd_free(rules->context, rules->given);
}

/* Copies and parses all rules. */
static crd_status parse_rules(const crd_discretization *given, discretize_rules *rules, crd_error *error) {
    rules->parsed = crd_i_alloc_zeroed(rules->context, rules->count, sizeof *rules->parsed);
    rules->given = crd_i_alloc_zeroed(rules->context, rules->count, sizeof *rules->given);
    if (rules->parsed == NULL || rules->given == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < rules->count; i++) {
        const crd_discretization *next = (const void *)((const char *)given + i * given->size);
        if (!crd_i_copy_in(next, &rules->given[i], sizeof rules->given[i]))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a discretization was not initialized");
        status = cut_rule_parse(rules->context, rules->given[i].rule, &rules->parsed[i], error);
    }
    return status;
}

/* Returns whether the name is the column's name, or the name of the field that the column is a part of. For example,
 * the year is a part of a date. */
static bool discretize_is_named(const crd_i_schema_column *column, crd_text name) {
    return crd_text_equal(column->name, name) || crd_text_equal(crd_i_schema_field_name(column), name);
}

/* Returns the index of the rule for a column: a rule that names it, or else the rule without a name; SIZE_MAX if
 * there is none. */
static size_t discretize_find_rule(const discretize_rules *rules, const crd_i_schema_column *column) {
    size_t remainder = SIZE_MAX;
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->given[i].column.bytes == NULL) remainder = i;
        else if (discretize_is_named(column, rules->given[i].column)) return i;
    }
    return remainder;
}

/* Returns CRD_ERROR_COLUMN with the reason why a column cannot be discretized. */
static crd_status fail_named(crd_text column, const char *description, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "cannot discretize '%s': %s", crd_i_quote(column, shown), description);
    crd_i_error_subject(error, column);
    return CRD_ERROR_COLUMN;
}

/* Counts the rows by class, or all together if there is no target. */
static crd_status tally_rows(crd_context *context, crd_reader *reader, crd_model **out, crd_error *error) {
    crd_i_schema *schema;
    crd_model *blank = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    *out = NULL;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    if (schema->context != context) {
        crd_i_schema_destroy(schema);
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader belongs to another context");
    }
    if (schema->target == SIZE_MAX && !crd_i_schema_stand_in(schema)) {
        crd_i_schema_destroy(schema);
        return crd_i_fail_memory(error);
    }
    status = crd_i_model_create_bare(context, schema, NULL, &blank, error);
    const crd_i_kept kept = {crd_i_extras_of(&crd_i_extremes) | crd_i_extras_of(&crd_i_grid), 0};
    if (status == CRD_OK) status = crd_i_model_keep(blank, kept, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(blank, reader, out, &facts, error);
    crd_model_destroy(blank);
    return status;
}

/* Computes the cut points of a column and stores them in the schema. */
static crd_status cut_column(const crd_model *model, size_t column, const crd_i_view *view, const crd_i_cut_rule *rule,
                             crd_i_schema *schema, crd_error *error) {
    double *cuts = NULL;
    size_t count = 0;
    crd_status status = cut_search(model->context, &model->variables[column], view, rule, &cuts, &count, error);
    if (status == CRD_OK && !crd_i_schema_set_intervals(schema, column, cuts, count)) status = crd_i_fail_memory(error);
    crd_free(model->context, cuts);
    return status;
}

/* Computes the cut points of all columns that have a rule. */
static crd_status cut_columns(const crd_model *model, const discretize_rules *rules, crd_i_schema *schema,
                              crd_error *error) {
    crd_i_schema_view *view;
    crd_status status = crd_i_schema_view_create_counted(model, &view, error);
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++) {
        crd_text name = schema->columns[i].name;
        size_t found = discretize_find_rule(rules, &schema->columns[i]);
        if (found == SIZE_MAX || crd_i_intervals_are(&schema->columns[i].intervals)) continue;
        const crd_discretization *given = &rules->given[found];
        bool is_wanted = given->column.bytes != NULL && !given->is_optional && crd_text_equal(given->column, name);
        if (i == schema->target) continue;
        bool is_empty = schema->columns[i].type == CRD_TYPE_NONE && rules->parsed[found].type == CRD_I_CUTS_POINTS;
        if (schema->columns[i].type == CRD_TYPE_NUMERIC || is_empty) {
            if (rules->parsed[found].type == CRD_I_CUTS_MDL && model->schema->lacks_target)
                status = fail_named(name, "the rule mdl needs classes, and there is no target", error);
            else status = cut_column(model, i, &view->views[i], &rules->parsed[found], schema, error);
        } else if (is_wanted) status = fail_named(name, "its values are not numbers", error);
    }
    crd_i_schema_view_destroy(view);
    return status;
}

/* Returns CRD_ERROR_COLUMN if a rule names a column that does not exist or has no numeric part. */
static crd_status discretize_check_names(const discretize_rules *rules, const crd_i_schema *schema, crd_error *error) {
    for (size_t i = 0; i < rules->count; i++) {
        crd_text name = rules->given[i].column;
        if (name.bytes == NULL || rules->given[i].is_optional || crd_i_schema_find(schema, name) != SIZE_MAX) continue;
        bool is_part = false, is_number = false;
        for (size_t k = 0; k < schema->count; k++) {
            if (!discretize_is_named(&schema->columns[k], name)) continue;
            is_part = true;
            is_number = is_number || schema->columns[k].type == CRD_TYPE_NUMERIC;
        }
        if (is_number) continue;
        return fail_named(
            name, is_part ? "none of its parts is a number" : "it is not a column, is ignored, or is the weight",
            error);
    }
    return CRD_OK;
}

/* Returns whether a rule names the target. The classes are then the intervals, so the target must be counted like
 * other columns. */
static bool cuts_target(const discretize_rules *rules, const crd_reader *reader, crd_text *name, crd_error *error) {
    crd_i_schema *schema;
    bool is_found = false;
    name->bytes = NULL;
    if (crd_i_reader_schema(reader, &schema, error) != CRD_OK) return false;
    for (size_t i = 0; i < rules->count && schema->target != SIZE_MAX; i++) {
        const crd_discretization *given = &rules->given[i];
        if (given->column.bytes == NULL || given->is_optional) continue;
        is_found = crd_text_equal(given->column, schema->columns[schema->target].name);
        if (is_found) *name = given->column;
        if (is_found) break;
    }
    crd_i_schema_destroy(schema);
    return is_found;
}

/* If the target is discretized, the rows are counted without a target, which is set again at the end. */
crd_status crd_discretize(crd_context *context, crd_reader *reader, const crd_discretization *given, size_t count,
                          crd_schema **out, crd_error *error) {
    *out = NULL;
    discretize_rules rules = {.context = context, .count = count};
    crd_model *model = NULL;
    crd_text target = {NULL, 0};
    crd_status status = parse_rules(given, &rules, error);
    if (status == CRD_OK && cuts_target(&rules, reader, &target, error)) crd_i_reader_drop_target(reader);
    if (status == CRD_OK) status = tally_rows(context, reader, &model, error);
    if (status == CRD_OK) status = crd_schema_from_reader(reader, 0, out, error);
    if (status == CRD_OK) status = discretize_check_names(&rules, (*out)->inner, error);
    if (status == CRD_OK) status = cut_columns(model, &rules, (*out)->inner, error);
    if (status == CRD_OK) status = crd_i_schema_order_fields(*out, error);
    if (status == CRD_OK && target.bytes != NULL) status = crd_schema_set_target(*out, target, error);
    if (status != CRD_OK) {
        crd_schema_destroy(*out);
        *out = NULL;
    }
    crd_model_destroy(model);
    clear_rules(&rules);
    return status;
}
