/* SPDX-License-Identifier: MIT */
/* merge.c - adds the tallies of one model to another model, or subtracts them: all or nothing.
 *
 * First, columns, classes and values are matched by name, and memory is reserved for everything. Only this step can
 * fail. It leaves at most value numbers with a count of zero, which are not part of a model. Then the sums are
 * combined. After a subtraction, the changed sums are checked; if they show rows that were never learned, everything is
 * added back. Joint tallies are combined into new ones, which replace the model's after nothing can fail any more.
 *
 * Contents:
 *   1. Adding and subtracting tallies
 *   2. Column types of shards */
#include "model/model_parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/joint_tallies.h"
#include "processes/group.h"
#include "stats/term_store.h"

#include <credence/number.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Adding and subtracting tallies ======== */

typedef struct merge_matching {
    crd_model *model;
    const crd_model *other;
    crd_i_group *group; /* its processes make the same change, or none does */
    bool is_whole;      /* joint tallies and the extra tallies in `extras` are combined, too */
    crd_i_extras extras;
    size_t *columns;  /* for each of the other's columns, the model's column */
    size_t *classes;  /* for each of the other's classes, the model's class */
    size_t **values;  /* for each of the other's columns, a map from its values to the model's */
    bool *is_counted; /* for each of the other's columns, whether there is anything to combine */
    /* For each of the other's columns, the values that either model declares; NULL: the model's own declaration is
     * complete. */
    crd_i_dictionary **declared;
    /* Memory for the model's columns in the other's order; NULL: the order stays. */
    crd_i_schema_column *moved_columns;
    crd_i_variable *moved_variables;
    crd_i_joint_tally **joint_tallies; /* the combined joint tallies; NULL: none were made */
} merge_matching;

static void matching_clear(merge_matching *match) {
    crd_context *context = match->model->context;
    for (size_t i = 0; match->values != NULL && i < match->other->schema->count; i++)
        crd_free(context, match->values[i]);
    crd_free(context, match->values);
    crd_free(context, match->columns);
    crd_free(context, match->classes);
    crd_free(context, match->is_counted);
    for (size_t i = 0; match->declared != NULL && i < match->other->schema->count; i++)
        crd_i_dictionary_destroy(match->declared[i]);
    crd_free(context, match->declared);
    crd_free(context, match->moved_columns);
    crd_free(context, match->moved_variables);
    crd_i_joint_tallies_discard(match->model, match->joint_tallies);
}

static const size_t always[] = {0};

/* Returns the map for the other's column i. */
static crd_i_tally_map map_of(const merge_matching *match, size_t i) {
    const crd_i_variable *classes = crd_i_model_target(match->other);
    const crd_i_variable *variable = &match->other->variables[i];
    crd_i_tally_map map = {match->classes, crd_i_dictionary_size(classes->values), match->values[i], 0};
    if (variable->values != NULL) map.value_count = crd_i_dictionary_size(variable->values);
    if (i == match->other->schema->target) {
        map.conditions = always;
        map.condition_count = 1;
    }
    /* A column whose last cell came before the last class has fewer conditions. The map may contain more. */
    return map;
}

/* Returns the extra tally of the other's column i that is combined; NULL: none. */
static const crd_i_tally *extra_of(const merge_matching *match, size_t i, size_t extra) {
    return (match->extras >> extra & 1) != 0 ? match->other->variables[i].extra[extra] : NULL;
}

