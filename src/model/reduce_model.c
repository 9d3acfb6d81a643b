/* SPDX-License-Identifier: MIT */
/* reduce_model.c - combines the models that the processes of a group trained on parts of the rows. Also checks that new
 * rows do not change the meaning of columns. See model_parts.h.
 *
 * Contents:
 *   1. Reduction
 *   2. New columns */
#include "model/model_parts.h"

#include "base/error.h"
#include "base/text.h"
#include "processes/group.h"
#include "table/read/reader.h"
#include "table/values/column_format.h"

#include <math.h>
#include <string.h>

/* ======== 1. Reduction ========
 *
 * Merging is associative and exact, so the shape of the tree does not affect the result. */

void crd_i_read_facts_note(crd_read_facts *facts, crd_text text) {
    char cut[sizeof facts->skipped_text];
    size_t length = text.length < sizeof cut ? text.length : sizeof cut - 1;
    memcpy(cut, text.bytes, length);
    cut[length] = '\0';
    if (facts->skipped_text[0] == '\0' || strcmp(cut, facts->skipped_text) < 0)
        memcpy(facts->skipped_text, cut, length + 1);
}

void crd_i_read_facts_add(crd_read_facts *facts, const crd_read_facts *more) {
    facts->rows += more->rows;
    facts->skipped += more->skipped;
    facts->skipped_with_text += more->skipped_with_text;
    if (more->skipped_with_text > 0) crd_i_read_facts_note(facts, crd_text_of(more->skipped_text));
    facts->weightless += more->weightless;
    if (more->sequences > 0) {
        if (facts->sequences == 0 || more->shortest < facts->shortest) facts->shortest = more->shortest;
        if (more->longest > facts->longest) facts->longest = more->longest;
    }
    facts->sequences += more->sequences;
    facts->inserted += more->inserted;
    facts->crowded += more->crowded;
}

typedef struct part {
    crd_model *model;
    crd_read_facts facts;
} part;

static crd_status encode_part(void *object, crd_i_encoder *encoder, crd_error *error) {
    const part *mine = object;
    unsigned char *bytes;
    size_t length;
    crd_i_encode_bytes(encoder, &mine->facts, sizeof mine->facts);
    const crd_status status = crd_model_encode(mine->model, &bytes, &length, error);
    if (status != CRD_OK) return status;
    crd_i_encode_bytes(encoder, bytes, length);
    crd_free(mine->model->context, bytes);
    return CRD_OK;
}

static crd_status add_part(void *object, unsigned rank, crd_i_cursor *bytes, crd_error *error) {
    part *mine = object;
    crd_read_facts theirs;
    (void)rank;
    crd_i_decode_bytes(bytes, &theirs, sizeof theirs);
    if (bytes->failed) return crd_i_fail_received(error);
    crd_i_read_facts_add(&mine->facts, &theirs);
    const crd_i_cursor model = crd_i_decode_rest(bytes);
    return crd_model_merge_bytes(mine->model, model.at, crd_i_cursor_left(&model), error);
}

/* Decodes the result of all processes. */
static crd_status decode_whole(crd_context *context, const crd_i_buffer *bytes, crd_model **out, crd_read_facts *facts,
                               crd_error *error) {
    crd_i_cursor whole = crd_i_cursor_of(bytes);
    crd_i_decode_bytes(&whole, facts, sizeof *facts);
    return whole.failed ? crd_i_fail_received(error)
                        : crd_model_decode(context, whole.at, crd_i_cursor_left(&whole), out, error);
}

crd_status crd_i_model_reduce(crd_i_group *group, crd_model **model, crd_read_facts *facts, crd_error *error) {
    static const crd_i_merging merging = {encode_part, add_part};
    if (group == NULL) return CRD_OK;
    part own_part = {*model, *facts};
    crd_i_buffer bytes = {.context = (*model)->context};
    crd_model *whole = NULL;
    crd_status status = crd_i_group_reduce(group, &merging, &own_part, &bytes, error);
    if (status == CRD_OK)
        status = crd_i_group_agree(group, decode_whole(bytes.context, &bytes, &whole, facts, error), error);
    crd_i_buffer_clear(&bytes);
    crd_model_destroy(*model);
    *model = whole;
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*model);
    *model = NULL;
    return status;
}

