/* SPDX-License-Identifier: MIT */
/* merge_fit.c - see merge_fit.h. */
#include "source/merge_fit.h"

#include "core/lists.h"
#include "core/messages.h"
#include "source/input_file.h"

#include <stdlib.h>

/* The type of a column, and the first file that has it. */
typedef struct known_column {
    crd_column_type type; /* NONE: no earlier file has a value in this column */
    const char *type_path;
} known_column;

typedef struct known_columns {
    crd_schema *first;
    const char *path; /* the file that `first` belongs to */
    known_column *columns;
    size_t count;
} known_columns;

static const char NO_WEIGHT[] = "is the weight, but each row counts once in";
static const char *const TYPES[] = {"nothing", "numbers", "categories", "texts"};

/* Reads the columns of a model file. *out is NULL if it is another kind of file or a model without columns. The code
 * that merges it reports errors. */
static int merge_fit_read_columns(const invocation *call, const char *path, crd_schema **out) {
    crd_model *model = NULL;
    crd_error error;
    crd_file_kind kind = CRD_FILE_ROWS;
    *out = NULL;
    int ended = input_file_reads_once(path) ? ENDED_WELL : input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL || kind != CRD_FILE_MODEL || crd_model_load(call->context, path, &model, &error) != CRD_OK)
        return ended;
    if (crd_schema_from_model(model, 0, out, &error) != CRD_OK) *out = NULL;
    crd_model_destroy(model);
    return ENDED_WELL;
}

static void hint_at_schema(void) {
    message_hint(
        "or make the schema of all rows first (credence help schema), and train every part with it: --schema SCHEMA");
}

/* Reports different column types, for example "b.model: 'x' has categories, and numbers in a.model". */
static int refuse_types(const char *path, crd_text name, crd_column_type type, const known_column *known) {
    string shown = {0}, typed = {0};
    string_add_shown(&shown, name);
    int ended = message_failed("%s: '%s' has %s, and has %s in %s", path, string_text(&shown), TYPES[type],
                               TYPES[known->type], known->type_path);
    list_add_typed(&typed, name);
    if (type != CRD_TYPE_TEXT && known->type != CRD_TYPE_TEXT) {
        message_hint("train %s again with --categorical %s", type == CRD_TYPE_NUMERIC ? path : known->type_path,
                     string_text(&typed));
        hint_at_schema();
    }
    string_free(&shown);
    string_free(&typed);
    return ended;
}

/* Reports that a column is in only one of the files, or that it differs as `description` states. */
static int merge_fit_refuse_column(const char *path, crd_text name, const char *description, const char *other) {
    string shown = {0};
    string_add_shown(&shown, name);
    int ended = message_failed("%s: '%s' %s %s", path, string_text(&shown), description, other);
    message_hint("train both with the same columns and options");
    hint_at_schema();
    string_free(&shown);
    return ended;
}

static size_t merge_fit_find_column(const crd_schema *schema, crd_text name, size_t place) {
    const size_t count = crd_schema_column_count(schema);
    if (place < count && crd_text_equal(crd_schema_column_name(schema, place), name)) return place;
    size_t i = 0;
    while (i < count && !crd_text_equal(crd_schema_column_name(schema, i), name)) i++;
    return i;
}

/* Checks one column of a file against the columns of the earlier files, and records its type. */
static int merge_fit_check_column(known_columns *known, const char *path, const crd_schema *schema, size_t i) {
    crd_text name = crd_schema_column_name(schema, i);
    if (crd_schema_is_ignored(schema, i)) return ENDED_WELL;
    const size_t index = merge_fit_find_column(known->first, name, i);
    if (index == crd_schema_column_count(known->first) || crd_schema_is_ignored(known->first, index))
        return merge_fit_refuse_column(path, name, i == crd_schema_weight(schema) ? NO_WEIGHT : "is not a column of",
                                       known->path);
    known_column *column = &known->columns[index];
    const crd_role mine = crd_schema_role(schema, i), theirs = crd_schema_role(known->first, index);
    if (mine != theirs && (mine == CRD_ROLE_TARGET || theirs == CRD_ROLE_TARGET))
        return merge_fit_refuse_column(
            path, name, mine == CRD_ROLE_TARGET ? "is the target, but not in" : "is not the target, as in",
            known->path);
    if (mine != theirs)
        return merge_fit_refuse_column(
            path, name, mine == CRD_ROLE_WEIGHT ? "is the weight, but not in" : "is not the weight, as in",
            known->path);
    const crd_column_type type = crd_schema_column_type(schema, i);
    if (type != CRD_TYPE_NONE && column->type != CRD_TYPE_NONE && type != column->type)
        return refuse_types(path, name, type, column);
    if (!crd_text_equal(crd_schema_column_format(schema, i), crd_schema_column_format(known->first, index)))
        return merge_fit_refuse_column(path, name, "is read in another format than in", known->path);
    if (column->type == CRD_TYPE_NONE && type != CRD_TYPE_NONE) {
        column->type = type;
        column->type_path = path;
    }
    return ENDED_WELL;
}

static int check_schema(known_columns *known, const char *path, const crd_schema *schema) {
    int ended = ENDED_WELL;
    for (size_t i = 0; ended == ENDED_WELL && i < crd_schema_column_count(schema); i++)
        ended = merge_fit_check_column(known, path, schema, i);
    for (size_t i = 0; ended == ENDED_WELL && i < known->count; i++) {
        crd_text name = crd_schema_column_name(known->first, i);
        if (crd_schema_is_ignored(known->first, i)) continue;
        const size_t index = merge_fit_find_column(schema, name, i);
        const bool is_weight = i == crd_schema_weight(known->first);
        if (index == crd_schema_column_count(schema) || crd_schema_is_ignored(schema, index))
            ended = merge_fit_refuse_column(known->path, name, is_weight ? NO_WEIGHT : "is not a column of", path);
    }
    return ended;
}

static void merge_fit_take_first(known_columns *known, const char *path, crd_schema *schema) {
    known->first = schema;
    known->path = path;
    known->count = crd_schema_column_count(schema);
    known->columns = memory_resize(NULL, known->count, sizeof *known->columns);
    for (size_t i = 0; i < known->count; i++)
        known->columns[i] = (known_column){crd_schema_column_type(schema, i), path};
}

int merge_fit_check(const invocation *call, const char *const *paths, size_t count) {
    known_columns known = {.first = NULL};
    int ended = ENDED_WELL;
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        crd_schema *schema;
        ended = merge_fit_read_columns(call, paths[i], &schema);
        if (schema == NULL) continue;
        if (known.first == NULL) {
            merge_fit_take_first(&known, paths[i], schema);
            continue;
        }
        ended = check_schema(&known, paths[i], schema);
        crd_schema_destroy(schema);
    }
    crd_schema_destroy(known.first);
    free(known.columns);
    return ended;
}
