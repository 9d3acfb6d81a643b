/* SPDX-License-Identifier: MIT */
/* joint_tallies.c - the joint tallies that a model stores, and views of them: see joint_tallies.h.
 *
 * Contents:
 *   1. Rows and merging
 *   2. Row buffer
 *   3. Stored joint tallies
 *   4. Model files */
#include "model/joint_tallies.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model_sections.h"
#include "model/structure_binding.h"
#include "table/column_schema.h"
#include "text/tokens.h"

#include <math.h>
#include <string.h>

/* ======== 1. Rows and merging ======== */

/* ---- Adding rows ---- */

void crd_i_offered_clear(crd_i_offered *offered) {
    for (size_t i = 0; offered->codes != NULL && i < offered->columns; i++)
        crd_free(offered->context, offered->codes[i]);
    for (size_t i = 0; offered->texts != NULL && i < offered->columns; i++)
        crd_free(offered->context, offered->texts[i]);
    crd_free(offered->context, offered->codes);
    crd_free(offered->context, offered->texts);
    crd_i_buffer_clear(&offered->bags);
    crd_free(offered->context, offered->cells);
    crd_i_offered none = {.context = offered->context};
    *offered = none;
}

bool crd_i_offered_init(crd_i_offered *offered, crd_context *context, size_t rows, size_t columns) {
    crd_i_offered offered_values = {.context = context, .rows = rows, .columns = columns, .bags = {.context = context}};
    offered_values.cells = crd_i_alloc_zeroed(context, columns, sizeof *offered_values.cells);
    offered_values.codes = crd_i_alloc_zeroed(context, columns, sizeof *offered_values.codes);
    offered_values.texts = crd_i_alloc_zeroed(context, columns, sizeof *offered_values.texts);
    for (size_t i = 0; offered_values.cells != NULL && i < columns; i++) offered_values.cells[i].rows = rows;
    *offered = offered_values;
    return offered_values.cells != NULL && offered_values.codes != NULL && offered_values.texts != NULL;
}

bool crd_i_offered_put(crd_i_offered *offered, size_t column, const crd_i_cells *cells) {
    offered->cells[column] = *cells;
    if (cells->codes == NULL) return true;
    int32_t *codes = crd_i_alloc(offered->context, offered->rows, sizeof *codes);
    if (codes == NULL) return false;
    memcpy(codes, cells->codes, offered->rows * sizeof *codes);
    offered->codes[column] = codes;
    offered->cells[column].codes = codes;
    return true;
}

/* Appends the bags of the texts of counted rows. ends[row] becomes the end offset of its bag, because the buffer moves
 * while it grows. */
static crd_status encode_texts(crd_i_offered *offered, const crd_i_cells *cells, const int32_t *conditions,
                               crd_i_tokenizer *tokenizer, size_t *ends, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < offered->rows; row++) {
        const crd_text text = cells->texts[row];
        if (conditions[row] >= 0 && text.length > 0) {
            if (!cells->are_bags) status = crd_i_bag_encode(tokenizer, text, &offered->bags, error);
            else if (!crd_i_buffer_append(&offered->bags, text.bytes, text.length)) status = crd_i_fail_memory(error);
        }
        ends[row] = offered->bags.length;
    }
    return status;
}

/* Updates the texts of earlier columns after the buffer of bags has moved. */
static void move_texts(crd_i_offered *offered, const unsigned char *before) {
    for (size_t i = 0; i < offered->columns; i++)
        for (size_t row = 0; offered->texts[i] != NULL && row < offered->rows; row++)
            if (offered->texts[i][row].bytes != NULL)
                offered->texts[i][row].bytes =
                    (const char *)offered->bags.bytes + (offered->texts[i][row].bytes - (const char *)before);
}

crd_status crd_i_offered_put_texts(crd_i_offered *offered, size_t column, const crd_i_cells *cells,
                                   const int32_t *conditions, const crd_i_token_rules *rules, crd_error *error) {
    crd_context *context = offered->context;
    crd_i_tokenizer *tokenizer = NULL;
    const size_t begin = offered->bags.length;
    const unsigned char *before = offered->bags.bytes;
    crd_text *texts = crd_i_alloc_zeroed(context, offered->rows, sizeof *texts);
    size_t *ends = crd_i_alloc(context, offered->rows, sizeof *ends);
    crd_status status = texts == NULL || ends == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && !cells->are_bags) status = crd_i_tokenizer_create(context, rules, &tokenizer, error);
    if (status == CRD_OK) status = encode_texts(offered, cells, conditions, tokenizer, ends, error);
    if (status == CRD_OK && offered->bags.bytes != before) move_texts(offered, before);
    for (size_t row = 0; status == CRD_OK && row < offered->rows; row++) {
        const size_t first = row == 0 ? begin : ends[row - 1];
        if (ends[row] > first) texts[row].bytes = (const char *)offered->bags.bytes + first;
        texts[row].length = ends[row] - first;
    }
    if (status == CRD_OK) {
        offered->texts[column] = texts;
        offered->cells[column].texts = texts;
        offered->cells[column].are_bags = offered->has_texts = true;
    } else {
        crd_free(context, texts);
    }
    crd_i_tokenizer_destroy(tokenizer);
    crd_free(context, ends);
    return status;
}

/* Passes the texts of the numbers first .. limit - 1 to the joint tally. */
static bool joint_learn_spell(crd_i_joint_tally *joint_tally, size_t column, const crd_i_dictionary *names,
                              size_t first, size_t limit) {
    for (size_t i = first; i < limit; i++)
        if (!joint_tally->type->spell(joint_tally, column, i, crd_i_dictionary_text(names, i))) return false;
    return true;
}

/* Extends a joint tally to all classes and values of the model, and passes it the texts of new ones. `counts` and
 * `known` are scratch memory with one element per column. */
static bool joint_learn_extend(const crd_model *model, const crd_i_model_joint_tally *kept,
                               crd_i_joint_tally *joint_tally, size_t *counts, size_t *known) {
    const crd_i_dictionary *classes = crd_i_model_target(model)->values;
    size_t class_count = crd_i_dictionary_size(classes), known_classes = joint_tally->conditions;
    for (size_t i = 0; i < joint_tally->column_count; i++) {
        const crd_i_dictionary *values = model->variables[kept->columns[i]].values;
        known[i] = joint_tally->value_counts[i];
        counts[i] = joint_tally->types[i] == CRD_TYPE_CATEGORICAL ? crd_i_dictionary_size(values) : 0;
    }
    if (!joint_tally->type->extend(joint_tally, class_count, counts)) return false;
    if (joint_tally->type->spell == NULL) return true;
    bool done = joint_learn_spell(joint_tally, SIZE_MAX, classes, known_classes, class_count);
    for (size_t i = 0; done && i < joint_tally->column_count; i++)
        if (counts[i] > known[i])
            done = joint_learn_spell(joint_tally, i, model->variables[kept->columns[i]].values, known[i], counts[i]);
    return done;
}

