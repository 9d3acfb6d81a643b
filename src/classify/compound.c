/* compound.c - see compound.h. */
#include "classify/compound.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "ensemble/bagging_boosting.h"
#include "ensemble/stacking.h"
#include "fit/attribute_weights.h"
#include "fit/held_out.h"
#include "model/model_bundles.h"
#include "stats/kept_rows.h"

#include <stdio.h>
#include <string.h>

/* ---- Deriving ---- */

static crd_status fail_not_kept(const char *what, const char *tally, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SETTING, "%s needs the tally '%s', which the model has not kept", what, tally);
    crd_i_error_hint(error, "train it with %s, or with tally=%s", what, tally);
    crd_i_error_subject(error, crd_text_of(tally));
    return CRD_ERROR_SETTING;
}

static size_t find_attribute(const crd_classifier *classifier, crd_text name) {
    size_t i = 0;
    while (i < classifier->attribute_count && !crd_text_equal(classifier->attributes[i].name, name)) i++;
    return i;
}

/* Takes over the joint density, also when it fails. */
static crd_status add_joint(crd_classifier *classifier, crd_i_joint *joint, const crd_text *names, crd_error *error) {
    crd_i_compound *compound = classifier->compound;
    size_t *attributes = crd_i_alloc(compound->context, joint->column_count, sizeof *attributes);
    crd_i_taken *joints = crd_i_alloc(compound->context, compound->joint_count + 1, sizeof *joints);
    if (attributes == NULL || joints == NULL) {
        crd_free(compound->context, attributes);
        crd_free(compound->context, joints);
        crd_i_joint_destroy(joint);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < joint->column_count; i++) {
        attributes[i] = find_attribute(classifier, names[i]);
        if (joint->takes[i]) compound->is_taken[attributes[i]] = true;
    }
    for (size_t i = 0; i < compound->joint_count; i++) joints[i] = compound->joints[i];
    crd_free(compound->context, compound->joints);
    compound->joints = joints;
    const crd_i_taken added = {joint, attributes};
    joints[compound->joint_count++] = added;
    return CRD_OK;
}

/* The bundle of a type that covers all attributes; NULL: the model has not kept it. */
static const crd_i_model_bundle *find_whole(const crd_model *model, const crd_i_bundle_type *type) {
    for (size_t i = 0; i < model->bundle_count; i++)
        if (model->bundles[i].covers_all && model->bundles[i].bundle->type == type) return &model->bundles[i];
    return NULL;
}

/* Rows that the model has kept, with the columns of a bundle; closed with close_rows, which also takes one all zero. */
typedef struct kept_rows {
    crd_i_sample sample;
    crd_i_cells *columns;
    crd_i_bundle_rows rows;
} kept_rows;

static void close_rows(crd_context *context, kept_rows *rows) {
    crd_i_sample_clear(&rows->sample);
    crd_free(context, rows->columns);
}

static crd_status open_rows(crd_context *context, const crd_model *model, const crd_i_schema_view *order,
                            const crd_i_model_bundle *whole, const crd_i_model_bundle *kept, kept_rows *out,
                            crd_error *error) {
    crd_i_bundled bundled = {0};
    crd_status status = crd_i_bundles_open(model, whole, order, &bundled, error);
    if (status != CRD_OK) return status;
    size_t count = kept->bundle->column_count;
    out->columns = crd_i_alloc_zeroed(context, count, sizeof *out->columns);
    bool done = out->columns != NULL && crd_i_sample_init(&out->sample, context, whole->bundle, &bundled.view);
    for (size_t i = 0; done && i < count; i++)
        for (size_t j = 0; j < whole->bundle->column_count; j++)
            if (whole->columns[j] == kept->columns[i]) out->columns[i] = out->sample.columns[j];
    crd_i_bundles_close(&bundled);
    if (!done) return crd_i_fail_memory(error);
    const crd_i_bundle_rows rows = {out->sample.rows, out->columns, out->sample.conditions, out->sample.weights};
    out->rows = rows;
    return CRD_OK;
}

