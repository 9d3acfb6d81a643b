/* SPDX-License-Identifier: MIT */
/* shard_merge.c - see shard_merge.h. */
#include "model/shard_merge.h"

#include "base/error.h"
#include "base/text.h"

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
static bool shard_merge_has_form(const crd_i_schema *schema, size_t first, crd_i_form form) {
    crd_i_form forms[CRD_I_MOST_PARTS];
    const size_t count = crd_i_form_split(form, forms);
    bool is_same = count_of_field(schema, first) == count;
    for (size_t i = 0; is_same && i < count; i++) is_same = crd_i_form_equal(schema->columns[first + i].form, forms[i]);
    return is_same;
}

/* Returns the kind that a column has after both models are merged. */
static crd_kind merged_kind(const crd_model *mine, const crd_model *theirs, size_t column) {
    const crd_kind kind = crd_i_model_column_kind(mine, column);
    return kind != CRD_KIND_NONE ? kind : crd_i_model_column_kind(theirs, column);
}

/* Returns whether a column was counted with the kind and format that the cells of all shards imply. */
static bool is_as_counted(const crd_i_part_evidence *all, const crd_model *mine, const crd_model *theirs, size_t column,
                          char convention) {
    const crd_i_field_evidence *evidence = &all->fields[column];
    crd_i_form form;
    const crd_kind kind = crd_i_part_evidence_decide(all, column, convention, column == mine->schema->target, &form);
    const crd_kind counted = merged_kind(mine, theirs, column);
    if (!shard_merge_has_form(mine->schema, column, form)) return false;
    if (!crd_i_form_is_plain(form)) return true;
    return (counted == kind || counted == CRD_KIND_NONE) && !(kind == CRD_KIND_CATEGORY && evidence->has_words);
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
                                             "has another type or form in all shards together than in each shard");
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