crd_status crd_i_model_reduce_rows(const crd_reader *reader, crd_model **model, crd_read_facts *facts,
                                   crd_error *error) {
    crd_i_group *group = crd_i_reader_group(reader);
    if (group != NULL) return crd_i_model_reduce(group, model, facts, error);
    const crd_status status = crd_i_group_agree((*model)->context->group, CRD_OK, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*model);
    *model = NULL;
    return status;
}

/* ======== 2. New columns ======== */

static bool new_columns_has_values(const crd_model *model, size_t column) {
    const crd_i_tally *tally = model->variables[column].tally;
    return tally != NULL && !crd_i_tally_is_empty(tally);
}

bool crd_i_model_is_new_column(const crd_model *model, size_t column) {
    const crd_i_schema_column *stated = &model->schema->columns[column];
    return column != model->schema->target && stated->type == CRD_TYPE_NONE &&
           crd_i_column_format_is_plain(stated->format) && stated->values == NULL &&
           !crd_i_intervals_are(&stated->intervals) && !new_columns_has_values(model, column);
}

bool crd_i_model_learn_format(crd_model *model, size_t column, const crd_i_schema_column *schema_column) {
    crd_i_schema_column *own_column = &model->schema->columns[column];
    if (crd_i_column_format_equal(own_column->format, schema_column->format)) return true;
    if (!crd_i_schema_set_column_format(model->schema, column, schema_column->format, schema_column->field))
        return false;
    own_column->type = crd_i_column_format_type(schema_column->format);
    return true;
}