/* Fitted to kept rows where it is to be and they are there; what was fitted before stays so. */
static crd_status derive_from(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                              const crd_i_model_bundle *kept, const crd_i_joint_type *type, crd_i_bundled *bundled,
                              crd_i_joint **joint, crd_error *error) {
    const crd_i_model_bundle *whole = find_whole(model, &crd_i_rows_bundle);
    if (whole == NULL || type->asks_rows == NULL || !type->asks_rows(classifier->settings))
        return type->derive(classifier->context, bundled, classifier->settings, joint, error);
    char what[32];
    crd_i_compound *compound = classifier->compound;
    snprintf(what, sizeof what, "joint:%zu", compound->joint_count);
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, what, classifier->settings);
    if (known != NULL) {
        bundled->fitted = known->numbers;
        bundled->fitted_count = known->count;
    }
    kept_rows rows = {0};
    crd_status status = open_rows(classifier->context, model, order, whole, kept, &rows, error);
    bundled->rows = &rows.rows;
    if (status == CRD_OK) status = type->derive(classifier->context, bundled, classifier->settings, joint, error);
    size_t count = 0;
    const double *numbers = status == CRD_OK ? type->fitted(*joint, &count) : NULL;
    if (numbers != NULL && !crd_i_fit_cache_put(&compound->fitted, what, classifier->settings, numbers, count)) {
        crd_i_joint_destroy(*joint);
        status = crd_i_fail_memory(error);
    }
    close_rows(classifier->context, &rows);
    return status;
}

static crd_status derive_joint(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                               const crd_i_model_bundle *kept, const crd_i_joint_type *type, crd_error *error) {
    crd_i_bundled bundled = {0};
    crd_i_joint *joint = NULL;
    crd_status status = crd_i_bundles_open(model, kept, order, &bundled, error);
    if (status == CRD_OK && kept->bundle->is_given_up)
        status = kept->bundle->type->refuse(kept->bundle, &bundled.view, error);
    if (status == CRD_OK) status = derive_from(classifier, model, order, kept, type, &bundled, &joint, error);
    if (status == CRD_OK && !type->estimates(joint, &classifier->estimates)) {
        crd_i_joint_destroy(joint);
        status = crd_i_fail_memory(error);
    } else if (status == CRD_OK) {
        status = add_joint(classifier, joint, bundled.names, error);
    }
    crd_i_bundles_close(&bundled);
    return status;
}

/* The bundle of a type over the columns of a block. */
static const crd_i_model_bundle *find_block(const crd_model *model, const crd_settings *settings, size_t block,
                                            const crd_i_bundle_type *type) {
    size_t from = block == 0 ? 0 : settings->joint_ends[block - 1], count = settings->joint_ends[block] - from;
    for (size_t i = 0; i < model->bundle_count; i++) {
        const crd_i_model_bundle *kept = &model->bundles[i];
        if (kept->bundle->type != type || kept->bundle->column_count != count) continue;
        size_t same = 0;
        while (same < count && crd_text_equal(model->schema->columns[kept->columns[same]].name,
                                              crd_i_dictionary_text(settings->joint_columns, from + same)))
            same++;
        if (same == count) return kept;
    }
    return NULL;
}

static bool has_kind(const crd_model *model, const crd_i_model_bundle *kept, crd_kind kind) {
    for (size_t i = 0; i < kept->bundle->column_count; i++)
        if (crd_i_model_kind(model, kept->columns[i]) == kind) return true;
    return false;
}

static const crd_i_joint_type *type_for(const crd_settings *settings, crd_kind kind) {
    if (kind == CRD_KIND_CATEGORY) return crd_i_joint_named("table");
    return crd_i_joint_named(settings->normal == CRD_I_NORMAL_MIXTURE ? "normal-mixture" : "normal");
}