/* Extends a joint tally to all classes and values of the model; false: out of memory. */
static bool joint_tallies_extend(const crd_model *model, const crd_i_model_joint_tally *kept,
                                 crd_i_joint_tally *joint_tally) {
    size_t *counts = crd_i_alloc(model->context, joint_tally->column_count, sizeof *counts);
    size_t *known = crd_i_alloc(model->context, joint_tally->column_count, sizeof *known);
    bool done = counts != NULL && known != NULL && joint_learn_extend(model, kept, joint_tally, counts, known);
    crd_free(model->context, counts);
    crd_free(model->context, known);
    return done;
}

/* Adds rows to one joint tally, and settles the columns that have their first cells. */
static crd_status joint_learn_add_to(const crd_model *model, crd_i_model_joint_tally *kept,
                                     const crd_i_offered *offered, const int32_t *conditions, const double *weights,
                                     crd_error *error) {
    crd_i_joint_tally *joint_tally = kept->joint_tally;
    if (joint_tally->is_dropped) return CRD_OK;
    crd_i_cells *cells = crd_i_alloc(model->context, joint_tally->column_count, sizeof *cells);
    bool done = cells != NULL;
    for (size_t i = 0; done && i < joint_tally->column_count; i++) {
        cells[i] = offered->cells[kept->columns[i]];
        if (joint_tally->types[i] != CRD_TYPE_NONE) continue;
        if (cells[i].texts != NULL) done = joint_tally->type->settle(joint_tally, i, CRD_TYPE_TEXT);
        else if (cells[i].codes != NULL) done = joint_tally->type->settle(joint_tally, i, CRD_TYPE_CATEGORICAL);
        else if (cells[i].numbers != NULL) done = joint_tally->type->settle(joint_tally, i, CRD_TYPE_NUMERIC);
    }
    crd_i_joint_tally_rows rows = {offered->rows, cells, conditions, weights};
    crd_status status = done && joint_tallies_extend(model, kept, joint_tally)
                            ? crd_i_joint_tally_add(&kept->joint_tally, &rows, error)
                            : crd_i_fail_memory(error);
    crd_free(model->context, cells);
    return status;
}

crd_status crd_i_joint_tallies_add(crd_model *model, const crd_i_offered *offered, const int32_t *conditions,
                                   const double *weights, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < model->joint_tally_count; i++) {
        if (crd_i_context_cancelled(model->context)) status = crd_i_fail_cancelled(error);
        else status = joint_learn_add_to(model, &model->joint_tallies[i], offered, conditions, weights, error);
    }
    return status;
}

/* ---- Two models ---- */

static bool must_settle(const crd_i_joint_tally *mine, const crd_i_joint_tally *theirs) {
    if (mine->is_dropped) return false;
    for (size_t i = 0; i < mine->column_count; i++)
        if (mine->types[i] == CRD_TYPE_NONE && theirs->types[i] != CRD_TYPE_NONE) return true;
    return false;
}

/* Copies a joint tally, and settles every column that is settled in the other. NULL: out of memory. */
static crd_i_joint_tally *clone_settled(const crd_i_joint_tally *mine, const crd_i_joint_tally *theirs) {
    crd_i_joint_tally *copy = mine->type->clone(mine);
    bool done = copy != NULL;
    for (size_t i = 0; done && i < mine->column_count; i++)
        if (copy->types[i] == CRD_TYPE_NONE && theirs->types[i] != CRD_TYPE_NONE)
            done = copy->type->settle(copy, i, theirs->types[i]);
    if (done) return copy;
    crd_i_joint_tally_destroy(copy);
    return NULL;
}

static crd_status fail_unsettle(const crd_model *model, const crd_i_model_joint_tally *kept, size_t column,
                                crd_error *error) {
    crd_text name = model->schema->columns[kept->columns[column]].name;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(
        error, CRD_ERROR_CANNOT_FORGET,
        "no remaining row would have a value in '%s', and the statistic '%s' stores nothing about rows without a "
        "value there. Learn the remaining rows in a new model",
        crd_i_quote(name, quoted), kept->joint_tally->type->name);
    crd_i_error_subject(error, name);
    return CRD_ERROR_CANNOT_FORGET;
}

/* Reports combinations that were not learned. If a single cell were unknown, the model's column tallies would have
 * reported it. */
static void fail_not_learned(const crd_i_joint_tally *joint_tally, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
               "these rows were not all learned: their values were, but not in these combinations (statistic '%s')",
               joint_tally->type->name);
}

/* After forgetting, makes the joint tally equal to one that learned only the remaining rows. Without rows, it is
 * replaced by a new one; otherwise the types of columns without cells are reset. */
static crd_status joint_learn_unsettle(const crd_model *model, const crd_i_model_joint_tally *kept,
                                       crd_i_joint_tally **joint, crd_error *error) {
    crd_i_joint_tally *left = *joint;
    if (crd_i_tally_is_empty(crd_i_model_target(model)->tally)) {
        *joint = left->type->create(left->context, left->column_count);
        crd_i_joint_tally_destroy(left);
        return *joint == NULL ? crd_i_fail_memory(error) : CRD_OK;
    }
    for (size_t i = 0; i < left->column_count; i++) {
        if (left->types[i] == CRD_TYPE_NONE || !crd_i_tally_is_empty(model->variables[kept->columns[i]].tally))
            continue;
        if (left->type->unsettle == NULL || !left->type->unsettle(left, i)) return fail_unsettle(model, kept, i, error);
    }
    return CRD_OK;
}

static crd_status joint_learn_combine(crd_model *model, const crd_i_model_joint_tally *kept,
                                      const crd_i_joint_tally *theirs, const crd_i_joint_tally_map *map, int sign,
                                      crd_i_joint_tally **out, crd_error *error) {
    crd_i_joint_tally *copy = NULL, *mine = kept->joint_tally;
    if (must_settle(mine, theirs)) {
        mine = copy = clone_settled(mine, theirs);
        if (copy == NULL) return crd_i_fail_memory(error);
    }
    crd_status status = mine->is_dropped || joint_tallies_extend(model, kept, mine) ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) {
        *out = crd_i_joint_tally_combined(mine, theirs, map, sign, &status, error);
        if (*out == NULL && status == CRD_OK) status = crd_i_fail_memory(error);
        if (status == CRD_ERROR_NOT_LEARNED) fail_not_learned(mine, error);
    }
    if (status == CRD_OK && sign < 0) status = joint_learn_unsettle(model, kept, out, error);
    crd_i_joint_tally_destroy(copy);
    return status;
}

