/* SPDX-License-Identifier: MIT */
/* discretize.c - computes cut points for all numeric columns. See crd_discretize in credence/profile.h. The rows are
 * counted once, by class. The cut points of each column are computed from its adaptive histogram (cut_search.h). */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "io/public_schema.h"
#include "model/learn_reader.h"
#include "model/model_create.h"
#include "model/schema_view.h"
#include "profile/cut_search.h"
#include "table/read/reader.h"

#include <credence/profile.h>

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
        status = crd_i_cut_rule_parse(rules->context, rules->given[i].rule, &rules->parsed[i], error);
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
    crd_status status = crd_i_cut_search(model->context, &model->variables[column], view, rule, &cuts, &count, error);
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
        bool is_empty = schema->columns[i].kind == CRD_KIND_NONE && rules->parsed[found].type == CRD_I_CUTS_POINTS;
        if (schema->columns[i].kind == CRD_KIND_NUMBER || is_empty) {
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
            is_number = is_number || schema->columns[k].kind == CRD_KIND_NUMBER;
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