/* All attributes of a kind, if there are any. */
static crd_status derive_kind(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                              crd_kind kind, crd_error *error) {
    const crd_i_joint_type *type = type_for(classifier->settings, kind);
    const crd_i_model_bundle *kept = find_whole(model, type->reads);
    if (kept == NULL)
        return fail_not_kept(kind == CRD_KIND_NUMBER ? "joint=numbers" : "joint=categories", type->reads->name, error);
    return has_kind(model, kept, kind) ? derive_joint(classifier, model, order, kept, type, error) : CRD_OK;
}

static crd_status check_block(const crd_model *model, const crd_settings *settings, size_t block, crd_kind *kind,
                              crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *kind = CRD_KIND_NONE;
    for (size_t i = block == 0 ? 0 : settings->joint_ends[block - 1]; i < settings->joint_ends[block]; i++) {
        crd_text name = crd_i_dictionary_text(settings->joint_columns, i);
        size_t column = crd_i_schema_find(model->schema, name);
        if (column == SIZE_MAX || column == model->schema->target) {
            crd_i_fail(error, CRD_ERROR_SETTING, "joint names '%s', which is no attribute of the model",
                       crd_i_quote(name, quoted));
            crd_i_error_subject(error, crd_text_of("joint"));
            return CRD_ERROR_SETTING;
        }
        crd_kind found = crd_i_model_kind(model, column);
        if (*kind != CRD_KIND_NONE && found != CRD_KIND_NONE && found != *kind) {
            crd_i_fail(error, CRD_ERROR_SETTING,
                       "joint takes numbers together, or categories, and '%s' is a %s among %s",
                       crd_i_quote(name, quoted), found == CRD_KIND_NUMBER ? "number" : "category",
                       found == CRD_KIND_NUMBER ? "categories" : "numbers");
            crd_i_error_subject(error, crd_text_of("joint"));
            return CRD_ERROR_SETTING;
        }
        if (found != CRD_KIND_NONE) *kind = found;
    }
    return CRD_OK;
}

static crd_status derive_blocks(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                crd_error *error) {
    const crd_settings *settings = classifier->settings;
    crd_status status = CRD_OK;
    for (size_t block = 0; status == CRD_OK && block < settings->joint_count; block++) {
        crd_kind kind;
        status = check_block(model, settings, block, &kind, error);
        if (status != CRD_OK || kind == CRD_KIND_NONE) continue;
        const crd_i_joint_type *type = type_for(settings, kind);
        const crd_i_model_bundle *kept = find_block(model, settings, block, type->reads);
        bool is_mixture = type->reads == &crd_i_rows_bundle;
        if (kept == NULL)
            return fail_not_kept(is_mixture ? "joint=COLUMNS with normal=mixture" : "joint=COLUMNS", type->reads->name,
                                 error);
        status = derive_joint(classifier, model, order, kept, type, error);
    }
    return status;
}

static crd_status derive_joints(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                crd_error *error) {
    const crd_settings *settings = classifier->settings;
    crd_i_together together = crd_i_settings_together(settings);
    crd_status status = CRD_OK;
    if (settings->method == CRD_I_METHOD_A1DE) {
        const crd_i_joint_type *type = crd_i_joint_named("a1de");
        const crd_i_model_bundle *kept = find_whole(model, type->reads);
        if (kept == NULL) return fail_not_kept("method=a1de", type->reads->name, error);
        return derive_joint(classifier, model, order, kept, type, error);
    }
    if (together == CRD_I_TOGETHER_BLOCKS) return derive_blocks(classifier, model, order, error);
    if (together == CRD_I_TOGETHER_ALL || together == CRD_I_TOGETHER_NUMBERS)
        status = derive_kind(classifier, model, order, CRD_KIND_NUMBER, error);
    if (status == CRD_OK && (together == CRD_I_TOGETHER_ALL || together == CRD_I_TOGETHER_CATEGORIES))
        status = derive_kind(classifier, model, order, CRD_KIND_CATEGORY, error);
    return status;
}

