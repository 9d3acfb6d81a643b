/* SPDX-License-Identifier: MIT */
/* learn.c - learns and forgets rows.
 *
 * Rows are first added to a temporary model, which is then combined with the model to change. So a call that fails, in
 * its first row or its millionth, has changed nothing. */
#include "model/accumulate.h"
#include "model/learn_reader.h"
#include "model/merge.h"
#include "model/model_create.h"
#include "model/new_columns.h"
#include "model/reduce_model.h"
#include "model/similar_classes.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/read/reader.h"

#include <string.h>

/* Adds the values that later files declared, and the column formats. They are known after all files were read. */
static crd_status learn_declared_values(crd_model *model, const crd_reader *reader, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < schema->count; i++) {
        if (status == CRD_OK && !crd_i_model_learn_form(model, i, &schema->columns[i]))
            status = crd_i_fail_memory(error);
        const crd_i_dictionary *values = schema->columns[i].values;
        size_t count = values == NULL ? 0 : crd_i_dictionary_size(values);
        for (size_t code = 0; status == CRD_OK && code < count; code++)
            status = crd_i_model_declare_value(model, i, crd_i_dictionary_text(values, code), error);
    }
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_i_model_remember_shard(crd_model *model, const crd_reader *reader, crd_error *error) {
    const crd_i_schema *schema = crd_i_model_rows(model)->schema;
    unsigned count;
    const unsigned shard = crd_i_reader_shard(reader, &count);
    crd_i_part_evidence *fields, *columns;
    if (!crd_i_reader_collects(reader)) return CRD_OK;
    crd_status status = crd_i_reader_part(reader, &fields, error);
    if (status != CRD_OK) return status;
    columns = crd_i_part_evidence_create_like(fields, schema->count);
    for (size_t i = 0; columns != NULL && i < schema->count; i++) {
        const size_t field = schema->columns[i].position;
        const bool is_first = i == 0 || schema->columns[i - 1].position != field;
        if (!is_first || field >= fields->count) continue;
        columns->fields[i] = fields->fields[field];
        memset(&fields->fields[field], 0, sizeof fields->fields[field]);
    }
    crd_i_part_evidence_destroy(fields);
    if (columns == NULL) return crd_i_fail_memory(error);
    return crd_i_shards_create(model->context, shard, count, columns, &model->shards, error);
}

crd_status crd_i_model_train(crd_context *context, crd_status status, crd_i_schema *schema, crd_reader *reader,
                             const crd_settings *settings, crd_i_kept kept, crd_model **out, crd_read_facts *facts,
                             crd_error *error) {
    *out = NULL;
    crd_model *blank = NULL, *model = NULL;
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    if (status == CRD_OK) status = crd_i_model_create(context, schema, settings, &blank, error);
    if (status == CRD_OK) status = crd_i_model_keep(blank, kept, error);
    status = crd_i_agree(context, status, error);
    if (status != CRD_OK) {
        crd_model_destroy(blank);
        return status;
    }
    if (crd_i_reader_is_part(reader)) crd_i_reader_collect(reader, CRD_I_COLLECT_BESIDE);
    status = crd_i_model_tally_part(blank, reader, &model, &read_facts, error);
    crd_model_destroy(blank);
    if (status == CRD_OK) status = learn_declared_values(model, reader, error);
    if (status == CRD_OK) status = crd_i_model_remember_shard(model, reader, error);
    status = crd_i_model_reduce_rows(reader, status, &model, &read_facts, error);
    if (status == CRD_OK) status = crd_i_model_check_whole(model, error);
    if (status == CRD_OK && crd_i_model_declares_kinds(model)) crd_i_model_declare_kinds(model);
    const bool is_whole = crd_i_is_collective(context) || !crd_i_reader_is_shard(reader);
    if (status == CRD_OK && read_facts.rows == 0 && is_whole) {
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "%s",
                            read_facts.weightless > 0 && read_facts.skipped > 0 ? "every row has weight 0, or no target"
                            : read_facts.weightless > 0                         ? "every row has weight 0"
                            : read_facts.skipped > 0                            ? "the target is missing in every row"
                                                                                : "no rows to learn from");
        if (read_facts.skipped > 0) crd_i_error_subject(error, model->schema->columns[model->schema->target].name);
        else if (read_facts.weightless > 0) crd_i_error_subject(error, crd_model_weight(model));
    }
    if (status != CRD_OK) {
        crd_model_destroy(model);
        return status;
    }
    read_facts.weight = crd_i_tally_total(crd_i_model_target(model)->tally, 0);
    if (facts != NULL) crd_i_copy_out(&read_facts, sizeof read_facts, facts);
    *out = model;
    return CRD_OK;
}