static crd_status schema_differs(crd_error *error, crd_text name, const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' %s", crd_i_quote(name, quoted), description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Returns whether one model has no values of the column yet. Then it accepts the column as the other model reads it. */
static bool is_new_in_one(const merge_matching *match, size_t mine, size_t theirs) {
    const bool is_part = match->model->schema->columns[mine].field.bytes != NULL ||
                         match->other->schema->columns[theirs].field.bytes != NULL;
    return !is_part &&
           (crd_i_model_is_new_column(match->model, mine) || crd_i_model_is_new_column(match->other, theirs));
}

/* Matches the other's columns with the model's by name. Both must have the same names and the same target. names NULL:
 * the columns have the same order. */
static crd_status match_names(merge_matching *match, const crd_i_dictionary *names, bool *is_met, crd_error *error) {
    const crd_i_schema *mine = match->model->schema, *theirs = match->other->schema;
    for (size_t i = 0; i < theirs->count; i++) {
        int32_t found = names == NULL ? (int32_t)i : crd_i_dictionary_find(names, theirs->columns[i].name);
        if (found < 0) return schema_differs(error, theirs->columns[i].name, "is in one model only");
        match->columns[i] = (size_t)found;
        is_met[found] = true;
        if (!crd_i_column_format_equal(theirs->columns[i].format, mine->columns[found].format) &&
            !is_new_in_one(match, (size_t)found, i))
            return schema_differs(error, theirs->columns[i].name, "has different formats in the models");
        if (!crd_i_intervals_equal(&theirs->columns[i].intervals, &mine->columns[found].intervals))
            return schema_differs(error, theirs->columns[i].name, "has different intervals in the models");
    }
    for (size_t i = 0; i < mine->count; i++)
        if (!is_met[i]) return schema_differs(error, mine->columns[i].name, "is in one model only");
    if (match->columns[theirs->target] != mine->target)
        return schema_differs(error, theirs->columns[theirs->target].name, "is the target of one model only");
    return CRD_OK;
}

/* Checks that both models weight their rows by the same column, or not at all. */
static crd_status match_weights(const merge_matching *match, crd_error *error) {
    crd_text mine = match->model->schema->weight.name, theirs = match->other->schema->weight.name;
    if (mine.bytes == NULL && theirs.bytes == NULL) return CRD_OK;
    if (mine.bytes == NULL || theirs.bytes == NULL)
        return schema_differs(error, mine.bytes == NULL ? theirs : mine,
                              "is the weight of one model only: the other counts each row once");
    return crd_text_equal(mine, theirs) ? CRD_OK : schema_differs(error, theirs, "is the weight of one model only");
}

/* Checks that both models store the same extra tallies. */
static crd_status match_extras(const merge_matching *match, crd_error *error) {
    crd_i_extras one_has = match->model->extras ^ match->other->extras;
    size_t i = 0;
    if (one_has == 0) return CRD_OK;
    while ((one_has >> i & 1) == 0) i++;
    const char *name = crd_i_extra_type(i)->name;
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
               "only one model stores the statistic '%s': train the other again with this statistic", name);
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Returns whether the columns have the same order, as in nearly all models that are merged. */
static bool have_same_order(const crd_i_schema *mine, const crd_i_schema *theirs) {
    bool is_same = mine->count == theirs->count;
    for (size_t i = 0; is_same && i < mine->count; i++)
        is_same = crd_text_equal(mine->columns[i].name, theirs->columns[i].name);
    return is_same;
}

static crd_status merge_match_columns(merge_matching *match, crd_error *error) {
    crd_context *context = match->model->context;
    const crd_i_schema *mine = match->model->schema;
    const bool is_same = have_same_order(mine, match->other->schema);
    crd_i_dictionary *names = is_same ? NULL : crd_i_dictionary_create(context);
    bool *is_met = crd_i_alloc_zeroed(context, mine->count, sizeof *is_met);
    bool done = (is_same || names != NULL) && is_met != NULL;
    for (size_t i = 0; done && !is_same && i < mine->count; i++)
        done = crd_i_dictionary_add(names, mine->columns[i].name) >= 0;
    crd_status status = done ? match_names(match, names, is_met, error) : crd_i_fail_memory(error);
    crd_i_dictionary_destroy(names);
    crd_free(context, is_met);
    return status;
}

/* Returns a map from the codes of `source_dictionary` to codes of `dictionary`, to which missing texts are added. NULL:
 * out of memory. */
static size_t *match_texts(crd_context *context, crd_i_dictionary *dictionary,
                           const crd_i_dictionary *source_dictionary) {
    size_t count = crd_i_dictionary_size(source_dictionary);
    size_t *map = crd_i_alloc(context, count, sizeof *map);
    for (size_t i = 0; map != NULL && i < count; i++) {
        int32_t code = crd_i_dictionary_add(dictionary, crd_i_dictionary_text(source_dictionary, i));
        if (code < 0) {
            crd_free(context, map);
            return NULL;
        }
        map[i] = (size_t)code;
    }
    return map;
}

/* Checks that the declared types of a column match, even if it has no cells. */
static crd_status match_type(const merge_matching *match, size_t i, crd_error *error) {
    crd_column_type mine = crd_i_model_column_type(match->model, match->columns[i]),
                    theirs = crd_i_model_column_type(match->other, i);
    if (mine == CRD_TYPE_NONE || theirs == CRD_TYPE_NONE || mine == theirs) return CRD_OK;
    return crd_i_model_settle(match->model, match->columns[i], theirs, error);
}

/* Returns whether the first of two value lists in declaration order precedes the second. This order makes merging
 * commutative. */
static bool merge_comes_before(const crd_i_dictionary *a, const crd_i_dictionary *b) {
    for (size_t i = 0; i < crd_i_dictionary_size(a) && i < crd_i_dictionary_size(b); i++) {
        const int order = crd_i_text_compare(crd_i_dictionary_text(a, i), crd_i_dictionary_text(b, i));
        if (order != 0) return order < 0;
    }
    return crd_i_dictionary_size(a) < crd_i_dictionary_size(b);
}

/* Unites the values that both models declare, if there are more than the model declares or if their order differs. */
static crd_status match_declared(merge_matching *match, size_t i, crd_error *error) {
    const crd_i_dictionary *mine = match->model->schema->columns[match->columns[i]].values;
    const crd_i_dictionary *theirs = match->other->schema->columns[i].values;
    bool has_more = false;
    for (size_t code = 0; theirs != NULL && !has_more && code < crd_i_dictionary_size(theirs); code++)
        has_more = mine == NULL || crd_i_dictionary_find(mine, crd_i_dictionary_text(theirs, code)) < 0;
    const bool mine_kept = mine != NULL && match->model->schema->columns[match->columns[i]].keeps_order;
    const bool theirs_kept = theirs != NULL && match->other->schema->columns[i].keeps_order;
    const bool theirs_first = theirs_kept && (!mine_kept || merge_comes_before(theirs, mine));
    if (!has_more && !theirs_first) return CRD_OK;
    const crd_i_dictionary *first = mine == NULL || theirs_first ? theirs : mine, *next = first == mine ? theirs : mine;
    crd_i_dictionary *both = crd_i_dictionary_clone(first);
    match->declared[i] = both;
    for (size_t code = 0; both != NULL && next != NULL && code < crd_i_dictionary_size(next); code++)
        if (crd_i_dictionary_add(both, crd_i_dictionary_text(next, code)) < 0) return crd_i_fail_memory(error);
    return both == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status merge_match_values(merge_matching *match, size_t i, crd_error *error) {
    crd_status status = match_type(match, i, error);
    if (status == CRD_OK) status = match_declared(match, i, error);
    const crd_i_variable *variable = &match->other->variables[i];
    if (status != CRD_OK || variable->tally == NULL) return status;
    if (crd_i_tally_is_empty(variable->tally) && match->other->schema->columns[i].values == NULL) return CRD_OK;
    status = crd_i_model_settle(match->model, match->columns[i], variable->tally->type->type, error);
    if (status != CRD_OK) return status;
    crd_i_variable *target_variable = &match->model->variables[match->columns[i]];
    if (variable->values != NULL) {
        match->values[i] = match_texts(match->model->context, target_variable->values, variable->values);
        if (match->values[i] == NULL) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

static int compare_sizes(size_t a, size_t b) {
    return (a > b) - (a < b);
}

/* Compares the layouts of two models with the same columns in a total order: the sequence of names, then positions,
 * then width, then header, then the position of the weight. */
static int compare_layouts(const crd_i_schema *a, const crd_i_schema *b) {
    int order = 0;
    for (size_t i = 0; order == 0 && i < a->count; i++)
        order = crd_i_text_compare(a->columns[i].name, b->columns[i].name);
    for (size_t i = 0; order == 0 && i < a->count; i++)
        order = compare_sizes(a->columns[i].position, b->columns[i].position);
    if (order == 0) order = compare_sizes(a->width, b->width);
    if (order == 0) order = (int)a->has_header - (int)b->has_header;
    return order != 0 ? order : compare_sizes(a->weight.position, b->weight.position);
}

/* Chooses the smaller of two layouts, whichever model has it. This makes merging commutative. */
static crd_status match_layouts(merge_matching *match, crd_error *error) {
    const crd_i_schema *mine = match->model->schema, *theirs = match->other->schema;
    if (compare_layouts(theirs, mine) >= 0) return CRD_OK;
    match->moved_columns = crd_i_alloc(match->model->context, mine->count, sizeof *match->moved_columns);
    match->moved_variables = crd_i_alloc(match->model->context, mine->count, sizeof *match->moved_variables);
    return match->moved_columns == NULL || match->moved_variables == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* Matches both models and reserves memory for all tallies. */
static crd_status merge_prepare(merge_matching *match, int sign, crd_error *error) {
    crd_context *context = match->model->context;
    size_t count = match->other->schema->count;
    match->columns = crd_i_alloc(context, count, sizeof *match->columns);
    match->values = crd_i_alloc_zeroed(context, count, sizeof *match->values);
    match->is_counted = crd_i_alloc_zeroed(context, count, sizeof *match->is_counted);
    match->declared = crd_i_alloc_zeroed(context, count, sizeof *match->declared);
    if (match->columns == NULL || match->values == NULL || match->is_counted == NULL || match->declared == NULL)
        return crd_i_fail_memory(error);
    crd_status status = match_weights(match, error);
    if (status == CRD_OK) status = merge_match_columns(match, error);
    if (status == CRD_OK && sign > 0) status = match_layouts(match, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = merge_match_values(match, i, error);
    if (status != CRD_OK) return status;
    const crd_i_variable *variable = crd_i_model_target(match->other),
                         *target_variable = crd_i_model_target(match->model);
    match->classes = match_texts(context, target_variable->values, variable->values);
    if (match->classes == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const crd_i_tally *more = match->other->variables[i].tally;
        if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
        if (more == NULL || crd_i_tally_is_empty(more)) continue;
        crd_i_tally *tally = match->model->variables[match->columns[i]].tally;
        crd_i_tally_map map = map_of(match, i);
        if (more->type->settle != NULL) status = more->type->settle(more, error);
        if (status != CRD_OK) return status;
        if (!tally->type->prepare(tally, more, &map)) return crd_i_fail_memory(error);
        match->is_counted[i] = true;
        for (size_t e = 0; e < CRD_I_MOST_EXTRAS; e++) {
            const crd_i_tally *theirs = extra_of(match, i, e);
            crd_i_tally *mine = match->model->variables[match->columns[i]].extra[e];
            if (theirs != NULL && !mine->type->prepare(mine, theirs, &map)) return crd_i_fail_memory(error);
        }
    }
    return CRD_OK;
}

/* Combines the main tallies. Memory was reserved, so this cannot fail. */
static bool merge_combine(const merge_matching *match, int sign) {
    bool done = true;
    for (size_t i = 0; i < match->other->schema->count; i++) {
        if (!match->is_counted[i]) continue;
        crd_i_tally *tally = match->model->variables[match->columns[i]].tally;
        crd_i_tally_map map = map_of(match, i);
        done = tally->type->combine(tally, match->other->variables[i].tally, &map, sign) && done;
    }
    return done;
}

static bool combine_extras(const merge_matching *match, int sign) {
    bool done = true;
    for (size_t i = 0; i < match->other->schema->count; i++) {
        crd_i_tally_map map = map_of(match, i);
        for (size_t e = 0; match->is_counted[i] && e < CRD_I_MOST_EXTRAS; e++) {
            const crd_i_tally *theirs = extra_of(match, i, e);
            crd_i_tally *mine = match->model->variables[match->columns[i]].extra[e];
            if (theirs != NULL) done = mine->type->combine(mine, theirs, &map, sign) && done;
        }
    }
    return done;
}

/* ---- Checks after forgetting ---- */

typedef struct merge_quoted {
    char text[CRD_I_QUOTED_ROOM];
} merge_quoted;

static merge_quoted merge_quote(crd_text text) {
    merge_quoted result;
    crd_i_quote(text, result.text);
    return result;
}

/* The class part of a message, such as ", class 'yes'"; empty if the model has no target. */
typedef struct of_class {
    char text[CRD_I_QUOTED_ROOM + sizeof ", class ''"];
} of_class;

static of_class merge_name_class(const crd_model *model, size_t code) {
    of_class result = {""};
    if (model->schema->lacks_target) return result;
    merge_quoted name = merge_quote(crd_i_dictionary_text(crd_i_model_target(model)->values, code));
    snprintf(result.text, sizeof result.text, ", class '%s'", name.text);
    return result;
}

/* Reports an impossible count of a text column. */
static void not_learned_term(const crd_model *model, crd_text name, const crd_i_term_fault *fault, crd_error *error) {
    merge_quoted column = merge_quote(name);
    of_class class_name = merge_name_class(model, fault->condition);
    char left[CRD_NUMBER_ROOM];
    crd_number_format(fault->left, left);
    const char *plural = fault->left == 1 ? "" : "s";
    if (fault->is_length)
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                   "these rows were not all learned: attribute '%s'%s would be left with %s document%s of %u terms",
                   column.text, class_name.text, left, plural, (unsigned)fault->times);
    else if (fault->is_excess)
        crd_i_fail(
            error, CRD_ERROR_NOT_LEARNED,
            "these rows were not all learned: attribute '%s', term '%s'%s would be in %s document%s, more than remain",
            column.text, fault->term, class_name.text, left, plural);
    else
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                   "these rows were not all learned: attribute '%s', term '%s'%s would be left with %s document%s that "
                   "contain it %u time%s",
                   column.text, fault->term, class_name.text, left, plural, (unsigned)fault->times,
                   fault->times == 1 ? "" : "s");
}

/* Reports an impossible count after a subtraction, and names the attribute, value and class. */
static crd_status merge_not_learned(const crd_model *model, size_t column, const crd_i_impossible *cell,
                                    crd_error *error) {
    crd_text name = model->schema->columns[column].name;
    char left[CRD_NUMBER_ROOM];
    crd_number_format(cell->left, left);
    const char *plural = cell->left == 1 ? "" : "s";
    if (column == model->schema->target)
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "these rows were not all learned: %s would be left with %s row%s",
                   model->schema->lacks_target ? "the model" : merge_name_class(model, cell->value).text + strlen(", "),
                   left, plural);
    else if (cell->term != NULL) not_learned_term(model, name, cell->term, error);
    else if (cell->has_value)
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                   "these rows were not all learned: attribute '%s', value '%s'%s would be left with %s row%s",
                   merge_quote(name).text,
                   merge_quote(crd_i_dictionary_text(model->variables[column].values, cell->value)).text,
                   merge_name_class(model, cell->condition).text, left, plural);
    else if (cell->is_near) {
        char number[CRD_NUMBER_ROOM];
        crd_number_format(cell->number, number);
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                   "these rows were not all learned: attribute '%s', near %s%s would be left with %s row%s",
                   merge_quote(name).text, number, merge_name_class(model, cell->condition).text, left, plural);
    } else
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                   "these rows were not all learned: attribute '%s'%s would be left with %s row%s, and an impossible "
                   "sum or sum of squares",
                   merge_quote(name).text, merge_name_class(model, cell->condition).text, left, plural);
    if (column != model->schema->target || !model->schema->lacks_target) crd_i_error_subject(error, name);
    return CRD_ERROR_NOT_LEARNED;
}