static void measure_room(crd_classifier *classifier) {
    crd_i_compound *compound = classifier->compound;
    for (size_t i = 0; i < compound->joint_count; i++) {
        const crd_i_joint *joint = compound->joints[i].joint;
        size_t room = crd_i_joint_cells_room(joint->column_count) + joint->room;
        if (room > compound->room) compound->room = room;
    }
    if (classifier->class_count > compound->room) compound->room = classifier->class_count;
    if (compound->pairwise != NULL && crd_i_pairwise_room(compound->pairwise) > compound->room)
        compound->room = crd_i_pairwise_room(compound->pairwise);
    if (compound->network != NULL && crd_i_network_part_room(compound->network) > compound->room)
        compound->room = crd_i_network_part_room(compound->network);
    if (compound->pool != NULL && compound->pool->room > compound->room) compound->room = compound->pool->room;
}

/* What a file says may be anything that is finite; beyond these no fit ends. */
static bool are_exponents(const double *numbers, size_t count) {
    static const double MOST = 1e6;
    for (size_t i = 0; i < count; i++)
        if (!(numbers[i] >= 0 && numbers[i] <= MOST)) return false;
    return true;
}

/* The exponents that were fitted before, or that are fitted now. */
static crd_status derive_exponents(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                   crd_error *error) {
    static const char what[] = "exponents";
    crd_i_compound *compound = classifier->compound;
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, what, classifier->settings);
    size_t count = classifier->attribute_count;
    if (known != NULL && known->count == count && are_exponents(known->numbers, count)) {
        compound->exponents = crd_i_alloc(compound->context, count, sizeof *compound->exponents);
        if (compound->exponents == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < count; i++) compound->exponents[i] = known->numbers[i];
        return CRD_OK;
    }
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(model, classifier, order, "exponents=fitted", &inner, error);
    if (status == CRD_OK) status = crd_i_attribute_weights_fit(classifier, inner, &compound->exponents, error);
    crd_i_held_out_destroy(inner);
    if (status == CRD_OK &&
        !crd_i_fit_cache_put(&compound->fitted, what, classifier->settings, compound->exponents, count))
        status = crd_i_fail_memory(error);
    return status;
}

/* The calibration that was fitted before, or that is fitted now. */
static crd_status derive_calibration(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                     crd_error *error) {
    static const char what[] = "calibration";
    crd_i_compound *compound = classifier->compound;
    const crd_settings *settings = classifier->settings;
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, what, settings);
    if (known != NULL && !crd_i_calibration_restore(compound->context, settings->calibration, classifier->class_count,
                                                    known->numbers, known->count, &compound->calibration))
        return crd_i_fail_memory(error);
    if (compound->calibration != NULL) return CRD_OK;
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(model, classifier, order, "calibration=KIND", &inner, error);
    if (status == CRD_OK) status = crd_i_calibration_fit(classifier, inner, &compound->calibration, error);
    crd_i_held_out_destroy(inner);
    if (status != CRD_OK) return status;
    double *numbers = NULL;
    size_t count;
    bool done = crd_i_calibration_numbers(compound->calibration, &numbers, &count) &&
                crd_i_fit_cache_put(&compound->fitted, what, settings, numbers, count);
    crd_free(compound->context, numbers);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Every attribute and pair to a power that was fitted before, or is now. */
static crd_status fit_pairwise(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                               crd_error *error) {
    static const char what[] = "pairs";
    crd_i_compound *compound = classifier->compound;
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, what, classifier->settings);
    size_t count;
    const double *exponents = crd_i_pairwise_exponents(compound->pairwise, &count);
    if (known != NULL && known->count == count && are_exponents(known->numbers, count)) {
        crd_i_pairwise_set(compound->pairwise, known->numbers);
        return CRD_OK;
    }
    crd_i_held_out *inner;
    crd_status status = crd_i_held_out_create(model, classifier, order, "method=pairs", &inner, error);
    if (status == CRD_OK) status = crd_i_pairwise_fit(compound->pairwise, classifier, inner, error);
    crd_i_held_out_destroy(inner);
    if (status == CRD_OK && !crd_i_fit_cache_put(&compound->fitted, what, classifier->settings, exponents, count))
        status = crd_i_fail_memory(error);
    return status;
}