/* Fills in the maps from the value numbers of another model's joint tally to the numbers in the model. false: out of
 * memory. */
static bool map_values(const crd_model *other, const crd_i_model_joint_tally *theirs,
                       const crd_i_joint_tallies_match *match, const size_t **values, size_t *counts) {
    if (values == NULL || counts == NULL) return false;
    for (size_t i = 0; i < theirs->joint_tally->column_count; i++) {
        size_t column = theirs->columns[i];
        bool is_category = theirs->joint_tally->types[i] == CRD_TYPE_CATEGORICAL;
        values[i] = is_category ? match->values[column] : NULL;
        counts[i] = is_category ? crd_i_dictionary_size(other->variables[column].values) : 0;
    }
    return true;
}

static crd_status combine_one(crd_model *model, const crd_i_model_joint_tally *kept, const crd_model *other,
                              const crd_i_model_joint_tally *theirs, const crd_i_joint_tallies_match *match, int sign,
                              crd_i_joint_tally **out, crd_error *error) {
    crd_context *context = model->context;
    size_t columns = kept->joint_tally->column_count;
    const size_t **values = crd_i_alloc(context, columns, sizeof *values);
    size_t *counts = crd_i_alloc(context, columns, sizeof *counts);
    crd_status status = CRD_ERROR_MEMORY;
    if (map_values(other, theirs, match, values, counts)) {
        size_t classes = crd_i_dictionary_size(crd_i_model_target(other)->values);
        crd_i_joint_tally_map map = {match->classes, classes, values, counts};
        status = joint_learn_combine(model, kept, theirs->joint_tally, &map, sign, out, error);
    } else {
        crd_i_fail_memory(error);
    }
    crd_free(context, values);
    crd_free(context, counts);
    return status;
}

crd_status crd_i_joint_tallies_combined(crd_model *model, const crd_model *other,
                                        const crd_i_joint_tallies_match *match, int sign, crd_i_joint_tally ***out,
                                        crd_error *error) {
    *out = NULL;
    if (model->joint_tally_count == 0) return CRD_OK;
    crd_i_joint_tally **tally = crd_i_alloc_zeroed(model->context, model->joint_tally_count, sizeof *tally);
    if (tally == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < model->joint_tally_count; i++)
        status = combine_one(model, &model->joint_tallies[i], other, &other->joint_tallies[i], match, sign, &tally[i],
                             error);
    if (status == CRD_OK) *out = tally;
    else crd_i_joint_tallies_discard(model, tally);
    return status;
}

void crd_i_joint_tallies_take(crd_model *model, crd_i_joint_tally **tally) {
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        crd_i_joint_tally_destroy(model->joint_tallies[i].joint_tally);
        model->joint_tallies[i].joint_tally = tally[i];
    }
    crd_free(model->context, tally);
}

void crd_i_joint_tallies_discard(const crd_model *model, crd_i_joint_tally **tally) {
    for (size_t i = 0; tally != NULL && i < model->joint_tally_count; i++) crd_i_joint_tally_destroy(tally[i]);
    crd_free(model->context, tally);
}

void crd_i_joint_tallies_move(crd_model *model, const crd_model *other) {
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        size_t count = model->joint_tallies[i].joint_tally->column_count;
        if (count > 0) memcpy(model->joint_tallies[i].columns, other->joint_tallies[i].columns, count * sizeof(size_t));
    }
}

/* ======== 2. Row buffer ========
 *
 * Rows of several frames are collected until many of them can be added at once. Sums of products are computed many
 * times faster that way. The joint tallies are incomplete until the buffer is poured; see joint_tallies.h. */

/* The buffer is poured when it contains MOST_ROWS rows, or about MOST_CELLS cells, but at least LEAST_ROWS rows. */
enum { MOST_ROWS = 4096, MOST_CELLS = 1 << 21, LEAST_ROWS = 64 };

struct crd_i_waiting {
    crd_context *context;
    size_t columns, rows, capacity;
    bool *is_covered;       /* for each column of the schema, whether it is in a joint tally */
    double **numbers;       /* one array per column; NULL: it never had numbers */
    int32_t **codes;        /* one array per column; NULL: it never had codes */
    crd_column_type *types; /* for each column, the type of the buffered cells; NONE: it has none */
    int32_t *conditions;
};

void crd_i_waiting_destroy(crd_i_waiting *waiting) {
    if (waiting == NULL) return;
    crd_context *context = waiting->context;
    for (size_t i = 0; i < waiting->columns; i++) {
        if (waiting->numbers != NULL) crd_free(context, waiting->numbers[i]);
        if (waiting->codes != NULL) crd_free(context, waiting->codes[i]);
    }
    crd_free(context, waiting->numbers);
    crd_free(context, waiting->codes);
    crd_free(context, waiting->types);
    crd_free(context, waiting->is_covered);
    crd_free(context, waiting->conditions);
    crd_free(context, waiting);
}

static crd_i_waiting *joint_buffer_create(const crd_model *model) {
    crd_context *context = model->context;
    size_t columns = model->schema->count, covered = 0;
    crd_i_waiting *waiting_values = crd_i_alloc_zeroed(context, 1, sizeof *waiting_values);
    if (waiting_values == NULL) return NULL;
    waiting_values->context = context;
    waiting_values->columns = columns;
    waiting_values->is_covered = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->is_covered);
    waiting_values->numbers = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->numbers);
    waiting_values->codes = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->codes);
    waiting_values->types = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->types);
    bool done = waiting_values->is_covered != NULL && waiting_values->numbers != NULL &&
                waiting_values->codes != NULL && waiting_values->types != NULL;
    for (size_t b = 0; done && b < model->joint_tally_count; b++)
        for (size_t i = 0; i < model->joint_tallies[b].joint_tally->column_count; i++) {
            bool *is_covered = &waiting_values->is_covered[model->joint_tallies[b].columns[i]];
            covered += !*is_covered;
            *is_covered = true;
        }
    waiting_values->capacity = MOST_CELLS / (covered + 1);
    if (waiting_values->capacity > MOST_ROWS) waiting_values->capacity = MOST_ROWS;
    if (waiting_values->capacity < LEAST_ROWS) waiting_values->capacity = LEAST_ROWS;
    waiting_values->conditions =
        done ? crd_i_alloc(context, waiting_values->capacity, sizeof *waiting_values->conditions) : NULL;
    if (waiting_values->conditions != NULL) return waiting_values;
    crd_i_waiting_destroy(waiting_values);
    return NULL;
}

