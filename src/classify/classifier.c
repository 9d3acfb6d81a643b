/* classifier.c - a model under settings: deriving it, and asking it about single rows.
 *
 * A row's log posterior is log prior + one log density an attribute, added in the order of the schema, minus the log
 * evidence. Nothing else is computed anywhere, so the terms that explain an answer are those that made it. */
#include "classify/classifier_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/compound.h"
#include "fit/family_selection.h"
#include "math/functions/elementary.h"
#include "model/column_family.h"
#include "model/member_models.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "network_model/stated_network.h"

#include <credence/number.h>

#include <math.h>

/* ---- Deriving ---- */

static crd_status derive_priors(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                crd_error *error) {
    const crd_i_view *classes = &order->views[model->schema->target];
    crd_context *context = classifier->context;
    /* Classes may be declared, and none have a row. */
    if (classes->value_count == 0 || crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the model has learned no rows");
    classifier->class_count = classes->value_count;
    classifier->classes = crd_i_schema_view_dictionary(context, crd_i_model_target(model)->values, classes);
    classifier->priors = crd_i_alloc(context, classes->value_count, sizeof *classifier->priors);
    classifier->log_priors = crd_i_alloc(context, classes->value_count, sizeof *classifier->log_priors);
    double *counts = crd_i_alloc(context, classes->value_count, sizeof *counts);
    crd_status status = CRD_OK;
    if (classifier->classes == NULL || classifier->priors == NULL || classifier->log_priors == NULL || counts == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (size_t i = 0; i < classes->value_count; i++)
            counts[i] = crd_i_model_class_rows(model, (size_t)classes->values[i]);
        status = crd_i_prior_derive(classifier->settings, classifier->classes, counts, classifier->priors, error);
        for (size_t i = 0; status == CRD_OK && i < classes->value_count; i++)
            classifier->log_priors[i] = classifier->priors[i].log_value;
    }
    crd_free(context, counts);
    bool estimated =
        classifier->settings->prior == CRD_I_PRIOR_FREQUENCY || classifier->settings->prior == CRD_I_PRIOR_LAPLACE;
    if (status == CRD_OK &&
        !crd_i_estimates_add(&classifier->estimates, "class probabilities", estimated ? classes->value_count - 1 : 0))
        status = crd_i_fail_memory(error);
    return status;
}

/* All attributes of one family: first what they share, then each. `tallied` has room for all. */
static crd_status derive_family(crd_classifier *classifier, const crd_i_family *family, const crd_i_tallied *all,
                                crd_i_tallied *tallied, crd_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].family == family && all[i].tally != NULL) tallied[count++] = all[i];
    void *shared = NULL;
    crd_status status = CRD_OK;
    if (family->share != NULL)
        status = family->share(classifier->context, tallied, count, classifier->settings, &shared, error);
    for (size_t i = 0; status == CRD_OK && i < classifier->attribute_count; i++) {
        crd_i_attribute *attribute = &classifier->attributes[i];
        if (attribute->family != family || all[i].tally == NULL) continue;
        status = family->derive(classifier->context, &all[i], classifier->settings, shared, &attribute->density, error);
    }
    crd_free(classifier->context, shared);
    return status;
}