static crd_status derive_pairwise(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                  crd_error *error) {
    crd_i_compound *compound = classifier->compound;
    const crd_i_joint_type *type = crd_i_joint_named("a1de");
    const crd_i_model_bundle *kept = find_whole(model, type->reads);
    if (kept == NULL || find_whole(model, &crd_i_rows_bundle) == NULL)
        return fail_not_kept("method=pairs", "pairs,rows", error);
    crd_status status = derive_joint(classifier, model, order, kept, type, error);
    if (status != CRD_OK) return status;
    crd_i_taken taken = compound->joints[--compound->joint_count];
    status = crd_i_pairwise_create(classifier, taken.joint, taken.attributes, &compound->pairwise, error);
    crd_free(compound->context, taken.attributes);
    return status == CRD_OK ? fit_pairwise(classifier, model, order, error) : status;
}

static crd_status derive_method(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                crd_error *error) {
    const crd_settings *settings = classifier->settings;
    if (settings->method == CRD_I_METHOD_COMMITTEE) return crd_i_stacking_derive(classifier, model, order, error);
    if (settings->method == CRD_I_METHOD_BAGGING || settings->method == CRD_I_METHOD_BOOSTING)
        return crd_i_resampled_derive(classifier, model, order, error);
    if (settings->method == CRD_I_METHOD_PAIRS) return derive_pairwise(classifier, model, order, error);
    if (settings->method == CRD_I_METHOD_NETWORK) return crd_i_network_part_derive(classifier, model, order, error);
    crd_status status = derive_joints(classifier, model, order, error);
    if (status == CRD_OK && settings->exponents_fitted) status = derive_exponents(classifier, model, order, error);
    return status;
}

/* What a method would do nothing with is refused, rather than taken for granted. */
static crd_status check_together(const crd_settings *settings, crd_error *error) {
    const char *why;
    switch (settings->method) {
    case CRD_I_METHOD_A1DE:
    case CRD_I_METHOD_PAIRS: why = "takes all attributes by their pairs"; break;
    case CRD_I_METHOD_COMMITTEE: why = "gives its members settings of its own"; break;
    case CRD_I_METHOD_NETWORK: why = "takes attributes together as the structure says"; break;
    default: return CRD_OK;
    }
    if (settings->joint == CRD_I_TOGETHER_NONE && !settings->exponents_fitted) return CRD_OK;
    const char *what = settings->exponents_fitted ? "exponents" : "joint";
    crd_i_fail(error, CRD_ERROR_SETTING, "the setting %s does not go with the method %s, which %s", what,
               crd_settings_get(settings, "method"), why);
    crd_i_error_subject(error, crd_text_of(what));
    return CRD_ERROR_SETTING;
}

static bool is_plain(const crd_settings *settings) {
    return settings->method == CRD_I_METHOD_NAIVE && settings->joint == CRD_I_TOGETHER_NONE &&
           !settings->exponents_fitted && settings->calibration == CRD_I_CALIBRATION_NONE;
}