/* Allocates memory for a column, in which the cells of the earlier rows are missing. */
static bool begin_column(crd_i_waiting *waiting, size_t column, crd_column_type type) {
    if (waiting->types[column] != CRD_TYPE_NONE) return true;
    if (type == CRD_TYPE_NUMERIC) {
        double **destination = &waiting->numbers[column];
        if (*destination == NULL) *destination = crd_i_alloc(waiting->context, waiting->capacity, sizeof **destination);
        if (*destination == NULL) return false;
        for (size_t row = 0; row < waiting->rows; row++) (*destination)[row] = NAN;
    } else {
        int32_t **destination = &waiting->codes[column];
        if (*destination == NULL) *destination = crd_i_alloc(waiting->context, waiting->capacity, sizeof **destination);
        if (*destination == NULL) return false;
        for (size_t row = 0; row < waiting->rows; row++) (*destination)[row] = CRD_I_CODE_MISSING;
    }
    waiting->types[column] = type;
    return true;
}

/* Copies the cells of the counted rows begin .. end - 1. */
static void joint_buffer_copy_column(crd_i_waiting *waiting, size_t column, const crd_i_cells *cells,
                                     const int32_t *conditions, size_t begin, size_t end) {
    size_t index = waiting->rows;
    if (waiting->types[column] == CRD_TYPE_NUMERIC) {
        double *destination = waiting->numbers[column];
        for (size_t row = begin; row < end; row++)
            if (conditions[row] >= 0)
                destination[index++] =
                    cells->numbers != NULL && crd_i_number_present(cells, row) ? cells->numbers[row] : NAN;
    } else {
        int32_t *destination = waiting->codes[column];
        for (size_t row = begin; row < end; row++)
            if (conditions[row] >= 0)
                destination[index++] = cells->codes == NULL ? CRD_I_CODE_MISSING : cells->codes[row];
    }
}

static bool joint_buffer_any_present(const crd_i_cells *cells, const int32_t *conditions, size_t begin, size_t end) {
    for (size_t row = begin; row < end; row++)
        if (conditions[row] >= 0 && (cells->codes != NULL ? cells->codes[row] >= 0 : crd_i_number_present(cells, row)))
            return true;
    return false;
}

/* Copies the rows begin .. end - 1. The buffer must have room for them. */
static bool joint_buffer_keep(crd_i_waiting *waiting, const crd_i_offered *offered, const int32_t *conditions,
                              size_t begin, size_t end) {
    for (size_t i = 0; i < waiting->columns; i++) {
        const crd_i_cells *cells = &offered->cells[i];
        if (!waiting->is_covered[i]) continue;
        bool has_cells = cells->numbers != NULL || cells->codes != NULL;
        if (waiting->types[i] == CRD_TYPE_NONE && has_cells &&
            joint_buffer_any_present(cells, conditions, begin, end) &&
            !begin_column(waiting, i, cells->codes != NULL ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC))
            return false;
        if (waiting->types[i] != CRD_TYPE_NONE) joint_buffer_copy_column(waiting, i, cells, conditions, begin, end);
    }
    for (size_t row = begin; row < end; row++)
        if (conditions[row] >= 0) waiting->conditions[waiting->rows++] = conditions[row];
    return true;
}