/* Names and values of the attributes, and where their tallies are. */
static crd_status name_attributes(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                  crd_i_tallied *all, crd_error *error) {
    bool is_network = classifier->settings->method == CRD_I_METHOD_NETWORK;
    for (size_t column = 0; column < model->schema->count; column++) {
        if (column == model->schema->target) continue;
        if (crd_i_context_cancelled(model->context)) return crd_i_fail(error, CRD_ERROR_CANCELLED, "cancelled");
        const crd_i_variable *variable = &model->variables[column];
        crd_i_attribute *attribute = &classifier->attributes[classifier->attribute_count];
        attribute->name = crd_i_text_copy(classifier->context, model->schema->columns[column].name);
        if (attribute->name.bytes == NULL) return crd_i_fail_memory(error);
        crd_i_tallied *tallied = &all[classifier->attribute_count++];
        attribute->kind = crd_i_model_kind(model, column);
        attribute->family = crd_i_column_family_family(classifier->settings, attribute->name, attribute->kind);
        const crd_i_view *view = &order->views[column];
        if (attribute->kind == CRD_KIND_CATEGORY) {
            attribute->values = crd_i_schema_view_dictionary(classifier->context, variable->values, view);
            if (attribute->values == NULL) return crd_i_fail_memory(error);
        }
        /* A network speaks in the place of densities. */
        if (attribute->kind == CRD_KIND_NONE || variable->tally == NULL || is_network) continue;
        crd_status status = CRD_OK;
        if (attribute->family == &crd_i_family_auto) {
            status = crd_i_family_selection(model, column, view, classifier->classes, classifier->settings,
                                            &attribute->comparison, error);
            if (status == CRD_OK) attribute->family = attribute->comparison->chosen;
        }
        if (status == CRD_OK) status = crd_i_column_family_open(model, column, attribute->family, view, tallied, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status derive_attributes(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                                    crd_i_tallied *all, crd_error *error) {
    crd_context *context = classifier->context;
    size_t room = model->schema->count;
    crd_status status = crd_i_column_family_check(classifier->settings, model, error);
    if (status != CRD_OK) return status;
    classifier->attributes = crd_i_alloc_zeroed(context, room, sizeof *classifier->attributes);
    crd_i_tallied *tallied = crd_i_alloc_zeroed(context, room, sizeof *tallied);
    if (classifier->attributes == NULL || tallied == NULL) status = crd_i_fail_memory(error);
    else status = name_attributes(classifier, model, order, all, error);
    size_t families;
    const crd_i_family *const *table = crd_i_family_table(&families);
    for (size_t i = 0; status == CRD_OK && i < families; i++)
        status = derive_family(classifier, table[i], all, tallied, error);
    crd_free(context, tallied);
    return status;
}

/* What the densities of attributes took that nothing else speaks of. */
static bool estimate_attributes(const crd_classifier *classifier, const crd_i_tallied *all, crd_i_estimates *to) {
    size_t families;
    const crd_i_family *const *table = crd_i_family_table(&families);
    for (size_t f = 0; f < families; f++) {
        bool is_first = true;
        for (size_t i = 0; i < classifier->attribute_count; i++) {
            const crd_i_attribute *attribute = &classifier->attributes[i];
            if (attribute->family != table[f] || all[i].tally == NULL || crd_classifier_is_joint(classifier, i))
                continue;
            if (!table[f]->estimates(attribute->density, &all[i], classifier->settings, is_first, to)) return false;
            is_first = false;
        }
    }
    return true;
}

/* Those of the attributes stand behind the classes' and before those of joint densities, which are there already.
 * Where members answer, theirs are all; where none of them has a say, those of the classes are. */
static crd_status count_estimates(crd_classifier *classifier, const crd_i_tallied *all, crd_error *error) {
    crd_i_estimates counted = {.context = classifier->context}, *own = &classifier->estimates;
    bool done = true;
    const crd_i_pool *pool = classifier->compound == NULL ? NULL : classifier->compound->pool;
    if (pool != NULL && pool->count > 0) {
        done = crd_i_pool_estimates(pool, &counted);
    } else {
        for (size_t i = 0; done && i < own->count; i++) {
            done = crd_i_estimates_add(&counted, own->entries[i].what, own->entries[i].count) &&
                   (i > 0 || estimate_attributes(classifier, all, &counted));
        }
    }
    crd_i_estimates_clear(done ? own : &counted);
    if (done) *own = counted;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *order,
                         crd_error *error) {
    crd_i_tallied *all = crd_i_alloc_zeroed(classifier->context, model->schema->count, sizeof *all);
    crd_status status = all == NULL ? crd_i_fail_memory(error) : derive_priors(classifier, model, order, error);
    if (status == CRD_OK) crd_i_settings_for_classes(classifier->settings, classifier->class_count);
    if (status == CRD_OK) status = derive_attributes(classifier, model, order, all, error);
    if (status == CRD_OK) status = crd_i_compound_derive(classifier, model, order, error);
    if (status == CRD_OK) status = count_estimates(classifier, all, error);
    crd_free(classifier->context, all);
    return status;
}

crd_status crd_classifier_create(const crd_model *model, const crd_settings *settings, crd_classifier **out,
                                 crd_error *error) {
    *out = NULL;
    crd_i_schema_view *order = NULL;
    crd_context *context = model->context;
    crd_status status = crd_i_model_check_target(model, error);
    if (status != CRD_OK) return status;
    crd_classifier *classifier = crd_i_alloc_zeroed(context, 1, sizeof *classifier);
    if (classifier == NULL) return crd_i_fail_memory(error);
    classifier->context = classifier->estimates.context = context;
    classifier->serial = crd_i_context_serial(context);
    classifier->lanes = crd_i_simd_columns_best();
    status = crd_i_settings_copy(context, settings == NULL ? model->settings : settings, &classifier->settings, error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &order, error);
    if (status == CRD_OK)
        status = (model->members != NULL   ? crd_i_members_derive
                  : model->network != NULL ? crd_i_stated_derive
                                           : derive)(classifier, model, order, error);
    crd_i_schema_view_destroy(order);
    if (status != CRD_OK) {
        crd_classifier_destroy(classifier);
        return status;
    }
    *out = classifier;
    return CRD_OK;
}

void crd_classifier_destroy(crd_classifier *classifier) {
    if (classifier == NULL) return;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_i_attribute *attribute = &classifier->attributes[i];
        crd_free(classifier->context, (void *)attribute->name.bytes);
        crd_i_density_destroy(attribute->density);
        crd_i_dictionary_destroy(attribute->values);
        crd_i_comparison_destroy(attribute->comparison);
    }
    crd_free(classifier->context, classifier->attributes);
    crd_free(classifier->context, classifier->priors);
    crd_free(classifier->context, classifier->log_priors);
    crd_i_dictionary_destroy(classifier->classes);
    crd_settings_destroy(classifier->settings);
    crd_i_estimates_clear(&classifier->estimates);
    crd_i_compound_destroy(classifier->compound);
    crd_free(classifier->context, classifier);
}

/* ---- What it is ---- */

const crd_settings *crd_classifier_settings(const crd_classifier *classifier) {
    return classifier->settings;
}

size_t crd_classifier_class_count(const crd_classifier *classifier) {
    return classifier->class_count;
}

crd_text crd_classifier_class(const crd_classifier *classifier, size_t class_index) {
    return crd_i_dictionary_text(classifier->classes, class_index);
}

size_t crd_classifier_attribute_count(const crd_classifier *classifier) {
    return classifier->attribute_count;
}

crd_text crd_classifier_attribute(const crd_classifier *classifier, size_t attribute) {
    return classifier->attributes[attribute].name;
}

crd_kind crd_classifier_kind(const crd_classifier *classifier, size_t attribute) {
    return classifier->attributes[attribute].kind;
}

size_t crd_classifier_estimates(const crd_classifier *classifier, crd_estimate *out, size_t room) {
    for (size_t i = 0; i < room && i < classifier->estimates.count; i++) out[i] = classifier->estimates.entries[i];
    return classifier->estimates.count;
}

int crd_classifier_family(const crd_classifier *classifier, size_t attribute, crd_family *out) {
    return crd_i_family_describe(classifier->attributes[attribute].family, out);
}

int crd_classifier_candidate(const crd_classifier *classifier, size_t attribute, size_t index, crd_candidate *out) {
    const crd_i_comparison *comparison = classifier->attributes[attribute].comparison;
    crd_candidate found = CRD_CANDIDATE_INIT;
    bool is_there = comparison != NULL && index < comparison->count;
    if (is_there) {
        const crd_i_candidate *of = &comparison->each[index];
        found.family = of->family->name;
        found.is_chosen = of->is_chosen;
        found.left_out = of->left_out[0] == '\0' ? NULL : of->left_out;
        found.score = of->score;
        found.standard_error = of->standard_error;
    }
    crd_i_copy_out(&found, sizeof found, out);
    return is_there;
}

bool crd_i_attribute_speaks(const crd_i_attribute *attribute) {
    return attribute->density != NULL && !attribute->density->is_silent;
}

/* ---- One row ---- */

static crd_status refuse(crd_status status, const crd_i_attribute *attribute, const crd_value *value, const char *what,
                         crd_error *error) {
    char name[CRD_I_QUOTED_ROOM], text[CRD_I_QUOTED_ROOM];
    crd_i_quote(attribute->name, name);
    crd_i_quote(value->text, text);
    crd_i_fail(error, status, "attribute '%s' %s%s%s%s", name, what, value->kind == CRD_KIND_CATEGORY ? ": '" : "",
               value->kind == CRD_KIND_CATEGORY ? text : "", value->kind == CRD_KIND_CATEGORY ? "'" : "");
    crd_i_error_subject(error, attribute->name);
    return status;
}

crd_status crd_i_classifier_cell(const crd_classifier *classifier, size_t index, const crd_value *value,
                                 crd_i_one_cell *cell, crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[index];
    const crd_i_one_cell missing = {false, false, 0, CRD_I_CODE_MISSING};
    *cell = missing;
    if (value->kind == CRD_KIND_NONE || (value->kind == CRD_KIND_NUMBER && isnan(value->number))) return CRD_OK;
    cell->is_present = true;
    if (attribute->kind == CRD_KIND_CATEGORY) {
        if (value->kind == CRD_KIND_NUMBER)
            return refuse(CRD_ERROR_COLUMN, attribute, value, "is a category, and was given as a number", error);
        cell->code = crd_i_dictionary_find(attribute->values, value->text);
        cell->is_unseen = cell->code < 0;
    } else if (attribute->kind == CRD_KIND_NUMBER) {
        cell->number = value->number;
        crd_number_class class = isinf(value->number) ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE;
        if (value->kind == CRD_KIND_CATEGORY) class = crd_number_parse(value->text, &cell->number);
        if (class == CRD_NUMBER_INFINITE)
            return refuse(CRD_ERROR_NUMBER, attribute, value, "was given as an infinite number", error);
        if (class == CRD_NUMBER_NONE)
            return refuse(CRD_ERROR_NUMBER, attribute, value, "is a number, and was given as", error);
        cell->is_unseen =
            crd_i_attribute_counts(classifier, index) && !crd_i_density_covers(attribute->density, cell->number);
    }
    return CRD_OK;
}

static crd_i_cells as_cells(const crd_i_one_cell *cell) {
    crd_i_cells cells = {1, &cell->number, NULL, &cell->code};
    return cells;
}

/* The sum of exponentials of numbers of which the greatest is 0, and what part of it each is; shares NULL: not wanted.
 */
static double sum_exp(const crd_i_simd_columns *lanes, const double *x, size_t count, double *shares) {
    enum { AT_ONCE = 32 };
    double room[AT_ONCE], sum = 0;
    for (size_t from = 0; from < count; from += AT_ONCE) {
        size_t part = count - from < AT_ONCE ? count - from : AT_ONCE;
        double *exponentials = shares == NULL ? room : shares + from;
        lanes->exp(x + from, part, exponentials);
        for (size_t i = 0; i < part; i++) sum += exponentials[i];
    }
    for (size_t i = 0; shares != NULL && i < count; i++) shares[i] /= sum;
    return sum;
}

void crd_i_classifier_conclude(const crd_i_simd_columns *lanes, const double *log_priors, size_t count, double *sums,
                               double *probabilities, crd_answer *answer) {
    double greatest = -INFINITY;
    bool nothing_said = true;
    for (size_t i = 0; i < count; i++) {
        if (sums[i] > greatest) greatest = sums[i];
        if (sums[i] != log_priors[i]) nothing_said = false;
        if (probabilities != NULL) probabilities[i] = 0;
    }
    answer->decision = -1;
    answer->tied = 0;
    answer->log_evidence = greatest;
    if (greatest == -INFINITY) return;
    /* The greatest first: sums may be so large that the logarithm of how many there are would be lost in them. */
    for (size_t i = 0; i < count; i++) sums[i] -= greatest;
    double rest = crd_log(sum_exp(lanes, sums, count, probabilities));
    answer->log_evidence = nothing_said ? 0 : greatest + rest;
    for (size_t i = count; i-- > 0;) {
        if (sums[i] >= -CRD_TIE_MARGIN) {
            answer->decision = (int32_t)i;
            answer->tied++;
        }
        sums[i] -= rest;
    }
}

size_t crd_i_classifier_only_class(const double *log_priors, size_t count) {
    size_t only = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (log_priors[i] == -INFINITY) continue;
        if (only != SIZE_MAX) return SIZE_MAX;
        only = i;
    }
    return only;
}

void crd_i_classifier_be_certain(const double *log_priors, size_t count, double *log_posterior, double *probabilities,
                                 crd_answer *answer) {
    size_t only = answer->decision >= 0 ? SIZE_MAX : crd_i_classifier_only_class(log_priors, count);
    if (only == SIZE_MAX) return;
    answer->decision = (int32_t)only;
    answer->tied = 1;
    log_posterior[only] = 0;
    if (probabilities != NULL) probabilities[only] = 1;
}

crd_status crd_classifier_posterior(const crd_classifier *classifier, const crd_value *values, double *log_posterior,
                                    crd_answer *answer, crd_error *error) {
    return crd_classifier_probabilities(classifier, values, log_posterior, NULL, answer, error);
}

/* What a row that was refused is left with. */
static void answer_nothing(const crd_classifier *classifier, double *log_posterior, double *probabilities,
                           crd_answer *answer) {
    const crd_answer none = {-1, 0, 0, -INFINITY};
    *answer = none;
    for (size_t k = 0; k < classifier->class_count; k++) {
        log_posterior[k] = -INFINITY;
        if (probabilities != NULL) probabilities[k] = 0;
    }
}

/* Naive Bayes alone: each cell is added as it comes. */
static crd_status answer_plain(const crd_classifier *classifier, const crd_value *values, double *log_posterior,
                               double *probabilities, crd_answer *answer, crd_error *error) {
    answer->unseen = 0;
    for (size_t k = 0; k < classifier->class_count; k++) log_posterior[k] = classifier->log_priors[k];
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        crd_i_one_cell cell;
        crd_status status = crd_i_classifier_cell(classifier, i, &values[i], &cell, error);
        if (status != CRD_OK) return status;
        answer->unseen += cell.is_unseen;
        if (!cell.is_present || cell.is_unseen || !crd_i_attribute_speaks(attribute)) continue;
        crd_i_cells cells = as_cells(&cell);
        attribute->density->family->add(attribute->density, &cells, log_posterior);
    }
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    crd_i_classifier_be_certain(classifier->log_priors, classifier->class_count, log_posterior, probabilities, answer);
    return CRD_OK;
}