crd_status crd_i_compound_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                 crd_error *error) {
    if (is_plain(classifier->settings)) return CRD_OK;
    crd_status fits_together = check_together(classifier->settings, error);
    if (fits_together != CRD_OK) return fits_together;
    crd_i_compound *compound = crd_i_alloc_zeroed(classifier->context, 1, sizeof *compound);
    if (compound == NULL) return crd_i_fail_memory(error);
    classifier->compound = compound;
    compound->context = compound->fitted.context = classifier->context;
    compound->is_taken =
        crd_i_alloc_zeroed(classifier->context, classifier->attribute_count, sizeof *compound->is_taken);
    if (compound->is_taken == NULL) return crd_i_fail_memory(error);
    crd_status status = derive_method(classifier, model, order, error);
    if (status == CRD_OK && classifier->settings->calibration != CRD_I_CALIBRATION_NONE)
        status = derive_calibration(classifier, model, order, error);
    if (status == CRD_OK && compound->calibration != NULL &&
        !crd_i_calibration_state_prior(compound->calibration, classifier, model, order))
        status = crd_i_fail_memory(error);
    /* Fits that are cancelled end early, with nothing to be used. */
    if (status == CRD_OK && crd_i_context_cancelled(classifier->context))
        status = crd_i_fail(error, CRD_ERROR_CANCELLED, "cancelled");
    if (status == CRD_OK) measure_room(classifier);
    return status;
}

void crd_i_compound_destroy(crd_i_compound *compound) {
    if (compound == NULL) return;
    for (size_t i = 0; i < compound->joint_count; i++) {
        crd_i_joint_destroy(compound->joints[i].joint);
        crd_free(compound->context, compound->joints[i].attributes);
    }
    crd_free(compound->context, compound->joints);
    crd_free(compound->context, compound->is_taken);
    crd_free(compound->context, compound->exponents);
    crd_i_pairwise_destroy(compound->pairwise);
    crd_i_network_part_destroy(compound->network);
    crd_i_pool_destroy(compound->pool);
    crd_i_calibration_destroy(compound->calibration);
    crd_i_fit_cache_clear(&compound->fitted);
    crd_free(compound->context, compound);
}

/* Whether numbers are taken together by a density that is fitted to rows. */
static bool fits_numbers(const crd_settings *settings) {
    crd_i_together together = crd_i_settings_together(settings);
    const crd_i_joint_type *type = type_for(settings, CRD_KIND_NUMBER);
    return together != CRD_I_TOGETHER_NONE && together != CRD_I_TOGETHER_CATEGORIES && type->asks_rows(settings);
}

crd_status crd_model_fit(crd_model *model, crd_error *error) {
    const crd_settings *settings = model->settings;
    crd_classifier *classifier;
    bool fits = fits_numbers(settings) || settings->exponents_fitted ||
                settings->calibration != CRD_I_CALIBRATION_NONE || settings->method == CRD_I_METHOD_COMMITTEE ||
                settings->method == CRD_I_METHOD_PAIRS;
    if (!fits || crd_i_tally_is_empty(crd_i_model_target(model)->tally)) return CRD_OK;
    crd_status status = crd_classifier_create(model, NULL, &classifier, error);
    if (status != CRD_OK) return status;
    if (!crd_i_fit_cache_join(&model->fitted, &classifier->compound->fitted)) status = crd_i_fail_memory(error);
    crd_classifier_destroy(classifier);
    return status;
}

/* ---- Answering ---- */

bool crd_i_attribute_counts(const crd_classifier *classifier, size_t attribute) {
    const crd_i_compound *compound = classifier->compound;
    return crd_i_attribute_speaks(&classifier->attributes[attribute]) &&
           (compound == NULL || !compound->is_taken[attribute]);
}

double crd_i_compound_exponent(const crd_classifier *classifier, size_t attribute) {
    const crd_i_compound *compound = classifier->compound;
    return compound == NULL || compound->exponents == NULL ? 1 : compound->exponents[attribute];
}

/* The term of a cell that is present, to the power of its attribute's exponent. */
static void add_attribute(const crd_classifier *classifier, size_t i, const crd_i_one_cell *cell, double *sums,
                          double *room) {
    const crd_i_density *density = classifier->attributes[i].density;
    const crd_i_cells cells = {1, &cell->number, NULL, &cell->code};
    double exponent = crd_i_compound_exponent(classifier, i);
    if (exponent == 1) {
        density->family->add(density, &cells, sums);
    } else if (exponent != 0) {
        for (size_t k = 0; k < classifier->class_count; k++) room[k] = 0;
        density->family->add(density, &cells, room);
        for (size_t k = 0; k < classifier->class_count; k++) sums[k] += exponent * room[k];
    }
}