crd_status crd_i_joint_tallies_wait(crd_model *model, const crd_i_offered *offered, const int32_t *conditions,
                                    crd_error *error) {
    if (offered->has_texts) { /* no gain, because texts are stored row by row */
        crd_status status = crd_i_joint_tallies_pour(model, error);
        return status == CRD_OK ? crd_i_joint_tallies_add(model, offered, conditions, NULL, error) : status;
    }
    if (model->waiting == NULL) model->waiting = joint_buffer_create(model);
    crd_i_waiting *waiting = model->waiting;
    if (waiting == NULL) return crd_i_fail_memory(error);
    for (size_t begin = 0, end; begin < offered->rows; begin = end) {
        size_t space = waiting->capacity - waiting->rows;
        end = offered->rows - begin < space ? offered->rows : begin + space;
        if (!joint_buffer_keep(waiting, offered, conditions, begin, end)) return crd_i_fail_memory(error);
        if (waiting->rows < waiting->capacity) continue;
        crd_status status = crd_i_joint_tallies_pour(model, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_joint_tallies_pour(crd_model *model, crd_error *error) {
    crd_i_waiting *waiting = model->waiting;
    if (waiting == NULL || waiting->rows == 0) return CRD_OK;
    crd_i_cells *cells = crd_i_alloc(model->context, waiting->columns, sizeof *cells);
    if (cells == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < waiting->columns; i++) {
        crd_column_type type = waiting->types[i];
        const crd_i_cells own_cells = {.rows = waiting->rows,
                                       .numbers = type == CRD_TYPE_NUMERIC ? waiting->numbers[i] : NULL,
                                       .codes = type == CRD_TYPE_CATEGORICAL ? waiting->codes[i] : NULL};
        cells[i] = own_cells;
        waiting->types[i] = CRD_TYPE_NONE;
    }
    const crd_i_offered offered = {.rows = waiting->rows, .columns = waiting->columns, .cells = cells};
    waiting->rows = 0;
    crd_status status = crd_i_joint_tallies_add(model, &offered, waiting->conditions, NULL, error);
    crd_free(model->context, cells);
    return status;
}

/* ======== 3. Stored joint tallies ======== */

/* ---- One joint tally ---- */

static crd_text joint_tallies_name(const crd_model *model, const crd_i_model_joint_tally *kept, size_t i) {
    return model->schema->columns[kept->columns[i]].name;
}

static bool joint_tallies_is_never_number(crd_text text, double *value) {
    (void)text, (void)value;
    return false;
}

/* Sorts columns by the bytes of their names. false: out of memory. */
static bool order_columns(const crd_model *model, size_t *columns, size_t count) {
    crd_context *context = model->context;
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    int32_t *codes = crd_i_alloc(context, count, sizeof *codes);
    size_t *before = crd_i_alloc(context, count, sizeof *before);
    bool done = names != NULL && codes != NULL && before != NULL;
    for (size_t i = 0; done && i < count; i++) {
        before[i] = columns[i];
        done = crd_i_dictionary_add(names, model->schema->columns[columns[i]].name) >= 0;
    }
    done = done && crd_i_dictionary_order(names, NULL, joint_tallies_is_never_number, codes) == count;
    for (size_t i = 0; done && i < count; i++) columns[i] = before[codes[i]];
    crd_i_dictionary_destroy(names);
    crd_free(context, codes);
    crd_free(context, before);
    return done;
}

void crd_i_joint_tallies_destroy(crd_context *context, crd_i_model_joint_tally *kept) {
    crd_i_joint_tally_destroy(kept->joint_tally);
    crd_free(context, kept->columns);
    kept->joint_tally = NULL;
    kept->columns = NULL;
}

/* Creates a joint tally of these columns, sorted by name. Takes over `columns` in any case. */
static crd_status joint_tallies_create(const crd_model *model, const crd_i_joint_tally_type *type, size_t *columns,
                                       size_t count, crd_i_model_joint_tally *out, crd_error *error) {
    crd_i_model_joint_tally kept = {NULL, columns, count == model->schema->count - 1, false};
    for (size_t i = 0; columns != NULL && type != &crd_i_kept_rows && i < count; i++) {
        if (crd_i_model_column_type(model, columns[i]) != CRD_TYPE_TEXT) continue;
        crd_text name = model->schema->columns[columns[i]].name;
        crd_free(model->context, columns);
        return crd_i_fail_text(error, name, "joint statistics support");
    }
    if (columns != NULL && order_columns(model, columns, count)) kept.joint_tally = type->create(model->context, count);
    if (kept.joint_tally == NULL) {
        crd_i_joint_tallies_destroy(model->context, &kept);
        return crd_i_fail_memory(error);
    }
    *out = kept;
    return CRD_OK;
}

static size_t joint_tallies_place(const crd_i_joint_tally_type *type) {
    size_t i = 0;
    while (crd_i_joint_tally_type_at(i) != type) i++;
    return i;
}

/* Compares two joint tallies by their storage order. The models must have the same columns. */
static int joint_tallies_compare(const crd_model *a_model, const crd_i_model_joint_tally *a, const crd_model *b_model,
                                 const crd_i_model_joint_tally *b) {
    if (a->joint_tally->type != b->joint_tally->type)
        return joint_tallies_place(a->joint_tally->type) < joint_tallies_place(b->joint_tally->type) ? -1 : 1;
    if (a->covers_all != b->covers_all) return a->covers_all ? -1 : 1;
    size_t a_count = a->joint_tally->column_count, b_count = b->joint_tally->column_count;
    int order = 0;
    for (size_t i = 0; order == 0 && i < a_count && i < b_count; i++)
        order = crd_i_text_compare(joint_tallies_name(a_model, a, i), joint_tallies_name(b_model, b, i));
    return order != 0 ? order : (a_count > b_count) - (a_count < b_count);
}

/* ---- All joint tallies ---- */

void crd_i_joint_tallies_clear(crd_model *model) {
    for (size_t i = 0; i < model->joint_tally_count; i++)
        crd_i_joint_tallies_destroy(model->context, &model->joint_tallies[i]);
    crd_free(model->context, model->joint_tallies);
    model->joint_tallies = NULL;
    model->joint_tally_count = 0;
}

/* Joint tallies to be added to a model. */
typedef struct tallies_additions {
    crd_i_model_joint_tally *items;
    size_t count, capacity;
} tallies_additions;

static crd_status joint_tallies_add(const crd_model *model, tallies_additions *additions,
                                    const crd_i_joint_tally_type *type, size_t *columns, size_t count,
                                    crd_error *error) {
    if (!crd_i_reserve(model->context, &additions->items, &additions->capacity, additions->count + 1,
                       sizeof *additions->items)) {
        crd_free(model->context, columns);
        return crd_i_fail_memory(error);
    }
    crd_status status = joint_tallies_create(model, type, columns, count, &additions->items[additions->count], error);
    if (status == CRD_OK) additions->count++;
    return status;
}

static crd_status add_of_all(const crd_model *model, tallies_additions *additions, const crd_i_joint_tally_type *type,
                             crd_error *error) {
    size_t *columns = crd_i_alloc(model->context, model->schema->count, sizeof *columns);
    size_t count = 0;
    for (size_t i = 0; columns != NULL && i < model->schema->count; i++)
        if (i != model->schema->target) columns[count++] = i;
    return joint_tallies_add(model, additions, type, columns, count, error);
}

/* Inserts a joint tally at its place in a list with enough memory. If the list contains an equal one, destroys it
 * instead. */
static void joint_tallies_insert(const crd_model *model, crd_i_model_joint_tally *list, size_t *count,
                                 crd_i_model_joint_tally *one) {
    size_t index = *count;
    int order = 1;
    while (index > 0 && (order = joint_tallies_compare(model, &list[index - 1], model, one)) > 0) index--;
    if (index > 0 && order == 0) {
        list[index - 1].is_for_open_type = list[index - 1].is_for_open_type || one->is_for_open_type;
        crd_i_joint_tallies_destroy(model->context, one);
        return;
    }
    memmove(list + index + 1, list + index, (*count - index) * sizeof *list);
    list[index] = *one;
    ++*count;
}

/* Adds the joint tallies to the model if `status` is CRD_OK, otherwise destroys them. Frees the list. */
static crd_status joint_tallies_settle(crd_model *model, tallies_additions *additions, crd_status status,
                                       crd_error *error) {
    crd_context *context = model->context;
    crd_i_model_joint_tally *list = NULL;
    if (status == CRD_OK && additions->count > 0) {
        list = crd_i_alloc(context, model->joint_tally_count + additions->count, sizeof *list);
        if (list == NULL) status = crd_i_fail_memory(error);
    }
    if (list != NULL) {
        size_t count = model->joint_tally_count;
        if (count > 0) memcpy(list, model->joint_tallies, count * sizeof *list);
        for (size_t i = 0; i < additions->count; i++) joint_tallies_insert(model, list, &count, &additions->items[i]);
        crd_free(context, model->joint_tallies);
        model->joint_tallies = list;
        model->joint_tally_count = count;
    } else {
        for (size_t i = 0; i < additions->count; i++) crd_i_joint_tallies_destroy(context, &additions->items[i]);
    }
    crd_free(context, additions->items);
    return status;
}

crd_status crd_i_joint_tallies_keep(crd_model *model, uint32_t types, crd_error *error) {
    tallies_additions additions = {0};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_i_joint_tally_type_count(); i++)
        if ((types >> i & 1) != 0) status = add_of_all(model, &additions, crd_i_joint_tally_type_at(i), error);
    return joint_tallies_settle(model, &additions, status, error);
}

crd_status crd_i_joint_tallies_keep_like(crd_model *model, const crd_model *like, crd_error *error) {
    tallies_additions additions = {0};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < like->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &like->joint_tallies[i];
        size_t count = kept->joint_tally->column_count;
        size_t *columns = crd_i_alloc(model->context, count, sizeof *columns);
        if (columns != NULL && count > 0) memcpy(columns, kept->columns, count * sizeof *columns);
        status = joint_tallies_add(model, &additions, kept->joint_tally->type, columns, count, error);
        if (status == CRD_OK) additions.items[additions.count - 1].is_for_open_type = kept->is_for_open_type;
    }
    if (status == CRD_OK) crd_i_joint_tallies_clear(model);
    return joint_tallies_settle(model, &additions, status, error);
}

/* ---- Statistics needed by the settings ---- */

/* The joint tallies of all attributes that each method needs, in addition to those needed by other settings. */
typedef struct method_reads {
    bool cross, pairs, rows;
} method_reads;

static const method_reads reads_of_methods[CRD_I_METHOD_COUNT] = {
    [CRD_I_METHOD_AODE] = {.pairs = true},    [CRD_I_METHOD_PAIRWISE] = {.pairs = true, .rows = true},
    [CRD_I_METHOD_TREES] = {.rows = true},    [CRD_I_METHOD_BAGGING] = {.rows = true},
    [CRD_I_METHOD_BOOSTING] = {.rows = true}, [CRD_I_METHOD_STACKING] = {.cross = true, .pairs = true, .rows = true},
};

/* Returns whether the calibration is fitted to rows. */
static bool is_calibrated_by_rows(const crd_settings *settings) {
    return settings->calibration == CRD_I_CALIBRATION_ISOTONIC || settings->calibration == CRD_I_CALIBRATION_PLATT;
}

/* Returns whether the settings need stored training rows. */
static bool reads_rows(const crd_settings *settings) {
    crd_i_together together = crd_i_settings_together(settings);
    bool takes_numbers = together != CRD_I_TOGETHER_NONE && together != CRD_I_TOGETHER_CATEGORIES;
    return reads_of_methods[settings->method].rows || settings->attribute_weights_fitted ||
           is_calibrated_by_rows(settings) || settings->is_joint_mixture ||
           (takes_numbers && crd_i_joint_named("normal")->asks_rows(settings));
}

bool crd_i_joint_tallies_are_idle(const crd_settings *settings) {
    return settings->method == CRD_I_METHOD_NAIVE && crd_i_settings_together(settings) == CRD_I_TOGETHER_NONE &&
           !settings->attribute_weights_fitted && !is_calibrated_by_rows(settings);
}

static crd_status fail_block(crd_error *error, crd_text name, const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "the setting joint lists '%s' in a block, %s", crd_i_quote(name, quoted),
               description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Finds the columns of a block: begin .. end - 1 of the columns that the settings name. */
static crd_status joint_tallies_find_block(const crd_model *model, size_t begin, size_t end, size_t **out,
                                           crd_error *error) {
    size_t *columns = crd_i_alloc(model->context, end - begin, sizeof *columns);
    *out = columns;
    if (columns == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = begin; status == CRD_OK && i < end; i++) {
        crd_text name = crd_i_dictionary_text(model->settings->joint_columns, i);
        columns[i - begin] = crd_i_schema_find(model->schema, name);
        if (columns[i - begin] == SIZE_MAX) status = fail_block(error, name, "but the column does not exist");
        else if (columns[i - begin] == model->schema->target) status = fail_block(error, name, "but it is the target");
    }
    if (status == CRD_OK) return CRD_OK;
    crd_free(model->context, columns);
    *out = NULL;
    return status;
}

/* Adds the joint tallies of a block. The types of its columns may be unknown until cells are read, so tallies for both
 * types are stored. Mixtures are fitted to the rows of the block. */
static crd_status joint_tallies_add_block(const crd_model *model, tallies_additions *additions, size_t block,
                                          crd_error *error) {
    const crd_i_joint_tally_type *const types[] = {&crd_i_joint_counts, &crd_i_cross_moments, &crd_i_kept_rows};
    const crd_settings *settings = model->settings;
    size_t count = settings->is_joint_mixture ? 3 : 2;
    size_t begin = block == 0 ? 0 : settings->joint_ends[block - 1], end = settings->joint_ends[block];
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        size_t *columns;
        status = joint_tallies_find_block(model, begin, end, &columns, error);
        if (status == CRD_OK) status = joint_tallies_add(model, additions, types[i], columns, end - begin, error);
    }
    return status;
}

static crd_status joint_tallies_add_family(const crd_model *model, tallies_additions *additions,
                                           const crd_i_joint_tally_type *type, const size_t *members, size_t count,
                                           crd_error *error) {
    size_t *columns = crd_i_alloc(model->context, count, sizeof *columns);
    if (columns != NULL) memcpy(columns, members, count * sizeof *columns);
    return joint_tallies_add(model, additions, type, columns, count, error);
}

/* Adds the joint tallies from which the CPTs of a network are estimated. The type of a node may be unknown until cells
 * are read; then tallies for both types are stored. If only_open, adds only the tallies that files omit. */
static crd_status add_families(const crd_model *model, tallies_additions *additions, bool only_open, crd_error *error) {
    crd_i_family_blocks blocks;
    crd_status status = crd_i_family_blocks_open(model, &blocks, error);
    for (size_t i = 0, begin = 0; status == CRD_OK && i < blocks.count; begin = blocks.ends[i++]) {
        const size_t *members = blocks.columns + begin, count = blocks.ends[i] - begin;
        const crd_column_type type = blocks.types[i];
        if (type != CRD_TYPE_NUMERIC && !only_open)
            status = joint_tallies_add_family(model, additions, &crd_i_joint_counts, members, count, error);
        if (status != CRD_OK || type == CRD_TYPE_CATEGORICAL || (only_open && type != CRD_TYPE_NONE)) continue;
        status = joint_tallies_add_family(model, additions, &crd_i_group_moments, members, count, error);
        if (status == CRD_OK) additions->items[additions->count - 1].is_for_open_type = type == CRD_TYPE_NONE;
    }
    crd_i_family_blocks_close(&blocks);
    return status;
}

crd_status crd_i_joint_tallies_keep_by_settings(crd_model *model, crd_error *error) {
    const crd_settings *settings = model->settings;
    crd_i_together together = crd_i_settings_together(settings);
    const method_reads *method = &reads_of_methods[settings->method];
    bool is_all = together == CRD_I_TOGETHER_ALL;
    size_t dependence;
    const struct {
        const crd_i_joint_tally_type *type;
        bool is_read;
    } reads[] = {{&crd_i_joint_counts, is_all || together == CRD_I_TOGETHER_CATEGORIES},
                 {&crd_i_cross_moments, is_all || together == CRD_I_TOGETHER_NUMBERS || method->cross},
                 {&crd_i_pair_counts, method->pairs},
                 {&crd_i_kept_rows, reads_rows(settings)},
                 {&crd_i_kept_table, crd_i_settings_estimator(settings) != CRD_I_ESTIMATOR_COUNTS ||
                                         crd_i_settings_search(settings, &dependence) != CRD_I_SEARCH_NONE}};
    tallies_additions additions = {0};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < sizeof reads / sizeof *reads; i++)
        if (reads[i].is_read) status = add_of_all(model, &additions, reads[i].type, error);
    size_t blocks = together == CRD_I_TOGETHER_BLOCKS ? settings->joint_count : 0;
    for (size_t i = 0; status == CRD_OK && i < blocks; i++)
        status = joint_tallies_add_block(model, &additions, i, error);
    if (status == CRD_OK && settings->method == CRD_I_METHOD_NETWORK)
        status = add_families(model, &additions, false, error);
    return joint_tallies_settle(model, &additions, status, error);
}