static crd_status learn_make_schema(const crd_context *context, const crd_reader *reader, const crd_settings *settings,
                                    crd_i_schema **out, crd_error *error) {
    *out = NULL;
    if (settings != NULL && settings->method == CRD_I_METHOD_SEQUENCE) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the method sequence needs sequences of rows, but these are single rows");
        crd_i_error_subject(error, crd_text_of("method"));
        return CRD_ERROR_SETTING;
    }
    crd_status status = crd_i_reader_schema(reader, out, error);
    if (status != CRD_OK || (*out)->context == context) return status;
    crd_i_schema_destroy(*out);
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader belongs to another context");
}

static crd_status learn_train(crd_context *context, crd_reader *reader, const crd_settings *settings, crd_i_kept kept,
                              crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_i_schema *schema;
    const crd_status status = learn_make_schema(context, reader, settings, &schema, error);
    return crd_i_model_train(context, status, schema, reader, settings, kept, out, facts, error);
}

crd_status crd_model_train(crd_context *context, crd_reader *reader, const crd_settings *settings, crd_model **out,
                           crd_read_facts *facts, crd_error *error) {
    const crd_i_kept no_more = {0, 0};
    return learn_train(context, reader, settings, no_more, out, facts, error);
}

crd_status crd_model_train_keeping(crd_context *context, crd_reader *reader, const crd_settings *settings,
                                   crd_text tallies, crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_i_kept kept = {0, 0};
    *out = NULL;
    crd_status status = crd_i_kept_parse(tallies, &kept, error);
    return status == CRD_OK ? learn_train(context, reader, settings, kept, out, facts, error) : status;
}

/* Learns (sign 1) or forgets (sign -1) the rows of a frame. */
static crd_status learn_change(crd_model *model, const crd_frame *frame, int sign, crd_error *error) {
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
    return learn_change(model, frame, 1, error);
}

crd_status crd_model_forget(crd_model *model, const crd_frame *frame, crd_error *error) {
    return learn_change(model, frame, -1, error);
}

/* Checks whether the caller may specify the class of all rows. */
static crd_status check_takes_class(const crd_model *model, crd_error *error) {
    const bool is_of_sequences = model->kind->change_all != NULL;
    if (!is_of_sequences && !model->schema->lacks_target) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a model %s cannot assign one class to all rows",
                      is_of_sequences ? "of sequences" : "without a target");
}

/* Determines the formats of columns that are new to the model, and checks the columns of a batch before it is
 * learned. */
static crd_status settle_columns(const crd_model *model, const crd_reader *reader, crd_model *batch, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status == CRD_OK) status = crd_i_model_learn_new_forms(model, batch, schema, error);
    if (status == CRD_OK)
        status = crd_i_model_check_columns(model, batch, crd_i_model_declares_kinds(model),
                                           crd_i_reader_finds_forms(reader), crd_i_reader_is_typed(reader), error);
    crd_i_schema_destroy(schema);
    return status;
}