void crd_i_taken_add(const crd_i_taken *taken, const crd_i_one_cell *cells, double *sums, double *room) {
    const crd_i_joint *joint = taken->joint;
    crd_i_joint_cell *own = (crd_i_joint_cell *)room;
    for (size_t i = 0; i < joint->column_count; i++) {
        const crd_i_one_cell *cell = &cells[taken->attributes[i]];
        const crd_i_joint_cell one = {cell->is_present && !cell->is_unseen, cell->number, cell->code};
        own[i] = one;
    }
    joint->type->add(joint, own, sums, room + crd_i_joint_cells_room(joint->column_count));
}

size_t crd_i_compound_room(const crd_classifier *classifier) {
    return classifier->compound == NULL ? 0 : classifier->compound->room;
}

void crd_i_compound_add_joints(const crd_classifier *classifier, const crd_i_one_cell *cells, double *sums,
                               double *room) {
    const crd_i_compound *compound = classifier->compound;
    for (size_t i = 0; compound != NULL && i < compound->joint_count; i++)
        crd_i_taken_add(&compound->joints[i], cells, sums, room);
}

/* Log prior, the attributes' terms and the joint densities', normalised. */
static void answer_alone(const crd_classifier *classifier, const crd_i_one_cell *cells, double *log_posterior,
                         double *probabilities, crd_answer *answer, double *room) {
    const crd_i_compound *compound = classifier->compound;
    answer->unseen = 0;
    for (size_t k = 0; k < classifier->class_count; k++) log_posterior[k] = classifier->log_priors[k];
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        answer->unseen += cells[i].is_unseen;
        if (cells[i].is_present && !cells[i].is_unseen && crd_i_attribute_counts(classifier, i))
            add_attribute(classifier, i, &cells[i], log_posterior, room);
    }
    crd_i_compound_add_joints(classifier, cells, log_posterior, room);
    if (compound != NULL && compound->pairwise != NULL)
        crd_i_pairwise_add(compound->pairwise, cells, log_posterior, room);
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    crd_i_classifier_be_certain(classifier->log_priors, classifier->class_count, log_posterior, probabilities, answer);
}

crd_status crd_i_compound_propose(const crd_classifier *classifier, const crd_i_one_cell *cells, double *log_posterior,
                                  double *probabilities, crd_answer *answer, double *room, crd_error *error) {
    const crd_i_compound *compound = classifier->compound;
    if (compound != NULL && compound->network != NULL)
        return crd_i_network_part_answer(classifier, cells, log_posterior, probabilities, answer, room, error);
    if (compound != NULL && compound->pool != NULL)
        return crd_i_pool_answer(classifier, compound->pool, cells, log_posterior, probabilities, answer, room, error);
    answer_alone(classifier, cells, log_posterior, probabilities, answer, room);
    return CRD_OK;
}

void crd_i_compound_calibrate(const crd_classifier *classifier, double *log_posterior, double *probabilities,
                              crd_answer *answer) {
    const crd_i_compound *compound = classifier->compound;
    if (compound == NULL || compound->calibration == NULL || answer->decision < 0) return;
    double evidence = answer->log_evidence; /* of the cells: no correction changes it */
    crd_i_calibration_apply(compound->calibration, log_posterior);
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    answer->log_evidence = evidence;
}

crd_status crd_i_compound_answer(const crd_classifier *classifier, const crd_i_one_cell *cells, double *log_posterior,
                                 double *probabilities, crd_answer *answer, double *room, crd_error *error) {
    crd_status status = crd_i_compound_propose(classifier, cells, log_posterior, probabilities, answer, room, error);
    if (status == CRD_OK) crd_i_compound_calibrate(classifier, log_posterior, probabilities, answer);
    return status;
}