static crd_status answer_compound(const crd_classifier *classifier, const crd_value *values, double *log_posterior,
                                  double *probabilities, crd_answer *answer, crd_error *error) {
    crd_context *context = classifier->context;
    crd_i_one_cell *cells = crd_i_alloc(context, classifier->attribute_count, sizeof *cells);
    double *room = crd_i_alloc(context, classifier->compound->room, sizeof *room);
    crd_status status = cells == NULL || room == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < classifier->attribute_count; i++)
        status = crd_i_classifier_cell(classifier, i, &values[i], &cells[i], error);
    if (status == CRD_OK)
        status = crd_i_compound_answer(classifier, cells, log_posterior, probabilities, answer, room, error);
    crd_free(context, cells);
    crd_free(context, room);
    return status;
}

crd_status crd_classifier_probabilities(const crd_classifier *classifier, const crd_value *values,
                                        double *log_posterior, double *probabilities, crd_answer *answer,
                                        crd_error *error) {
    crd_status status = (classifier->compound == NULL ? answer_plain : answer_compound)(
        classifier, values, log_posterior, probabilities, answer, error);
    if (status != CRD_OK) answer_nothing(classifier, log_posterior, probabilities, answer);
    return status;
}

/* ---- Densities ---- */

static crd_status check_index(size_t index, size_t count, const char *what, crd_error *error) {
    if (index < count) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no %s %zu", what, index);
}