crd_status crd_i_model_learn_new_formats(const crd_model *model, crd_model *batch, const crd_i_schema *found_schema,
                                         crd_error *error) {
    for (size_t i = 0; i < found_schema->count && i < batch->schema->count; i++) {
        const bool is_same = crd_text_equal(found_schema->columns[i].name, batch->schema->columns[i].name);
        if (is_same && crd_i_model_is_new_column(model, i) &&
            !crd_i_model_learn_format(batch, i, &found_schema->columns[i]))
            return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* ---- Columns read differently ---- */

static crd_status reject_column(crd_text name, const char *format, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, format, crd_i_quote(name, shown));
    crd_i_error_hint(error, "train a model on all rows at once");
    crd_i_error_subject(error, name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

static void new_columns_add_values(const crd_model *model, size_t column, crd_i_column_format_evidence *evidence) {
    const crd_i_dictionary *values = model->variables[column].values;
    for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
        if (!crd_i_column_format_evidence_is_open(evidence)) return;
        crd_i_column_format_evidence_add(evidence, crd_i_dictionary_text(values, code), '\0', false);
    }
}

static bool new_columns_has_format(const crd_i_column_format_evidence *evidence, crd_i_column_format_doubt *doubt) {
    return !crd_i_column_format_is_plain(crd_i_column_format_evidence_find(evidence, doubt));
}

static bool new_columns_is_whole(const crd_i_sums *sums, size_t cell) {
    const double sum = crd_i_sums_value(sums, cell);
    return sum == floor(sum);
}

static bool has_fractions(const crd_model *model, size_t column) {
    const crd_i_tally *tally = model->variables[column].tally;
    if (tally == NULL || tally->type != &crd_i_moments) return false;
    for (size_t k = 0; k < tally->conditions; k++) {
        const crd_i_moment_cell moment = crd_i_moments_cell(tally, k);
        if (!new_columns_is_whole(moment.s, moment.cell) || !new_columns_is_whole(moment.q, moment.cell)) return true;
    }
    return false;
}

static bool has_any_fractions(const crd_model *model) {
    size_t i = 0;
    while (i < model->schema->count && !has_fractions(model, i)) i++;
    return i < model->schema->count;
}

static crd_status reject_marks(crd_text name, crd_error *error) {
    return reject_column(name,
                         "the numbers of '%s' can have a decimal point or a decimal comma (1,234 is 1234 or 1.234), "
                         "and the model treats them as categories",
                         error);
}

/* Checks a categorical column. Its values may be dates, amounts or truth values when more values are known: 01/02/2024
 * and then 25/02/2024, or yes and then YES. Any other column may show which decimal mark amounts have. */
static crd_status check_category(const crd_model *model, const crd_model *batch, bool declares, size_t column,
                                 crd_error *error) {
    const crd_i_schema_column *stated = &model->schema->columns[column];
    crd_i_column_format_evidence evidence = {.cells = 0};
    crd_i_column_format_doubt doubt;
    const bool is_target = column == model->schema->target;
    const bool is_guessed = is_target || declares || stated->type == CRD_TYPE_NONE;
    if (is_target && batch->row_class.bytes != NULL) return CRD_OK; /* the caller has specified the class */
    if (!is_guessed || crd_i_intervals_are(&stated->intervals) || stated->values != NULL ||
        !crd_i_column_format_is_plain(stated->format))
        return CRD_OK;
    new_columns_add_values(model, column, &evidence);
    if (evidence.cells == 0 || evidence.fits == 0 || new_columns_has_format(&evidence, &doubt)) return CRD_OK;
    if (!new_columns_has_values(batch, column))
        return doubt == CRD_I_DOUBT_DECIMAL && has_any_fractions(batch) ? reject_marks(stated->name, error) : CRD_OK;
    new_columns_add_values(batch, column, &evidence);
    const bool is_formed = new_columns_has_format(&evidence, &doubt);
    if (is_target && (!is_formed || !crd_i_column_format_evidence_is_truth(&evidence))) return CRD_OK;
    if (doubt == CRD_I_DOUBT_DECIMAL) return reject_marks(stated->name, error);
    if (!is_formed) return CRD_OK;
    return reject_column(stated->name,
                         crd_i_column_format_evidence_is_truth(&evidence)
                             ? "column '%s' has words for yes and no that differ only in case: training treats them as "
                               "equal, but the model as different"
                             : "column '%s' has dates or amounts in these rows, but the model learned it as a category",
                         error);
}

/* Checks decimal marks. Decimal commas in a new column may prove that a number such as 1.234 of another column is
 * 1234. */
static crd_status check_marks(const crd_model *model, const crd_model *batch, bool declares, crd_error *error) {
    const crd_i_schema *schema = batch->schema;
    size_t comma = 0;
    for (; comma < schema->count; comma++) {
        const unsigned reading = schema->columns[comma].format.reading;
        const bool is_comma = reading == CRD_I_READING_COMMA || reading == CRD_I_READING_PERCENT_COMMA;
        if (is_comma && crd_i_model_is_new_column(model, comma)) break;
    }
    for (size_t i = 0; comma < schema->count && i < schema->count; i++) {
        const crd_i_schema_column *stated = &model->schema->columns[i];
        const bool is_guessed = declares || stated->type == CRD_TYPE_NONE;
        if (!is_guessed || !crd_i_column_format_is_plain(schema->columns[i].format)) continue;
        if (has_fractions(model, i) || has_fractions(batch, i))
            return reject_column(
                schema->columns[comma].name,
                "column '%s' had no values when the model was trained, and now has decimal commas, while "
                "another column has decimal points",
                error);
    }
    return CRD_OK;
}

/* Checks numeric nodes. Training treats a few distinct integers of a node as codes, so more rows may turn codes into
 * numbers or numbers into codes. */
static crd_status check_nodes(const crd_model *model, const crd_model *batch, crd_error *error) {
    const bool has_nodes = model->settings->method == CRD_I_METHOD_NETWORK && model->settings->structure_nodes != NULL;
    for (size_t i = 0; has_nodes && i < batch->schema->count; i++) {
        const crd_i_schema_column *stated = &model->schema->columns[i];
        if (i == model->schema->target || stated->values != NULL || !crd_i_column_format_is_plain(stated->format))
            continue;
        if (!new_columns_has_values(model, i) && new_columns_has_values(batch, i))
            return reject_column(
                stated->name,
                "column '%s' had no values when the network was trained, so the type of its node is unknown", error);
    }
    return CRD_OK;
}

bool crd_i_model_declares_types(const crd_model *model) {
    const crd_i_schema *schema = model->schema;
    size_t i = 0;
    while (i < schema->count && !crd_i_intervals_are(&schema->columns[i].intervals)) i++;
    return i < schema->count;
}

crd_status crd_i_model_check_columns(const crd_model *model, const crd_model *batch, bool declares, bool finds_formats,
                                     bool is_typed, crd_error *error) {
    crd_status status = check_nodes(model, batch, error);
    if (status == CRD_OK && finds_formats) status = check_marks(model, batch, declares, error);
    for (size_t i = 0; status == CRD_OK && finds_formats && i < batch->schema->count; i++) {
        const bool has_exact_labels = is_typed && i == model->schema->target;
        if (!has_exact_labels) status = check_category(model, batch, declares, i, error);
    }
    return status;
}

void crd_i_model_declare_types(crd_model *model) {
    for (size_t i = 0; i < model->schema->count; i++)
        if (new_columns_has_values(model, i)) crd_i_model_declare(model, i, model->variables[i].tally->type->type);
}
