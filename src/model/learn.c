/* SPDX-License-Identifier: MIT */
/* learn.c - rows in, rows out, models together.
 *
 * Rows are tallied into a model of their own, which is then combined with the one that is to change; so a call that
 * fails, in its first row or its millionth, has changed nothing. */
#include "model/accumulate.h"
#include "model/learn_reader.h"
#include "model/merge.h"
#include "model/model_create.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/read/reader.h"

#include <string.h>

/* The form that a column of numbers proved to have. */
static bool learn_form(crd_model *model, size_t column, const crd_i_schema_column *found) {
    crd_i_schema_column *own = &model->schema->columns[column];
    if (crd_i_form_equal(own->form, found->form)) return true;
    if (!crd_i_schema_set_form(model->schema, column, found->form, found->field)) return false;
    own->kind = crd_i_form_kind(found->form);
    return true;
}

/* What files after the first declare, and the forms of columns, are known once all have been read. */
static crd_status learn_declared(crd_model *model, const crd_reader *reader, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < schema->count; i++) {
        if (status == CRD_OK && !learn_form(model, i, &schema->columns[i])) status = crd_i_fail_memory(error);
        const crd_i_dictionary *values = schema->columns[i].values;
        size_t count = values == NULL ? 0 : crd_i_dictionary_size(values);
        for (size_t code = 0; status == CRD_OK && code < count; code++)
            status = crd_i_model_declare_value(model, i, crd_i_dictionary_text(values, code), error);
    }
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_i_model_train(crd_i_schema *schema, crd_reader *reader, const crd_settings *settings, crd_i_kept kept,
                             crd_model **out, crd_read_facts *facts, crd_error *error) {
    *out = NULL;
    crd_model *blank = NULL, *model = NULL;
    crd_read_facts found = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_create(schema->context, schema, settings, &blank, error);
    if (status == CRD_OK) status = crd_i_model_keep(blank, kept, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(blank, reader, &model, &found, error);
    crd_model_destroy(blank);
    if (status == CRD_OK) status = learn_declared(model, reader, error);
    if (status == CRD_OK && found.rows == 0 && !crd_i_reader_is_shard(reader)) {
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "%s",
                            found.weightless > 0 && found.skipped > 0 ? "every row has weight 0, or no target"
                            : found.weightless > 0                    ? "the weight is 0 in every row"
                            : found.skipped > 0                       ? "the target is missing in every row"
                                                                      : "there are no rows to learn from");
        if (found.skipped > 0) crd_i_error_subject(error, model->schema->columns[model->schema->target].name);
        else if (found.weightless > 0) crd_i_error_subject(error, crd_model_weight(model));
    }
    if (status != CRD_OK) {
        crd_model_destroy(model);
        return status;
    }
    found.weight = crd_i_tally_total(crd_i_model_target(model)->tally, 0);
    if (facts != NULL) crd_i_copy_out(&found, sizeof found, facts);
    *out = model;
    return CRD_OK;
}

static crd_status train(crd_context *context, crd_reader *reader, const crd_settings *settings, crd_i_kept kept,
                        crd_model **out, crd_read_facts *facts, crd_error *error) {
    *out = NULL;
    crd_i_schema *schema;
    if (settings != NULL && settings->method == CRD_I_METHOD_SEQUENCE) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the method sequence is for sequences of rows, and these are single ones");
        crd_i_error_subject(error, crd_text_of("method"));
        return CRD_ERROR_SETTING;
    }
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    if (schema->context == context) return crd_i_model_train(schema, reader, settings, kept, out, facts, error);
    crd_i_schema_destroy(schema);
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader belongs to another context");
}

crd_status crd_model_train(crd_context *context, crd_reader *reader, const crd_settings *settings, crd_model **out,
                           crd_read_facts *facts, crd_error *error) {
    const crd_i_kept no_more = {0, 0};
    return train(context, reader, settings, no_more, out, facts, error);
}

crd_status crd_model_train_keeping(crd_context *context, crd_reader *reader, const crd_settings *settings,
                                   crd_text tallies, crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_i_kept kept = {0, 0};
    *out = NULL;
    crd_status status = crd_i_kept_parse(tallies, &kept, error);
    return status == CRD_OK ? train(context, reader, settings, kept, out, facts, error) : status;
}

static crd_status change(crd_model *model, const crd_frame *frame, int sign, crd_error *error) {
    crd_model *batch;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_check_of_rows(model, sign < 0 ? "forget rows" : "learn rows", error);
    if (status == CRD_OK && sign < 0) status = crd_i_model_check_forgets(model, error);
    if (status == CRD_OK) status = crd_i_model_create_like(model, &batch, error);
    if (status != CRD_OK) return status;
    status = crd_i_accumulate_frame(batch, frame, &facts, error);
    if (status == CRD_OK) status = crd_i_model_combine(model, batch, sign, error);
    crd_model_destroy(batch);
    return status;
}

crd_status crd_model_update(crd_model *model, const crd_frame *frame, crd_error *error) {
    return change(model, frame, 1, error);
}

crd_status crd_model_forget(crd_model *model, const crd_frame *frame, crd_error *error) {
    return change(model, frame, -1, error);
}

/* Whether the class of rows can be stated. */
static crd_status check_takes_class(const crd_model *model, crd_error *error) {
    const bool is_of_sequences = model->kind->change_all != NULL;
    if (!is_of_sequences && !model->schema->lacks_target) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a model %s takes rows of no one class",
                      is_of_sequences ? "of sequences" : "without a target");
}

