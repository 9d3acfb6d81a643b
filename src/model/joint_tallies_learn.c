/* SPDX-License-Identifier: MIT */
/* joint_tallies_learn.c - adds rows to the joint tallies of a model, and combines the joint tallies of two models: see
 * joint_tallies.h. */
#include "model/joint_tallies.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/bag.h"

#include <string.h>

/* ---- Rows ---- */

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
        counts[i] = joint_tally->kinds[i] == CRD_KIND_CATEGORY ? crd_i_dictionary_size(values) : 0;
    }
    if (!joint_tally->type->extend(joint_tally, class_count, counts)) return false;
    if (joint_tally->type->spell == NULL) return true;
    bool done = joint_learn_spell(joint_tally, SIZE_MAX, classes, known_classes, class_count);
    for (size_t i = 0; done && i < joint_tally->column_count; i++)
        if (counts[i] > known[i])
            done = joint_learn_spell(joint_tally, i, model->variables[kept->columns[i]].values, known[i], counts[i]);
    return done;
}

bool crd_i_joint_tallies_extend(const crd_model *model, const crd_i_model_joint_tally *kept,
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
    if (joint_tally->is_given_up) return CRD_OK;
    crd_i_cells *cells = crd_i_alloc(model->context, joint_tally->column_count, sizeof *cells);
    bool done = cells != NULL;
    for (size_t i = 0; done && i < joint_tally->column_count; i++) {
        cells[i] = offered->cells[kept->columns[i]];
        if (joint_tally->kinds[i] != CRD_KIND_NONE) continue;
        if (cells[i].texts != NULL) done = joint_tally->type->settle(joint_tally, i, CRD_KIND_TEXT);
        else if (cells[i].codes != NULL) done = joint_tally->type->settle(joint_tally, i, CRD_KIND_CATEGORY);
        else if (cells[i].numbers != NULL) done = joint_tally->type->settle(joint_tally, i, CRD_KIND_NUMBER);
    }
    crd_i_joint_tally_rows rows = {offered->rows, cells, conditions, weights};
    crd_status status = done && crd_i_joint_tallies_extend(model, kept, joint_tally)
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
    if (mine->is_given_up) return false;
    for (size_t i = 0; i < mine->column_count; i++)
        if (mine->kinds[i] == CRD_KIND_NONE && theirs->kinds[i] != CRD_KIND_NONE) return true;
    return false;
}

/* Copies a joint tally, and settles every column that is settled in the other. NULL: out of memory. */
static crd_i_joint_tally *clone_settled(const crd_i_joint_tally *mine, const crd_i_joint_tally *theirs) {
    crd_i_joint_tally *copy = mine->type->clone(mine);
    bool done = copy != NULL;
    for (size_t i = 0; done && i < mine->column_count; i++)
        if (copy->kinds[i] == CRD_KIND_NONE && theirs->kinds[i] != CRD_KIND_NONE)
            done = copy->type->settle(copy, i, theirs->kinds[i]);
    if (done) return copy;
    crd_i_joint_tally_destroy(copy);
    return NULL;
}

static crd_status fail_unsettle(const crd_model *model, const crd_i_model_joint_tally *kept, size_t column,
                                crd_error *error) {
    crd_text name = model->schema->columns[kept->columns[column]].name;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_CANNOT_FORGET,
               "no remaining row would have a value in '%s', and the tally '%s' stores nothing about rows without a "
               "value there. Learn the remaining rows in a new model",
               crd_i_quote(name, quoted), kept->joint_tally->type->name);
    crd_i_error_subject(error, name);
    return CRD_ERROR_CANNOT_FORGET;
}

/* Reports combinations that were not learned. If a single cell were unknown, the model's column tallies would have
 * reported it. */
static void fail_not_learned(const crd_i_joint_tally *joint_tally, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_NOT_LEARNED,
               "these rows were not all learned: their values were, but not in these combinations (tally '%s')",
               joint_tally->type->name);
}

/* After forgetting, makes the joint tally equal to one that learned only the remaining rows. Without rows, it is
 * replaced by a new one; otherwise the kinds of columns without cells are reset. */
static crd_status joint_learn_unsettle(const crd_model *model, const crd_i_model_joint_tally *kept,
                                       crd_i_joint_tally **joint, crd_error *error) {
    crd_i_joint_tally *left = *joint;
    if (crd_i_tally_is_empty(crd_i_model_target(model)->tally)) {
        *joint = left->type->create(left->context, left->column_count);
        crd_i_joint_tally_destroy(left);
        return *joint == NULL ? crd_i_fail_memory(error) : CRD_OK;
    }
    for (size_t i = 0; i < left->column_count; i++) {
        if (left->kinds[i] == CRD_KIND_NONE || !crd_i_tally_is_empty(model->variables[kept->columns[i]].tally))
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
    crd_status status =
        mine->is_given_up || crd_i_joint_tallies_extend(model, kept, mine) ? CRD_OK : crd_i_fail_memory(error);
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
        bool is_category = theirs->joint_tally->kinds[i] == CRD_KIND_CATEGORY;
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