/* Checks that no attribute is present in more rows of a class than the class has. */
static crd_status check_presence(const merge_matching *match, size_t column, crd_error *error) {
    const crd_model *model = match->model;
    const crd_i_tally *tally = model->variables[column].tally;
    size_t classes = crd_i_dictionary_size(crd_i_model_target(match->other)->values);
    for (size_t k = 0; tally != NULL && k < classes; k++) {
        double present = crd_i_tally_total(tally, match->classes[k]);
        double rows = crd_i_model_class_rows(model, match->classes[k]);
        if (present <= rows) continue;
        crd_text name = model->schema->columns[column].name;
        char shown_present[CRD_NUMBER_ROOM], shown_rows[CRD_NUMBER_ROOM];
        crd_number_format(present, shown_present);
        crd_number_format(rows, shown_rows);
        crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
                   "these rows were not all learned: attribute '%s'%s would be left with %s value%s in %s row%s",
                   merge_quote(name).text, merge_name_class(model, match->classes[k]).text, shown_present,
                   present == 1 ? "" : "s", shown_rows, rows == 1 ? "" : "s");
        crd_i_error_subject(error, name);
        return CRD_ERROR_NOT_LEARNED;
    }
    return CRD_OK;
}

static crd_status check_tally(const merge_matching *match, size_t i, const crd_i_tally *tally, const crd_i_tally *other,
                              crd_error *error) {
    crd_i_tally_map map = map_of(match, i);
    crd_i_impossible cell = {0};
    if (tally->type->settle != NULL) {
        crd_status status = tally->type->settle(tally, error);
        if (status != CRD_OK) return status;
    }
    if (!tally->type->find_impossible(tally, other, &map, &cell)) return crd_i_fail_memory(error);
    return cell.found ? merge_not_learned(match->model, match->columns[i], &cell, error) : CRD_OK;
}