/* The density of a number attribute that has one. */
static crd_status find_density(const crd_classifier *classifier, size_t attribute, size_t class_index,
                               const crd_i_density **density, crd_error *error) {
    crd_status status = check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK) status = check_index(attribute, classifier->attribute_count, "attribute", error);
    if (status != CRD_OK) return status;
    const crd_i_attribute *asked = &classifier->attributes[attribute];
    char name[CRD_I_QUOTED_ROOM];
    crd_i_quote(asked->name, name);
    if (asked->kind == CRD_KIND_CATEGORY)
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "attribute '%s' is no number", name);
    else if (!crd_i_attribute_speaks(asked))
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "attribute '%s' says nothing: it has no cells, or no spread", name);
    if (status != CRD_OK) crd_i_error_subject(error, asked->name);
    *density = asked->density;
    return status;
}

crd_status crd_classifier_moments(const crd_classifier *classifier, size_t attribute, size_t class_index, double *mean,
                                  double *deviation, crd_error *error) {
    const crd_i_density *density;
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) density->family->moments(density, class_index, mean, deviation);
    return status;
}

crd_status crd_classifier_quantile(const crd_classifier *classifier, size_t attribute, size_t class_index, double p,
                                   double *x, crd_error *error) {
    const crd_i_density *density;
    if (!(p > 0 && p < 1)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a quantile is asked for between 0 and 1");
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) *x = density->family->quantile(density, class_index, p);
    return status;
}