static crd_status change_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign, crd_error *error) {
    crd_model *batch = NULL;
    crd_read_facts found = CRD_READ_FACTS_INIT;
    if (crd_i_reader_class(reader).bytes != NULL) {
        crd_status fits = check_takes_class(model, error);
        if (fits != CRD_OK) return fits;
    }
    if (model->kind->change_all != NULL) return model->kind->change_all(model, reader, facts, sign, error);
    crd_status status = crd_i_model_check_of_rows(model, sign < 0 ? "forget rows" : "learn rows", error);
    if (status == CRD_OK && sign < 0) status = crd_i_model_check_forgets(model, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(model, reader, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(model, reader, &batch, &found, error);
    if (status == CRD_OK) status = crd_i_model_combine(model, batch, sign, error);
    if (status == CRD_OK && facts != NULL) {
        found.weight = crd_i_tally_total(crd_i_model_target(batch)->tally, 0);
        crd_i_copy_out(&found, sizeof found, facts);
    }
    crd_model_destroy(batch);
    return status;
}

crd_status crd_model_update_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error) {
    return change_all(model, reader, facts, 1, error);
}

crd_status crd_model_forget_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error) {
    return change_all(model, reader, facts, -1, error);
}

/* Takes out what is in one batch and adds what is in another; where the second cannot be, the first is put back. */
static crd_status exchange(crd_model *model, const crd_model *out, const crd_model *in, crd_error *error) {
    crd_status status = crd_i_model_combine(model, out, -1, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_combine(model, in, 1, error);
    if (status != CRD_OK && crd_i_model_combine(model, out, 1, NULL) != CRD_OK) status = crd_i_fail_memory(error);
    return status;
}

crd_status crd_model_move_all(crd_model *model, crd_reader *reader, crd_text from, crd_text to, crd_read_facts *facts,
                              crd_error *error) {
    crd_model *batches[2] = {NULL, NULL};
    crd_read_facts found = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_check_of_rows(model, "move rows from class to class", error);
    if (status == CRD_OK) status = check_takes_class(model, error);
    if (status == CRD_OK) status = crd_i_model_check_forgets(model, error);
    /* The reader checks the names, and is bound without a target. */
    if (status == CRD_OK) status = crd_reader_set_class(reader, to, error);
    if (status == CRD_OK) status = crd_reader_set_class(reader, from, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(model, reader, error);
    if (status == CRD_OK) status = crd_i_model_tally_as_both(model, reader, from, to, batches, &found, error);
    if (status == CRD_OK) status = exchange(model, batches[0], batches[1], error);
    if (status == CRD_OK && facts != NULL) {
        found.weight = crd_i_tally_total(crd_i_model_target(batches[0])->tally, 0);
        crd_i_copy_out(&found, sizeof found, facts);
    }
    crd_model_destroy(batches[0]);
    crd_model_destroy(batches[1]);
    return status;
}

/* ---- Merging ---- */

static crd_status check_missing_texts(const crd_i_schema *mine, const crd_i_schema *theirs, crd_error *error) {
    if (crd_i_schema_equal_missing(mine, theirs)) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the models take different texts to mean a missing cell");
}

static crd_status check_settings(const crd_settings *mine, const crd_settings *theirs, crd_error *error) {
    if (crd_i_settings_equal(mine, theirs)) return CRD_OK;
    size_t count, i = 0;
    count = crd_setting_count();
    while (i + 1 < count && strcmp(mine->texts[i], theirs->texts[i]) == 0) i++;
    crd_i_fail(error, CRD_ERROR_SETTINGS_DIFFER,
               "the models' default settings differ: %s is %.200s in one and %.200s in the other",
               crd_setting_at(i)->name, mine->texts[i], theirs->texts[i]);
    crd_i_error_subject(error, crd_text_of(crd_setting_at(i)->name));
    return CRD_ERROR_SETTINGS_DIFFER;
}

static crd_status check_targets(const crd_model *mine, const crd_model *theirs, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (mine->schema->lacks_target == theirs->schema->lacks_target) return CRD_OK;
    crd_text name = crd_model_target(mine->schema->lacks_target ? theirs : mine);
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' is the target of one model, and the other has none",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

static crd_status combine(crd_model *model, const crd_model *other, crd_error *error) {
    crd_status status = model->kind->combine != NULL ? model->kind->combine(model, other, 1, error)
                                                     : crd_i_model_combine(model, other, 1, error);
    /* Quotes that enclose nothing may be in some files only. */
    if (status == CRD_OK && other->schema->has_literal_quotes) model->schema->has_literal_quotes = true;
    return status;
}

static crd_status check_kinds(const crd_model *model, const crd_model *other, crd_error *error) {
    if (model->kind == other->kind && model->kind->combine != NULL) return CRD_OK;
    if (model->kind != other->kind && (model->kind->combine != NULL || other->kind->combine != NULL))
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "one model is of sequences, the other is not");
    crd_status status = crd_i_model_check_of_rows(model, "be merged", error);
    return status == CRD_OK ? crd_i_model_check_of_rows(other, "be merged", error) : status;
}

crd_status crd_model_merge(crd_model *model, const crd_model *other, crd_error *error) {
    crd_status status = check_kinds(model, other, error);
    if (status == CRD_OK) status = crd_i_model_check_counted(model, other->settings, error);
    if (status == CRD_OK) status = check_settings(model->settings, other->settings, error);
    if (status == CRD_OK) status = check_missing_texts(model->schema, other->schema, error);
    if (status == CRD_OK) status = check_targets(model, other, error);
    if (status != CRD_OK) return status;
    if (model != other) return combine(model, other, error);
    crd_model *copy;
    status = crd_i_model_clone(other, &copy, error);
    if (status != CRD_OK) return status;
    status = combine(model, copy, error);
    crd_model_destroy(copy);
    return status;
}