/* Returns whether the joint tally is omitted from files: see is_for_open_type. */
static bool joint_tallies_is_unwritten(const crd_i_model_joint_tally *kept) {
    if (!kept->is_for_open_type || kept->joint_tally->is_dropped) return false;
    for (size_t i = 0; i < kept->joint_tally->column_count; i++)
        if (kept->joint_tally->types[i] == CRD_TYPE_NUMERIC) return false;
    return true;
}

/* Adds the omitted joint tallies. A structure that names columns that the model lacks needs none. */
crd_status crd_i_joint_tallies_complete(crd_model *model, crd_error *error) {
    tallies_additions additions = {0};
    if (model->settings->method != CRD_I_METHOD_NETWORK) return CRD_OK;
    const size_t before = model->joint_tally_count;
    crd_status status = add_families(model, &additions, true, NULL);
    if (status != CRD_ERROR_MEMORY) status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < additions.count; i++)
        if (!crd_i_joint_tallies_settle_columns(model, &additions.items[i])) status = CRD_ERROR_MEMORY;
    if (status == CRD_ERROR_MEMORY) status = crd_i_fail_memory(error);
    status = joint_tallies_settle(model, &additions, status, error);
    /* All earlier joint tallies were in the file, so none of them may be one that files omit. */
    size_t unwritten = 0;
    for (size_t i = 0; i < model->joint_tally_count; i++)
        unwritten += joint_tallies_is_unwritten(&model->joint_tallies[i]);
    if (status != CRD_OK || before + unwritten == model->joint_tally_count) return status;
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "a joint statistic is stored that is always derived");
}