crd_status crd_classifier_parameters(const crd_classifier *classifier, size_t attribute, size_t class_index,
                                     crd_term_parameter *out, size_t *count, crd_error *error) {
    const crd_i_density *density;
    *count = 0;
    crd_status status = find_density(classifier, attribute, class_index, &density, error);
    if (status == CRD_OK) *count = density->family->parameters(density, class_index, out);
    return status;
}

/* ---- Reasons ---- */

crd_status crd_classifier_prior(const crd_classifier *classifier, size_t class_index, crd_term *term,
                                crd_error *error) {
    crd_status status = check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK) crd_i_copy_out(&classifier->priors[class_index], sizeof *classifier->priors, term);
    return status;
}

crd_status crd_classifier_term(const crd_classifier *classifier, size_t attribute, size_t class_index,
                               const crd_value *value, crd_term *term, crd_error *error) {
    crd_status status = check_index(class_index, classifier->class_count, "class", error);
    if (status == CRD_OK) status = check_index(attribute, classifier->attribute_count, "attribute", error);
    crd_i_one_cell cell;
    if (status == CRD_OK) status = crd_i_classifier_cell(classifier, attribute, value, &cell, error);
    if (status != CRD_OK) return status;
    const crd_i_attribute *asked = &classifier->attributes[attribute];
    crd_term result = CRD_TERM_INIT;
    if (!cell.is_present) {
        result.form = CRD_TERM_MISSING;
    } else if (cell.is_unseen) {
        result.form = CRD_TERM_UNSEEN;
    } else if (classifier->compound != NULL && classifier->compound->is_taken[attribute]) {
        result.form = CRD_TERM_JOINT;
    } else if (!crd_i_attribute_speaks(asked)) {
        result.form = CRD_TERM_SILENT;
    } else {
        crd_i_cells cells = as_cells(&cell);
        asked->density->family->term(asked->density, &cells, class_index, &result);
        result.exponent = crd_i_compound_exponent(classifier, attribute);
        if (result.exponent != 1) result.log_value = result.exponent == 0 ? 0 : result.exponent * result.log_value;
    }
    crd_i_copy_out(&result, sizeof result, term);
    return CRD_OK;
}
