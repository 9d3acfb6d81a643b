/* SPDX-License-Identifier: MIT */
/* joint_tallies.c - the joint tallies that a model stores, and views of them: see joint_tallies.h. */
#include "model/joint_tallies.h"
#include "model/structure_binding.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/text_refusal.h"

#include <string.h>

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

crd_status crd_i_joint_tallies_create(const crd_model *model, const crd_i_joint_tally_type *type, size_t *columns,
                                      size_t count, crd_i_model_joint_tally *out, crd_error *error) {
    crd_i_model_joint_tally kept = {NULL, columns, count == model->schema->count - 1, false};
    for (size_t i = 0; columns != NULL && type != &crd_i_kept_rows && i < count; i++) {
        if (crd_i_model_column_kind(model, columns[i]) != CRD_KIND_TEXT) continue;
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

int crd_i_joint_tallies_compare(const crd_model *a_model, const crd_i_model_joint_tally *a, const crd_model *b_model,
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
    crd_status status =
        crd_i_joint_tallies_create(model, type, columns, count, &additions->items[additions->count], error);
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
    while (index > 0 && (order = crd_i_joint_tallies_compare(model, &list[index - 1], model, one)) > 0) index--;
    if (index > 0 && order == 0) {
        list[index - 1].is_for_open_kind = list[index - 1].is_for_open_kind || one->is_for_open_kind;
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
        if (status == CRD_OK) additions.items[additions.count - 1].is_for_open_kind = kept->is_for_open_kind;
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
    [CRD_I_METHOD_A1DE] = {.pairs = true},
    [CRD_I_METHOD_PAIRS] = {.pairs = true, .rows = true},
    [CRD_I_METHOD_BAGGING] = {.rows = true},
    [CRD_I_METHOD_BOOSTING] = {.rows = true},
    [CRD_I_METHOD_COMMITTEE] = {.cross = true, .pairs = true, .rows = true},
};

/* Returns whether the calibration is fitted to rows. */
static bool is_calibrated_by_rows(const crd_settings *settings) {
    return settings->calibration == CRD_I_CALIBRATION_ISOTONIC || settings->calibration == CRD_I_CALIBRATION_SCALING;
}

/* Returns whether the settings need stored training rows. */
static bool reads_rows(const crd_settings *settings) {
    crd_i_together together = crd_i_settings_together(settings);
    bool takes_numbers = together != CRD_I_TOGETHER_NONE && together != CRD_I_TOGETHER_CATEGORIES;
    return reads_of_methods[settings->method].rows || settings->exponents_fitted || is_calibrated_by_rows(settings) ||
           settings->normal == CRD_I_NORMAL_MIXTURE ||
           (takes_numbers && crd_i_joint_named("normal")->asks_rows(settings));
}

bool crd_i_joint_tallies_are_idle(const crd_settings *settings) {
    return settings->method == CRD_I_METHOD_NAIVE && crd_i_settings_together(settings) == CRD_I_TOGETHER_NONE &&
           !settings->exponents_fitted && !is_calibrated_by_rows(settings);
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

/* Adds the joint tallies of a block. The kinds of its columns may be unknown until cells are read, so tallies for both
 * kinds are stored. Mixtures are fitted to the rows of the block. */
static crd_status joint_tallies_add_block(const crd_model *model, tallies_additions *additions, size_t block,
                                          crd_error *error) {
    const crd_i_joint_tally_type *const types[] = {&crd_i_joint_counts, &crd_i_cross_moments, &crd_i_kept_rows};
    const crd_settings *settings = model->settings;
    size_t count = settings->normal == CRD_I_NORMAL_MIXTURE ? 3 : 2;
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

/* Adds the joint tallies from which the CPTs of a network are estimated. The kind of a node may be unknown until cells
 * are read; then tallies for both kinds are stored. If only_open, adds only the tallies that files omit. */
static crd_status add_families(const crd_model *model, tallies_additions *additions, bool only_open, crd_error *error) {
    crd_i_family_blocks blocks;
    crd_status status = crd_i_family_blocks_open(model, &blocks, error);
    for (size_t i = 0, begin = 0; status == CRD_OK && i < blocks.count; begin = blocks.ends[i++]) {
        const size_t *members = blocks.columns + begin, count = blocks.ends[i] - begin;
        const crd_kind kind = blocks.kinds[i];
        if (kind != CRD_KIND_NUMBER && !only_open)
            status = joint_tallies_add_family(model, additions, &crd_i_joint_counts, members, count, error);
        if (status != CRD_OK || kind == CRD_KIND_CATEGORY || (only_open && kind != CRD_KIND_NONE)) continue;
        status = joint_tallies_add_family(model, additions, &crd_i_group_moments, members, count, error);
        if (status == CRD_OK) additions->items[additions->count - 1].is_for_open_kind = kind == CRD_KIND_NONE;
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

bool crd_i_joint_tallies_is_unwritten(const crd_i_model_joint_tally *kept) {
    if (!kept->is_for_open_kind || kept->joint_tally->is_given_up) return false;
    for (size_t i = 0; i < kept->joint_tally->column_count; i++)
        if (kept->joint_tally->kinds[i] == CRD_KIND_NUMBER) return false;
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
        unwritten += crd_i_joint_tallies_is_unwritten(&model->joint_tallies[i]);
    if (status != CRD_OK || before + unwritten == model->joint_tally_count) return status;
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "a joint tally is stored that is always derived");
}

/* ---- Two models ---- */

/* Reports a joint tally that only one of two models stores. */
static crd_status fail_different(const crd_model *model, const crd_i_model_joint_tally *kept, crd_error *error) {
    const char *name = kept->joint_tally->type->name;
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
               "only one model stores the tally '%s' of %s: train the other again with this tally%s", name,
               kept->covers_all ? "all attributes" : "joint densities", kept->covers_all ? "" : ", these: ");
    for (size_t i = 0; !kept->covers_all && i < kept->joint_tally->column_count; i++)
        crd_i_error_item(error, i, joint_tallies_name(model, kept, i));
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SCHEMA_DIFFERS;
}

crd_status crd_i_joint_tallies_check_same(const crd_model *model, const crd_model *other, crd_error *error) {
    size_t i = 0;
    int order = 0;
    while (i < model->joint_tally_count && i < other->joint_tally_count && order == 0) {
        order = crd_i_joint_tallies_compare(model, &model->joint_tallies[i], other, &other->joint_tallies[i]);
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