/* ---- Two models ---- */

/* Reports a joint tally that only one of two models stores. */
static crd_status fail_different(const crd_model *model, const crd_i_model_joint_tally *kept, crd_error *error) {
    const char *name = kept->joint_tally->type->name;
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
               "only one model stores the statistic '%s' of %s: train the other again with this statistic%s", name,
               kept->covers_all ? "all attributes" : "joint densities", kept->covers_all ? "" : ", these: ");
    for (size_t i = 0; !kept->covers_all && i < kept->joint_tally->column_count; i++)
        crd_i_error_item(error, i, joint_tallies_name(model, kept, i));
    if (kept->covers_all) crd_i_error_hint(error, "train it with keep-statistics=%s", name);
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SCHEMA_DIFFERS;
}

crd_status crd_i_joint_tallies_check_same(const crd_model *model, const crd_model *other, crd_error *error) {
    size_t i = 0;
    int order = 0;
    while (i < model->joint_tally_count && i < other->joint_tally_count && order == 0) {
        order = joint_tallies_compare(model, &model->joint_tallies[i], other, &other->joint_tallies[i]);
        if (order == 0) i++;
    }
    if (i == model->joint_tally_count && i == other->joint_tally_count) return CRD_OK;
    bool is_mine = i < model->joint_tally_count && (i == other->joint_tally_count || order < 0);
    return is_mine ? fail_different(model, &model->joint_tallies[i], error)
                   : fail_different(other, &other->joint_tallies[i], error);
}

/* ---- Views for classifiers ---- */

crd_status crd_i_joint_tallies_open(const crd_model *model, const crd_i_model_joint_tally *kept,
                                    const crd_i_schema_view *schema_view, crd_i_joint_source *out, crd_error *error) {
    crd_context *context = model->context;
    size_t count = kept->joint_tally->column_count;
    const crd_i_view *classes = &schema_view->views[model->schema->target];
    crd_i_view *columns = crd_i_alloc(context, count, sizeof *columns);
    crd_text *names = crd_i_alloc(context, count, sizeof *names);
    double *class_counts = crd_i_alloc(context, classes->value_count, sizeof *class_counts);
    crd_i_joint_source joint_source = {.joint_tally = kept->joint_tally,
                                       .view = {classes->values, classes->value_count, columns},
                                       .names = names,
                                       .class_counts = class_counts};
    *out = joint_source;
    if (columns == NULL || names == NULL || class_counts == NULL) {
        crd_i_joint_tallies_close(out);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        columns[i] = schema_view->views[kept->columns[i]];
        names[i] = joint_tallies_name(model, kept, i);
    }
    for (size_t i = 0; i < classes->value_count; i++)
        class_counts[i] = crd_i_model_class_rows(model, (size_t)classes->values[i]);
    return CRD_OK;
}

void crd_i_joint_tallies_close(crd_i_joint_source *joint_source) {
    if (joint_source->joint_tally == NULL) return;
    crd_context *context = joint_source->joint_tally->context;
    crd_free(context, (void *)joint_source->view.columns);
    crd_free(context, (void *)joint_source->names);
    crd_free(context, (void *)joint_source->class_counts);
    crd_i_joint_source none = {.joint_tally = NULL};
    *joint_source = none;
}

const crd_i_model_joint_tally *crd_i_joint_tallies_whole(const crd_model *model, const crd_i_joint_tally_type *type) {
    for (size_t i = 0; i < model->joint_tally_count; i++)
        if (model->joint_tallies[i].covers_all && model->joint_tallies[i].joint_tally->type == type)
            return &model->joint_tallies[i];
    return NULL;
}

crd_status crd_i_joint_tallies_rows(const crd_model *model, const crd_i_model_joint_tally *kept,
                                    const crd_i_schema_view *schema_view, crd_i_sample *out, crd_error *error) {
    crd_i_joint_source source = {0};
    *out = (crd_i_sample){.context = model->context};
    crd_status status = crd_i_joint_tallies_open(model, kept, schema_view, &source, error);
    if (status == CRD_OK && !crd_i_sample_init(out, model->context, kept->joint_tally, &source.view))
        status = crd_i_fail_memory(error);
    crd_i_joint_tallies_close(&source);
    return status;
}

/* ======== 4. Model files ========
 *
 * docs/model-file.md describes the bytes. */

