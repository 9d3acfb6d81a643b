/* SPDX-License-Identifier: MIT */
/* member_models.c - models that combine other models: union of the columns, classifiers and files. See
 * ensemble_scorer.h. */
#include "ensemble/ensemble_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classifier_internal.h"
#include "io/section.h"
#include "math/functions/elementary.h"
#include "model/model_parts.h"
#include "model/model_sections.h"

#include <math.h>
#include <string.h>

/* Tag of the only section of such a file. */
static const char tag[] = {'M', 'E', 'M', 'B'};

const crd_i_members *crd_i_members_of(const crd_model *model) {
    return model->kind == &crd_i_members_kind ? model->content : NULL;
}

void crd_i_members_destroy(crd_context *context, crd_i_members *members) {
    for (size_t i = 0; members->each != NULL && i < members->count; i++) {
        crd_free(context, (void *)members->each[i].name.bytes);
        crd_model_destroy(members->each[i].model);
    }
    crd_free(context, members->each);
    crd_free(context, members);
}

/* ---- Union of the schemas ---- */

typedef struct union_of {
    crd_i_schema *schema;
    crd_i_dictionary *names; /* names of the union's columns */
} union_of;

static crd_status member_models_differ(crd_error *error, crd_text column, const char *format) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, format, crd_i_quote(column, quoted));
    crd_i_error_subject(error, column);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Checks that the target and the weight column are the same as in the first model. */
static crd_status check_roles(const union_of *all, const crd_model *model, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    crd_text weight = all->schema->weight.name, view = schema->weight.name;
    crd_text target = schema->columns[schema->target].name;
    if (!crd_text_equal(all->schema->columns[all->schema->target].name, target))
        return member_models_differ(error, target, "the models have different targets: one has '%s'");
    bool same_weight =
        weight.bytes == NULL || view.bytes == NULL ? weight.bytes == view.bytes : crd_text_equal(weight, view);
    if (same_weight) return CRD_OK;
    return member_models_differ(error, view.bytes == NULL ? weight : view, "not all models have the weight '%s'");
}

/* Adds a column to the union, or checks that it matches the column of the same name. */
static crd_status member_models_add_column(union_of *all, const crd_model *model, size_t column, bool is_first,
                                           crd_error *error) {
    const crd_i_schema_column *schema_column = &model->schema->columns[column];
    crd_column_type type = crd_i_model_column_type(model, column);
    int32_t code = crd_i_dictionary_add(all->names, schema_column->name);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code < all->schema->count) {
        crd_i_schema_column *target_column = &all->schema->columns[code];
        if (!crd_i_column_format_equal(target_column->format, schema_column->format))
            return member_models_differ(error, schema_column->name,
                                        "column '%s' has another format in one of the models");
        if (target_column->type == CRD_TYPE_NONE) target_column->type = type;
        if (type == CRD_TYPE_NONE || type == target_column->type) return CRD_OK;
        return member_models_differ(error, schema_column->name,
                                    "column '%s' is numeric in one model, and categorical in another");
    }
    if (!is_first && !all->schema->has_header)
        return member_models_differ(error, schema_column->name,
                                    "not all models have column '%s', and without a header columns have no names");
    size_t last = all->schema->count;
    const crd_i_schema_column *before = last == 0 ? NULL : &all->schema->columns[last - 1];
    bool is_next_part = before != NULL && schema_column->field.bytes != NULL && before->field.bytes != NULL &&
                        crd_text_equal(before->field, schema_column->field);
    size_t position = is_first ? schema_column->position : is_next_part ? before->position : all->schema->width++;
    return crd_i_schema_add(all->schema, schema_column->name, type, position) &&
                   crd_i_schema_set_column_format(all->schema, last, schema_column->format, schema_column->field)
               ? CRD_OK
               : crd_i_fail_memory(error);
}