/* Learns (sign 1) or forgets (sign -1) all rows of a reader. */
static crd_status learn_change_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign,
                                   crd_error *error) {
    crd_model *batch = NULL;
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    if (crd_i_reader_class(reader).bytes != NULL) {
        crd_status fits = check_takes_class(model, error);
        if (fits != CRD_OK) return fits;
    }
    if (model->kind->change_all != NULL) return model->kind->change_all(model, reader, facts, sign, error);
    crd_status status = crd_i_model_check_of_rows(model, sign < 0 ? "forget rows" : "learn rows", error);
    if (status == CRD_OK && sign < 0) status = crd_i_model_check_forgets(model, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(model, reader, error);
    if (status == CRD_OK && !model->schema->lacks_target) status = crd_reader_skip_unlabeled(reader, error);
    if (status == CRD_OK && sign > 0) status = crd_i_reader_find_new_forms(reader, error);
    status = crd_i_agree(model->context, status, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(model, reader, &batch, &read_facts, error);
    if (status == CRD_OK && sign > 0 && !crd_i_reader_accepts_similar_classes(reader))
        status = crd_i_agree(model->context, crd_i_model_check_new_classes(model, batch, error), error);
    if (status == CRD_OK && sign > 0)
        status = crd_i_agree(model->context, settle_columns(model, reader, batch, error), error);
    if (status == CRD_OK) status = crd_i_model_combine_together(model, batch, sign, error);
    if (status == CRD_OK && sign > 0 && crd_i_model_declares_kinds(model)) crd_i_model_declare_kinds(model);
    if ((status == CRD_OK || status == CRD_ERROR_NOT_LEARNED) && facts != NULL) {
        read_facts.weight = crd_i_tally_total(crd_i_model_target(batch)->tally, 0);
        crd_i_copy_out(&read_facts, sizeof read_facts, facts);
    }
    crd_model_destroy(batch);
    return status;
}

crd_status crd_model_update_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error) {
    return learn_change_all(model, reader, facts, 1, error);
}

crd_status crd_model_forget_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error) {
    return learn_change_all(model, reader, facts, -1, error);
}

/* Subtracts one batch and adds another. If the second cannot be added, the first is added again. */
static crd_status learn_exchange(crd_model *model, const crd_model *out, const crd_model *in, crd_error *error) {
    crd_status status = crd_i_model_combine_together(model, out, -1, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_combine_together(model, in, 1, error);
    if (status == CRD_OK) return CRD_OK;
    if (crd_i_model_combine(model, out, 1, NULL) != CRD_OK) status = crd_i_fail_memory(error);
    return crd_i_agree(model->context, status, error);
}

crd_status crd_model_move_all(crd_model *model, crd_reader *reader, crd_text view, crd_text target_text,
                              crd_read_facts *facts, crd_error *error) {
    crd_model *batches[2] = {NULL, NULL};
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_check_of_rows(model, "move rows to another class", error);
    if (status == CRD_OK) status = check_takes_class(model, error);
    if (status == CRD_OK) status = crd_i_model_check_forgets(model, error);
    /* The reader checks both class names, and is bound without a target. */
    if (status == CRD_OK) status = crd_reader_set_class(reader, target_text, error);
    if (status == CRD_OK) status = crd_reader_set_class(reader, view, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(model, reader, error);
    status = crd_i_agree(model->context, status, error);
    if (status == CRD_OK)
        status = crd_i_model_tally_as_both(model, reader, view, target_text, batches, &read_facts, error);
    if (status == CRD_OK && !crd_i_reader_accepts_similar_classes(reader))
        status = crd_i_agree(model->context, crd_i_model_check_new_classes(model, batches[1], error), error);
    if (status == CRD_OK) status = learn_exchange(model, batches[0], batches[1], error);
    if ((status == CRD_OK || status == CRD_ERROR_NOT_LEARNED) && facts != NULL) {
        read_facts.weight = crd_i_tally_total(crd_i_model_target(batches[0])->tally, 0);
        crd_i_copy_out(&read_facts, sizeof read_facts, facts);
    }
    crd_model_destroy(batches[0]);
    crd_model_destroy(batches[1]);
    return status;
}