/* Bits of the byte that describes a joint tally. */
enum { COVERS_ALL = 1, GIVEN_UP = 2 };

/* Writes the column numbers. A joint tally of all attributes has none, so it does not depend on the layout of a
 * file. */
static void write_columns(const crd_i_model_joint_tally *kept, crd_i_encoder *encoder) {
    size_t count = kept->covers_all ? 0 : kept->joint_tally->column_count;
    int marks = (kept->covers_all ? COVERS_ALL : 0) | (kept->joint_tally->is_dropped ? GIVEN_UP : 0);
    crd_i_encode_u8(encoder, (uint8_t)marks);
    crd_i_encode_u32(encoder, (uint32_t)count);
    for (size_t i = 0; i < count; i++) crd_i_encode_u32(encoder, (uint32_t)kept->columns[i]);
}

void crd_i_joint_tallies_write(const crd_model *model, const crd_i_schema_view *schema_view, crd_i_encoder *encoder) {
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        crd_i_joint_source seen;
        if (joint_tallies_is_unwritten(kept)) continue;
        if (crd_i_joint_tallies_open(model, kept, schema_view, &seen, NULL) != CRD_OK) {
            encoder->failed = true;
            return;
        }
        size_t begun = crd_i_section_begin(encoder, crd_i_tag_joint_tally, CRD_I_FILE_VERSION, true);
        crd_i_encode_text(encoder, crd_text_of(kept->joint_tally->type->name));
        write_columns(kept, encoder);
        if (!kept->joint_tally->is_dropped) kept->joint_tally->type->write(kept->joint_tally, &seen.view, encoder);
        crd_i_section_end(encoder, begun);
        crd_i_joint_tallies_close(&seen);
    }
}

static crd_status joint_file_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "%s", description);
}

/* Reads the description and the columns of a joint tally. The caller frees *out, even on failure. */
static crd_status joint_file_read_columns(const crd_model *model, crd_i_cursor *cursor, size_t **out, size_t *count,
                                          bool *is_dropped, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    uint8_t marks = crd_i_decode_u8(cursor);
    uint32_t stated = crd_i_decode_u32(cursor);
    bool covers_all = (marks & COVERS_ALL) != 0;
    *is_dropped = (marks & GIVEN_UP) != 0;
    *count = covers_all ? schema->count - 1 : stated;
    if (cursor->failed || marks > (COVERS_ALL | GIVEN_UP) ||
        (covers_all ? stated != 0 : stated < 2 || stated >= schema->count - 1))
        return joint_file_damaged(error, "the columns of a joint statistic are invalid");
    size_t *columns = crd_i_alloc(model->context, *count, sizeof *columns);
    *out = columns;
    if (columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < *count; i++) {
        if (covers_all) columns[i] = i < schema->target ? i : i + 1;
        else columns[i] = crd_i_decode_u32(cursor);
        if (cursor->failed || columns[i] >= schema->count || columns[i] == schema->target)
            return joint_file_damaged(error, "a column of a joint statistic is not an attribute");
        bool is_behind = covers_all || i == 0 ||
                         crd_i_text_compare(schema->columns[columns[i - 1]].name, schema->columns[columns[i]].name) < 0;
        if (!is_behind) return joint_file_damaged(error, "a joint statistic's columns are not in order");
    }
    return CRD_OK;
}

bool crd_i_joint_tallies_settle_columns(const crd_model *model, const crd_i_model_joint_tally *kept) {
    crd_i_joint_tally *joint_tally = kept->joint_tally;
    for (size_t i = 0; i < joint_tally->column_count; i++) {
        const crd_i_tally *tally = model->variables[kept->columns[i]].tally;
        if (tally == NULL || crd_i_tally_is_empty(tally)) continue;
        if (!joint_tally->type->settle(joint_tally, i, tally->type->type)) return false;
    }
    return joint_tallies_extend(model, kept, joint_tally);
}

/* Reads the content of a joint tally. A dropped one has no content. */
static crd_status joint_file_read_content(const crd_model *model, crd_i_model_joint_tally *kept, bool is_dropped,
                                          crd_i_cursor *cursor, crd_error *error) {
    const crd_i_joint_tally_type *type = kept->joint_tally->type;
    if (!is_dropped)
        return crd_i_joint_tallies_settle_columns(model, kept) ? type->read(kept->joint_tally, cursor, error)
                                                               : crd_i_fail_memory(error);
    kept->joint_tally->is_dropped = true;
    bool can_be = type->refuse != NULL && !crd_i_tally_is_empty(crd_i_model_target(model)->tally);
    return can_be ? CRD_OK
                  : joint_file_damaged(error, "a joint statistic is marked as too large, but has no size limit");
}

/* Appends a joint tally to the model. CRD_ERROR_DAMAGED: it does not come after the last one. */
static crd_status joint_file_append(crd_model *model, const crd_i_model_joint_tally *kept, crd_error *error) {
    size_t count = model->joint_tally_count;
    if (count > 0 && joint_tallies_compare(model, &model->joint_tallies[count - 1], model, kept) >= 0)
        return joint_file_damaged(error, "its joint tallies are not in order");
    crd_i_model_joint_tally *list = crd_i_alloc(model->context, count + 1, sizeof *list);
    if (list == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) list[i] = model->joint_tallies[i];
    list[count] = *kept;
    crd_free(model->context, model->joint_tallies);
    model->joint_tallies = list;
    model->joint_tally_count = count + 1;
    return CRD_OK;
}

crd_status crd_i_joint_tallies_read(crd_model *model, crd_i_cursor *cursor, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    const crd_i_joint_tally_type *type = crd_i_joint_tally_type_named(name);
    char quoted[CRD_I_QUOTED_ROOM];
    if (cursor->failed) return joint_file_damaged(error, "a joint statistic is too short");
    if (type == NULL)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW,
                          "the model has the statistic '%s', which this version does not support",
                          crd_i_quote(name, quoted));
    size_t *columns = NULL, count = 0;
    bool is_dropped;
    crd_i_model_joint_tally kept;
    crd_status status = joint_file_read_columns(model, cursor, &columns, &count, &is_dropped, error);
    if (status != CRD_OK) {
        crd_free(model->context, columns);
        return status;
    }
    status = joint_tallies_create(model, type, columns, count, &kept, error);
    if (status == CRD_ERROR_COLUMN) return joint_file_damaged(error, "a joint statistic has a text column");
    if (status != CRD_OK) return status;
    status = joint_file_read_content(model, &kept, is_dropped, cursor, error);
    if (status == CRD_OK) status = joint_file_append(model, &kept, error);
    if (status != CRD_OK) crd_i_joint_tallies_destroy(model->context, &kept);
    return status;
}