/* Begins the union with the layout and all columns of the first model. */
static crd_status open_union(union_of *all, const crd_model *first, crd_error *error) {
    const crd_i_schema *schema = first->schema;
    all->schema = crd_i_schema_create(first->context);
    all->names = crd_i_dictionary_create(first->context);
    if (all->schema == NULL || all->names == NULL) return crd_i_fail_memory(error);
    all->schema->width = schema->width;
    all->schema->has_header = schema->has_header;
    all->schema->has_literal_quotes = schema->has_literal_quotes;
    if (!crd_i_schema_set_missing(all->schema, schema->missing, schema->missing_count, schema->missing_any_case) ||
        (schema->weight.name.bytes != NULL &&
         !crd_i_schema_set_weight(all->schema, schema->weight.name, schema->weight.position)))
        return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < schema->count; i++)
        status = member_models_add_column(all, first, i, true, error);
    all->schema->target = schema->target;
    return status;
}

/* Declares the values of a model's categorical columns, classes included, in the union. */
static crd_status member_models_declare_values(union_of *all, const crd_model *model, crd_error *error) {
    crd_i_schema_view *schema_view;
    crd_status status = crd_i_schema_view_create(model, &schema_view, error);
    if (status != CRD_OK) return status;
    bool done = true;
    for (size_t i = 0; done && i < model->schema->count; i++) {
        size_t limit = (size_t)crd_i_dictionary_find(all->names, model->schema->columns[i].name);
        const crd_i_view *view = &schema_view->views[i];
        if (all->schema->columns[limit].type != CRD_TYPE_CATEGORICAL) continue;
        for (size_t v = 0; done && v < view->value_count; v++)
            done = crd_i_schema_declare(all->schema, limit,
                                        crd_i_dictionary_text(model->variables[i].values, (size_t)view->values[v]));
    }
    crd_i_schema_view_destroy(schema_view);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Checks that a model can be a member: it is trained, has a target and is not an ensemble itself. */
static crd_status check_member(const crd_model *model, crd_context *context, crd_error *error) {
    if (model->context != context)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the models belong to different contexts");
    if (crd_i_members_of(model) != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the model is an ensemble itself: combine its members with the other models");
    if (model->kind->rows != NULL) return crd_i_model_check_of_rows(model, "be combined with others", error);
    if (crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the model has learned no rows");
    return crd_i_model_check_target(model, error);
}

/* Checks all models, adds their columns in order and declares all values. */
crd_status crd_i_members_unite(crd_context *context, const crd_model *const *models, size_t count, crd_model **out,
                               crd_error *error) {
    union_of all = {NULL, NULL};
    *out = NULL;
    if (count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the list of models to combine is empty");
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = check_member(models[i], context, error);
    if (status == CRD_OK) status = open_union(&all, models[0], error);
    for (size_t i = 1; status == CRD_OK && i < count; i++) {
        status = check_roles(&all, models[i], error);
        for (size_t column = 0; status == CRD_OK && column < models[i]->schema->count; column++)
            status = member_models_add_column(&all, models[i], column, false, error);
    }
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = member_models_declare_values(&all, models[i], error);
    crd_i_dictionary_destroy(all.names);
    if (status == CRD_OK) return crd_i_model_create_bare(context, all.schema, NULL, out, error);
    crd_i_schema_destroy(all.schema);
    return status;
}

/* Unites the members' columns and stores the members in the new model. */
crd_status crd_i_members_join(crd_context *context, crd_i_members *members, crd_model **out, crd_error *error) {
    *out = NULL;
    const crd_model **models = crd_i_alloc(context, members->count, sizeof *models);
    crd_status status = models == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; models != NULL && i < members->count; i++) models[i] = members->each[i].model;
    if (status == CRD_OK) status = crd_i_members_unite(context, models, members->count, out, error);
    crd_free(context, models);
    if (status != CRD_OK) {
        crd_i_members_destroy(context, members);
        return status;
    }
    (*out)->kind = &crd_i_members_kind;
    (*out)->content = members;
    return CRD_OK;
}

/* ---- Classifiers ---- */

static void member_models_destroy(crd_context *context, void *content) {
    crd_i_members_destroy(context, content);
}

static crd_status member_models_refuse(const crd_model *model, const char *description, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model combines %zu others, and cannot %s: do so with each of them before combining",
                      crd_i_members_of(model)->count, description);
}

/* Creates the ensemble scorer. Members of weight 0 are skipped, because they do not affect predictions. */
static crd_status member_models_add(crd_classifier *classifier, const crd_i_members *members,
                                    crd_i_ensemble_scorer **out, crd_error *error) {
    bool is_gibbs = members->rule == CRD_COMBINE_GIBBS;
    crd_status status = crd_i_ensemble_scorer_create(
        classifier, is_gibbs ? CRD_I_ENSEMBLE_GIBBS : CRD_I_ENSEMBLE_AVERAGE, members->seed, out, error);
    for (size_t i = 0; status == CRD_OK && i < members->count; i++) {
        crd_classifier *member;
        if (members->each[i].weight == 0) continue;
        status = crd_classifier_create(members->each[i].model, NULL, &member, error);
        if (status == CRD_OK)
            status = crd_i_ensemble_scorer_add(*out, classifier, member, members->each[i].weight, error);
    }
    return status;
}

/* Sets the priors to the mean of the members' priors, weighted like their predictions. */
static void member_models_set_priors(crd_classifier *classifier, const crd_i_ensemble_scorer *ensemble) {
    double total = 0;
    for (size_t i = 0; i < ensemble->count; i++) {
        const crd_i_ensemble_member *member = &ensemble->members[i];
        total += member->weight;
        for (size_t k = 0; k < member->classifier->class_count; k++)
            classifier->log_priors[member->classes[k]] += member->weight * crd_exp(member->classifier->log_priors[k]);
    }
    for (size_t k = 0; k < classifier->class_count; k++) {
        const crd_term empty = CRD_TERM_INIT;
        double prior = classifier->log_priors[k];
        classifier->priors[k] = empty;
        classifier->priors[k].form = CRD_TERM_GIVEN;
        classifier->priors[k].count = prior;
        classifier->priors[k].total = total;
        classifier->priors[k].log_value = classifier->log_priors[k] = crd_i_log_ratio(prior, total);
    }
}

/* Declares attributes and classes, creates the members' classifiers and sums their estimates. */
static crd_status member_models_derive(crd_classifier *classifier, const crd_model *model,
                                       const crd_i_schema_view *view, crd_error *error) {
    crd_i_ensemble_scorer *ensemble;
    if (!crd_i_settings_equal(classifier->settings, model->settings))
        return member_models_refuse(model, "be used with other settings", error);
    crd_status status = crd_i_classifier_declare(classifier, model, view, error);
    if (status == CRD_OK) status = member_models_add(classifier, crd_i_members_of(model), &ensemble, error);
    if (status != CRD_OK) return status;
    member_models_set_priors(classifier, ensemble);
    bool done = ensemble->base.type->members->estimates(&ensemble->base, &classifier->estimates);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Files ---- */

enum { LEAST_MEMBER = 4 + 8 + 8, NESTING = 2 };

/* Writes the section: rule, seed and count, then name, weight and nested model file of each member. */
static void member_models_write(const crd_model *model, crd_i_encoder *encoder) {
    const crd_i_members *members = crd_i_members_of(model);
    size_t begun = crd_i_section_begin(encoder, tag, CRD_I_FILE_VERSION, true);
    crd_i_encode_u32(encoder, (uint32_t)members->rule);
    crd_i_encode_u64(encoder, members->seed);
    crd_i_encode_u32(encoder, (uint32_t)members->count);
    for (size_t i = 0; i < members->count && !encoder->failed; i++) {
        const crd_i_member *member = &members->each[i];
        uint64_t weight;
        memcpy(&weight, &member->weight, sizeof weight);
        crd_i_encode_text(encoder, member->name);
        crd_i_encode_u64(encoder, weight);
        crd_i_model_write_nested(member->model, encoder);
    }
    crd_i_section_end(encoder, begun);
}

static crd_status member_models_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

/* Reads one member. Its text and weight are checked, because the file may be damaged. */
static crd_status member_models_read(crd_context *context, crd_i_cursor *cursor, crd_i_member *to, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint64_t weight = crd_i_decode_u64(cursor), length = crd_i_decode_u64(cursor);
    if (!crd_i_cursor_holds(cursor, length, 1)) return member_models_damaged(error, "a member is too short");
    if (name.length > 0 && memchr(name.bytes, '\0', name.length) != NULL)
        return member_models_damaged(error, "a member's name has a NUL byte");
    memcpy(&to->weight, &weight, sizeof to->weight);
    if (!(to->weight >= 0 && to->weight <= 1) || signbit(to->weight))
        return member_models_damaged(error, "a member's weight is not a probability");
    to->name = crd_i_text_copy(context, name);
    if (to->name.bytes == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_model_decode_part(context, cursor->at, (size_t)length, NESTING, &to->model, error);
    cursor->at += length;
    return status == CRD_ERROR_NOT_A_MODEL ? member_models_damaged(error, "a member is not a model") : status;
}

/* Returns whether the weights are valid: exactly one weight of 1 for MAP and ML, otherwise a sum of 1. */
static bool member_models_weights_fit(const crd_i_members *members) {
    bool is_one = members->rule == CRD_COMBINE_MAP || members->rule == CRD_COMBINE_ML;
    double sum = 0;
    size_t heard = 0;
    for (size_t i = 0; i < members->count; i++) {
        sum += members->each[i].weight;
        heard += members->each[i].weight > 0;
    }
    return is_one ? heard == 1 && sum == 1 : fabs(sum - 1) < 1e-9;
}

/* Reads and checks all members, and unites them. */
static crd_status read_members(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out,
                               crd_error *error) {
    (void)version;
    *out = NULL;
    uint32_t rule = crd_i_decode_u32(cursor);
    uint64_t seed = crd_i_decode_u64(cursor);
    uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || rule > CRD_COMBINE_ML || count == 0 || (rule != CRD_COMBINE_GIBBS && seed != 0))
        return member_models_damaged(error, "the rule of its members is invalid");
    if (!crd_i_cursor_holds(cursor, count, LEAST_MEMBER))
        return member_models_damaged(error, "the list of members is too short");
    crd_i_members *members = crd_i_alloc_zeroed(context, 1, sizeof *members);
    if (members == NULL) return crd_i_fail_memory(error);
    members->rule = (crd_combine_rule)rule;
    members->seed = seed;
    members->count = count;
    members->each = crd_i_alloc_zeroed(context, count, sizeof *members->each);
    crd_status status = members->each == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = member_models_read(context, cursor, &members->each[i], error);
    if (status == CRD_OK && !member_models_weights_fit(members))
        status = member_models_damaged(error, "the members' weights do not sum to 1");
    if (status != CRD_OK) {
        crd_i_members_destroy(context, members);
        return status;
    }
    status = crd_i_members_join(context, members, out, error);
    bool does_not_fit = status == CRD_ERROR_SCHEMA_DIFFERS || status == CRD_ERROR_EMPTY || status == CRD_ERROR_LIMIT ||
                        status == CRD_ERROR_SETTING;
    return does_not_fit ? member_models_damaged(error, "its members are inconsistent") : status;
}

const crd_i_model_kind crd_i_members_kind = {.name = "members",
                                             .tag = tag,
                                             .newest_version = CRD_I_FILE_VERSION,
                                             .nesting = NESTING,
                                             .write = member_models_write,
                                             .read = read_members,
                                             .destroy = member_models_destroy,
                                             .derive = member_models_derive,
                                             .refuse = member_models_refuse};

/* ---- Public access to the members ---- */

size_t crd_model_member_count(const crd_model *model) {
    return crd_i_members_of(model) == NULL ? 0 : crd_i_members_of(model)->count;
}

crd_status crd_model_member(const crd_model *model, size_t member, crd_member *out, crd_error *error) {
    if (member >= crd_model_member_count(model))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown member %zu", member);
    const crd_i_member *source_member = &crd_i_members_of(model)->each[member];
    const crd_member found_member = {sizeof found_member, source_member->name, source_member->model,
                                     source_member->weight};
    crd_i_copy_out(&found_member, sizeof found_member, out);
    return CRD_OK;
}

crd_combine_rule crd_model_rule(const crd_model *model) {
    return crd_i_members_of(model) == NULL ? CRD_COMBINE_OPTIMAL : crd_i_members_of(model)->rule;
}

uint64_t crd_model_seed(const crd_model *model) {
    return crd_i_members_of(model) == NULL ? 0 : crd_i_members_of(model)->seed;
}

const char *crd_combine_rule_name(crd_combine_rule rule) {
    switch (rule) {
    case CRD_COMBINE_OPTIMAL: return "optimal";
    case CRD_COMBINE_GIBBS: return "gibbs";
    case CRD_COMBINE_MAP: return "map";
    case CRD_COMBINE_ML: return "ml";
    }
    return "";
}