static crd_status merge_check(const merge_matching *match, crd_error *error) {
    for (size_t i = 0; i < match->other->schema->count; i++) {
        const crd_i_variable *variable = &match->model->variables[match->columns[i]];
        if (!match->is_counted[i]) continue;
        crd_status status = check_tally(match, i, variable->tally, match->other->variables[i].tally, error);
        for (size_t e = 0; status == CRD_OK && e < CRD_I_MOST_EXTRAS; e++) {
            const crd_i_tally *other = extra_of(match, i, e);
            if (other != NULL) status = check_tally(match, i, variable->extra[e], other, error);
        }
        if (status != CRD_OK) return status;
    }
    for (size_t column = 0; column < match->model->schema->count; column++) {
        if (column == match->model->schema->target) continue;
        crd_status status = check_presence(match, column, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Joins the declarations of both models: types, formats and values. A declaration of either model holds for both, so
 * merging is commutative. */
static void merge_join_declared(const merge_matching *match) {
    for (size_t i = 0; i < match->other->schema->count; i++) {
        const crd_i_schema_column *theirs = &match->other->schema->columns[i];
        crd_column_type declared = theirs->type;
        crd_i_schema_column *column = &match->model->schema->columns[match->columns[i]];
        if (crd_i_column_format_is_plain(column->format)) column->format = theirs->format;
        column->keeps_order = column->keeps_order || theirs->keeps_order;
        if (declared != CRD_TYPE_NONE) crd_i_model_declare(match->model, match->columns[i], declared);
        if (match->declared[i] == NULL) continue;
        crd_i_dictionary **mine = &match->model->schema->columns[match->columns[i]].values;
        crd_i_dictionary *before = *mine;
        *mine = match->declared[i];
        match->declared[i] = before; /* freed with `match` */
    }
}

/* Takes over the other's layout if it is smaller. */
static void join_layout(merge_matching *match) {
    crd_model *model = match->model;
    crd_i_schema *mine = model->schema;
    const crd_i_schema *theirs = match->other->schema;
    if (match->moved_columns == NULL) return;
    for (size_t i = 0; i < theirs->count; i++) {
        match->moved_columns[i] = mine->columns[match->columns[i]];
        match->moved_columns[i].position = theirs->columns[i].position;
        match->moved_variables[i] = model->variables[match->columns[i]];
    }
    crd_i_schema_column *columns_before = mine->columns;
    crd_i_variable *variables_before = model->variables;
    mine->columns = match->moved_columns;
    mine->capacity = mine->count;
    mine->target = theirs->target;
    mine->width = theirs->width;
    mine->has_header = theirs->has_header;
    mine->weight.position = theirs->weight.position;
    model->variables = match->moved_variables;
    match->moved_columns = columns_before; /* freed with `match` */
    match->moved_variables = variables_before;
    if (match->is_whole) crd_i_joint_tallies_move(model, match->other);
    crd_i_binding_clear(&model->binding); /* it refers to columns by position */
}

crd_status crd_i_model_check_forgets(const crd_model *model, crd_error *error) {
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        const crd_i_tally_type *type = crd_i_extra_type(i);
        if ((model->extras >> i & 1) == 0 || type->cannot_forget == NULL) continue;
        crd_i_fail(
            error, CRD_ERROR_CANNOT_FORGET,
            "the model stores the statistic '%s', which cannot forget: %s. Learn the remaining rows in a new model, "
            "or train without that statistic",
            type->name, type->cannot_forget);
        crd_i_error_subject(error, crd_text_of(type->name));
        return CRD_ERROR_CANNOT_FORGET;
    }
    return CRD_OK;
}

static crd_status combine_joint_tallies(merge_matching *match, int sign, crd_error *error) {
    const crd_i_joint_tallies_match numbers = {match->classes, match->values};
    if (!match->is_whole) return CRD_OK;
    return crd_i_joint_tallies_combined(match->model, match->other, &numbers, sign, &match->joint_tallies, error);
}

/* Adds the other model. Extra tallies come last, after everything that can fail, because some of them cannot be
 * subtracted again. */
static crd_status add_checked(merge_matching *match, crd_error *error) {
    crd_status status = merge_combine(match, 1) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_model_check_total(match->model, error);
    if (status == CRD_OK) status = combine_joint_tallies(match, 1, error);
    status = crd_i_group_agree(match->group, status, error);
    if (status == CRD_OK && !combine_extras(match, 1)) {
        status = crd_i_fail_memory(error);
        (void)combine_extras(match, -1);
    }
    if (status != CRD_OK) (void)merge_combine(match, -1);
    return status;
}

/* Subtracts the other model. Joint tallies come last, because the column tallies give more specific error messages. */
static crd_status subtract_checked(merge_matching *match, crd_error *error) {
    const bool has_main = merge_combine(match, -1);
    crd_status status = has_main ? CRD_OK : crd_i_fail_memory(error);
    if (has_main) status = combine_extras(match, -1) ? merge_check(match, error) : crd_i_fail_memory(error);
    if (status == CRD_OK) status = combine_joint_tallies(match, -1, error);
    status = crd_i_group_agree(match->group, status, error);
    if (has_main && status != CRD_OK) (void)combine_extras(match, 1);
    if (status != CRD_OK) (void)merge_combine(match, 1);
    return status;
}

/* Checks that the extra tallies and joint tallies of both models can be combined. */
static crd_status check_extras(merge_matching *match, int sign, crd_error *error) {
    crd_status status = match_extras(match, error);
    if (status == CRD_OK) status = crd_i_joint_tallies_check_same(match->model, match->other, error);
    return status == CRD_OK && sign < 0 ? crd_i_model_check_forgets(match->model, error) : status;
}

static crd_status combine_models(merge_matching *match, int sign, crd_error *error) {
    crd_status status = match->is_whole ? check_extras(match, sign, error) : CRD_OK;
    if (status == CRD_OK) status = merge_prepare(match, sign, error);
    status = crd_i_group_agree(match->group, status, error);
    if (status == CRD_OK) status = sign > 0 ? add_checked(match, error) : subtract_checked(match, error);
    if (status == CRD_OK) {
        if (match->joint_tallies != NULL) crd_i_joint_tallies_take(match->model, match->joint_tallies);
        match->joint_tallies = NULL;
        crd_i_fit_cache_clear(&match->model->fitted);
        crd_i_model_drop_selection(match->model);
        merge_join_declared(match);
        join_layout(match);
    }
    matching_clear(match);
    return status;
}

crd_status crd_i_model_combine(crd_model *model, const crd_model *other, int sign, crd_error *error) {
    merge_matching match = {.model = model, .other = other, .is_whole = true, .extras = model->extras};
    return combine_models(&match, sign, error);
}

crd_status crd_i_model_combine_together(crd_model *model, const crd_model *other, int sign, crd_error *error) {
    merge_matching match = {
        .model = model, .other = other, .group = model->context->group, .is_whole = true, .extras = model->extras};
    return combine_models(&match, sign, error);
}

crd_status crd_i_model_add_main(crd_model *model, const crd_model *other, crd_error *error) {
    merge_matching match = {.model = model, .other = other};
    return combine_models(&match, 1, error);
}

crd_status crd_i_model_subtract_main(crd_model *model, const crd_model *other, crd_error *error) {
    merge_matching match = {.model = model, .other = other};
    return combine_models(&match, -1, error);
}

/* ======== 2. Column types of shards ========
 *
 * Checks that models of shards counted their columns with the types that the cells of all shards determine. */

static crd_status shard_merge_refuse_column(crd_error *error, crd_text name, const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' %s", crd_i_quote(name, quoted), description);
    crd_i_shards_hint(error);
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Checks that both shards have the same columns in the same order. If only one of them splits a date into several
 * columns, they differ. */
static crd_status shard_merge_check_columns(const crd_i_schema *mine, const crd_i_schema *theirs, crd_error *error) {
    const crd_i_schema *longer = mine->count > theirs->count ? mine : theirs;
    const crd_i_schema *other = longer == mine ? theirs : mine;
    for (size_t i = 0; i < longer->count; i++) {
        const crd_i_schema_column *column = &longer->columns[i];
        const bool is_same = i < other->count && crd_text_equal(column->name, other->columns[i].name) &&
                             column->position == other->columns[i].position;
        if (!is_same)
            return shard_merge_refuse_column(error, column->name, "is missing or at another place in other shards");
    }
    return CRD_OK;
}

static size_t count_of_field(const crd_i_schema *schema, size_t first) {
    size_t end = first + 1;
    while (end < schema->count && schema->columns[end].position == schema->columns[first].position) end++;
    return end - first;
}

/* Returns whether the columns of the field that begins with column `first` have the format that all shards together
 * imply. */
static bool shard_merge_has_format(const crd_i_schema *schema, size_t first, crd_i_column_format format) {
    crd_i_column_format formats[CRD_I_MOST_PARTS];
    const size_t count = crd_i_column_format_split(format, formats);
    bool is_same = count_of_field(schema, first) == count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = crd_i_column_format_equal(schema->columns[first + i].format, formats[i]);
    return is_same;
}

/* Returns the type that a column has after both models are merged. */
static crd_column_type merged_type(const crd_model *mine, const crd_model *theirs, size_t column) {
    const crd_column_type type = crd_i_model_column_type(mine, column);
    return type != CRD_TYPE_NONE ? type : crd_i_model_column_type(theirs, column);
}

/* Returns whether a column was counted with the type and format that the cells of all shards imply. */
static bool is_as_counted(const crd_i_part_evidence *all, const crd_model *mine, const crd_model *theirs, size_t column,
                          char convention) {
    const crd_i_field_evidence *evidence = &all->fields[column];
    crd_i_column_format format;
    const crd_column_type type =
        crd_i_part_evidence_decide(all, column, convention, column == mine->schema->target, &format);
    const crd_column_type counted = merged_type(mine, theirs, column);
    if (!shard_merge_has_format(mine->schema, column, format)) return false;
    if (!crd_i_column_format_is_plain(format)) return true;
    return (counted == type || counted == CRD_TYPE_NONE) && !(type == CRD_TYPE_CATEGORICAL && evidence->has_words);
}

static crd_status check_whole(const crd_i_part_evidence *all, const crd_model *mine, const crd_model *theirs,
                              crd_error *error) {
    const char convention = crd_i_part_evidence_convention(all);
    const bool has_comma = crd_i_part_evidence_has_comma(all);
    for (size_t i = 0; i < mine->schema->count; i++) {
        const crd_i_field_evidence *evidence = &all->fields[i];
        const bool is_known = !has_comma || !evidence->has_unread_marks;
        if (evidence->is_open && !(is_known && is_as_counted(all, mine, theirs, i, convention)))
            return shard_merge_refuse_column(error, mine->schema->columns[i].name,
                                             "has another type or format in all shards together than in each shard");
    }
    return CRD_OK;
}

crd_status crd_i_shard_merge_prepare(const crd_model *model, const crd_model *other, int sign, crd_i_shards **out,
                                     crd_error *error) {
    const crd_model *mine = crd_i_model_rows(model), *theirs = crd_i_model_rows(other);
    crd_i_shards *all = NULL;
    *out = NULL;
    if (model->shards == NULL && (other->shards == NULL || sign < 0)) return CRD_OK;
    if (sign < 0)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                          "some shards of the table are not merged yet: merge them before you remove parts");
    crd_status status = crd_i_shards_check_apart(model->shards, other->shards, error);
    if (status == CRD_OK) status = shard_merge_check_columns(mine->schema, theirs->schema, error);
    if (status == CRD_OK) status = crd_i_shards_unite(model->shards, other->shards, &all, error);
    const bool is_whole = status == CRD_OK && crd_i_shards_are_all(all);
    if (is_whole) status = check_whole(crd_i_shards_columns(all), mine, theirs, error);
    if (status == CRD_OK && !is_whole) {
        *out = all;
        return CRD_OK;
    }
    crd_i_shards_destroy(all);
    return status;
}

crd_status crd_i_shard_merge_explain(const crd_model *model, crd_status status, crd_error *error) {
    if (model->shards != NULL && status == CRD_ERROR_SCHEMA_DIFFERS && error != NULL && error->hint[0] == '\0')
        crd_i_shards_hint(error);
    return status;
}
