/* SPDX-License-Identifier: MIT */
/* ensemble_scorer.c - see ensemble_scorer.h. */
#include "ensemble/ensemble_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "math/functions/elementary.h"
#include "math/random.h"
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

static void clear_member(crd_context *context, crd_i_ensemble_member *member) {
    for (size_t i = 0; member->codes != NULL && i < member->classifier->attribute_count; i++)
        crd_free(context, member->codes[i]);
    crd_free(context, member->codes);
    crd_free(context, member->attributes);
    crd_free(context, member->classes);
    crd_classifier_destroy(member->classifier);
}

static void ensemble_scorer_destroy(crd_i_scorer *scorer) {
    crd_i_ensemble_scorer *ensemble_scorer = (crd_i_ensemble_scorer *)scorer;
    for (size_t i = 0; i < ensemble_scorer->count; i++) clear_member(scorer->context, &ensemble_scorer->members[i]);
    crd_free(scorer->context, ensemble_scorer->members);
    crd_free(scorer->context, ensemble_scorer->offsets);
    crd_free(scorer->context, scorer);
}

/* ---- Members ---- */

static size_t ensemble_scorer_find_attribute(const crd_classifier *owner, crd_text name) {
    size_t i = 0;
    while (!crd_text_equal(owner->attributes[i].name, name)) i++;
    return i;
}

/* Returns a map from the owner's value codes to the member's. The first entry is for the code -1 of missing values.
 * Returns NULL if memory runs out. */
static int32_t *map_codes(crd_context *context, const crd_i_dictionary *dictionary,
                          const crd_i_dictionary *target_dictionary) {
    size_t count = crd_i_dictionary_size(dictionary);
    int32_t *codes = crd_i_alloc(context, count + 1, sizeof *codes);
    if (codes == NULL) return NULL;
    codes[0] = CRD_I_CODE_MISSING;
    for (size_t i = 0; i < count; i++) {
        int32_t code = crd_i_dictionary_find(target_dictionary, crd_i_dictionary_text(dictionary, i));
        codes[i + 1] = code < 0 ? CRD_I_CODE_UNSEEN : code;
    }
    return codes;
}

/* Maps attributes, values and classes by name. Returns false if memory runs out. */
static bool map_member(crd_i_ensemble_scorer *ensemble, const crd_classifier *owner, crd_i_ensemble_member *member) {
    const crd_classifier *own_classifier = member->classifier;
    member->attributes =
        crd_i_alloc(ensemble->base.context, own_classifier->attribute_count, sizeof *member->attributes);
    member->codes = crd_i_alloc_zeroed(ensemble->base.context, own_classifier->attribute_count, sizeof *member->codes);
    member->classes = crd_i_alloc(ensemble->base.context, own_classifier->class_count, sizeof *member->classes);
    if (member->attributes == NULL || member->codes == NULL || member->classes == NULL) return false;
    for (size_t k = 0; k < own_classifier->class_count; k++)
        member->classes[k] = crd_i_dictionary_find(owner->classes, crd_i_dictionary_text(own_classifier->classes, k));
    for (size_t i = 0; i < own_classifier->attribute_count; i++) {
        member->attributes[i] = ensemble_scorer_find_attribute(owner, own_classifier->attributes[i].name);
        const crd_i_dictionary *values = owner->attributes[member->attributes[i]].values;
        if (own_classifier->attributes[i].values == NULL || values == NULL) continue;
        member->codes[i] = map_codes(ensemble->base.context, values, own_classifier->attributes[i].values);
        if (member->codes[i] == NULL) return false;
    }
    return true;
}

/* Returns the number of doubles that hold the values of a row with this many attributes. */
static size_t cells_room(size_t attributes) {
    return (attributes * sizeof(crd_i_one_cell) + sizeof(double) - 1) / sizeof(double);
}

/* Returns the number of doubles for the log densities of a member's texts. */
static size_t ensemble_scorer_texts_room(const crd_classifier *member) {
    size_t texts = 0;
    for (size_t i = 0; i < member->attribute_count; i++) texts += member->attributes[i].type == CRD_TYPE_TEXT;
    return texts * member->class_count;
}

/* Returns the scratch size for a row. Scratch contains the members' log posteriors in the owner's classes and their log
 * evidences. The rest is for the current member: its values, log posteriors, text densities and own scratch. */
static size_t ensemble_scorer_measure(const crd_i_ensemble_scorer *ensemble, const crd_classifier *owner) {
    size_t most = 0;
    for (size_t i = 0; i < ensemble->count; i++) {
        const crd_classifier *member = ensemble->members[i].classifier;
        size_t capacity = cells_room(member->attribute_count) + member->class_count +
                          ensemble_scorer_texts_room(member) + member->scorer->scratch;
        if (capacity > most) most = capacity;
    }
    return ensemble->count * (owner->class_count + 1) + most;
}

crd_status crd_i_ensemble_scorer_add(crd_i_ensemble_scorer *ensemble, const crd_classifier *owner,
                                     crd_classifier *member, double weight, crd_error *error) {
    crd_i_ensemble_member added = {.classifier = member, .weight = weight};
    if (!crd_i_reserve(ensemble->base.context, &ensemble->members, &ensemble->capacity, ensemble->count + 1,
                       sizeof *ensemble->members) ||
        !map_member(ensemble, owner, &added)) {
        clear_member(ensemble->base.context, &added);
        return crd_i_fail_memory(error);
    }
    ensemble->members[ensemble->count++] = added;
    ensemble->base.scratch = ensemble_scorer_measure(ensemble, owner);
    return CRD_OK;
}

/* ---- Scoring rows ---- */

/* Returns a hash of the content of a value. Equal values have equal hashes, no matter how they were passed. */
static uint64_t content_of(const crd_i_attribute *attribute, const crd_i_one_cell *cell) {
    enum { MISSING = 1, UNSEEN = 2, FIRST_CODE = 3 };
    if (!cell->is_present || attribute->type == CRD_TYPE_NONE) return MISSING;
    if (attribute->type == CRD_TYPE_CATEGORICAL) return cell->is_unseen ? UNSEEN : (uint64_t)cell->code + FIRST_CODE;
    if (attribute->type == CRD_TYPE_TEXT) {
        uint64_t hash = cell->text.length;
        for (size_t i = 0; i < cell->text.length; i++)
            hash = (hash ^ (unsigned char)cell->text.bytes[i]) * 0x9e3779b97f4a7c15u;
        return hash;
    }
    double number = cell->number + 0.0; /* -0 is 0 */
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Returns a hash of the row's content, which does not depend on the position of the row. */
static uint64_t hash_cells(const crd_classifier *owner, const crd_i_one_cell *cells) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < owner->attribute_count; i++) {
        hash = (hash ^ content_of(&owner->attributes[i], &cells[i])) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool has_say(const double *logs, size_t classes) {
    for (size_t k = 0; k < classes; k++)
        if (logs[k] > -INFINITY) return true;
    return false;
}

/* Averages probabilities and evidences over the members, weighted by their weights. */
static double join_average(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                           const double *evidences, double *log_posterior) {
    double total = 0, greatest = -INFINITY, evidence = 0;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = 0;
    for (size_t i = 0; i < ensemble->count; i++) {
        double weight = ensemble->members[i].weight;
        if (weight == 0 || !has_say(logs + i * classes, classes)) continue;
        total += weight;
        if (evidences[i] > greatest) greatest = evidences[i];
        for (size_t k = 0; k < classes; k++) log_posterior[k] += weight * crd_exp(logs[i * classes + k]);
    }
    for (size_t k = 0; k < classes; k++)
        log_posterior[k] = log_posterior[k] > 0 ? crd_log(log_posterior[k]) : -INFINITY;
    if (total == 0) return -INFINITY;
    for (size_t i = 0; i < ensemble->count; i++)
        if (ensemble->members[i].weight > 0 && has_say(logs + i * classes, classes))
            evidence += ensemble->members[i].weight / total * crd_exp(evidences[i] - greatest);
    return greatest + crd_log(evidence);
}

/* Chooses the member at which the cumulated weights exceed draw times the total weight. */
static double join_gibbs(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                         const double *evidences, double draw, double *log_posterior) {
    double total = 0, passed = 0;
    size_t chosen = SIZE_MAX;
    for (size_t i = 0; i < ensemble->count; i++)
        if (has_say(logs + i * classes, classes)) total += ensemble->members[i].weight;
    for (size_t i = 0; i < ensemble->count && !(passed > draw * total); i++) {
        if (ensemble->members[i].weight == 0 || !has_say(logs + i * classes, classes)) continue;
        passed += ensemble->members[i].weight;
        chosen = i;
    }
    for (size_t k = 0; k < classes; k++) log_posterior[k] = chosen == SIZE_MAX ? -INFINITY : logs[chosen * classes + k];
    return chosen == SIZE_MAX ? -INFINITY : evidences[chosen];
}

/* Sums weighted log probabilities and the class factors. Log probabilities are bounded below, so a single member cannot
 * rule out a class. */
static double join_product(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                           const double *evidences, double *log_posterior) {
    double evidence = 0;
    bool any = false;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = ensemble->offsets == NULL ? 0 : ensemble->offsets[k];
    for (size_t i = 0; i < ensemble->count; i++) {
        double weight = ensemble->members[i].weight;
        if (weight == 0 || !has_say(logs + i * classes, classes)) continue;
        any = true;
        evidence += weight * evidences[i];
        for (size_t k = 0; k < classes; k++) {
            double log_probability = logs[i * classes + k];
            log_posterior[k] += weight * (log_probability > CRD_I_LEAST_LOG_PROBABILITY ? log_probability
                                                                                        : CRD_I_LEAST_LOG_PROBABILITY);
        }
    }
    if (any || ensemble->count == 0) return evidence; /* without members, only the factors remain */
    for (size_t k = 0; k < classes; k++) log_posterior[k] = -INFINITY;
    return -INFINITY;
}

/* Adds each member's weight to the class that it predicts. The log evidence is the weighted mean. */
static double join_votes(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                         const double *evidences, double *log_posterior) {
    double total = 0, evidence = 0;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = 0;
    for (size_t i = 0; i < ensemble->count; i++) {
        double weight = ensemble->members[i].weight;
        if (weight == 0 || !has_say(logs + i * classes, classes)) continue;
        size_t decision = 0;
        for (size_t k = 1; k < classes; k++)
            if (logs[i * classes + k] > logs[i * classes + decision]) decision = k;
        log_posterior[decision] += weight;
        evidence += weight * evidences[i];
        total += weight;
    }
    if (total > 0) return evidence / total;
    for (size_t k = 0; k < classes; k++) log_posterior[k] = -INFINITY;
    return -INFINITY;
}

double crd_i_ensemble_scorer_join(const crd_i_ensemble_scorer *ensemble, size_t classes, const double *logs,
                                  const double *evidences, double draw, double *log_posterior) {
    if (ensemble->rule == CRD_I_ENSEMBLE_GIBBS)
        return join_gibbs(ensemble, classes, logs, evidences, draw, log_posterior);
    if (ensemble->rule == CRD_I_ENSEMBLE_VOTE) return join_votes(ensemble, classes, logs, evidences, log_posterior);
    if (ensemble->rule == CRD_I_ENSEMBLE_PRODUCT)
        return join_product(ensemble, classes, logs, evidences, log_posterior);
    return join_average(ensemble, classes, logs, evidences, log_posterior);
}

/* Converts the owner's value for a member: value codes, unseen values and texts depend on the member. */
static crd_i_one_cell ensemble_scorer_translate(const crd_i_ensemble_member *member, size_t i,
                                                const crd_i_one_cell *cells) {
    const crd_classifier *own_classifier = member->classifier;
    crd_i_one_cell cell = cells[member->attributes[i]];
    if (!cell.is_present || own_classifier->attributes[i].type == CRD_TYPE_NONE) {
        const crd_i_one_cell missing = CRD_I_MISSING_CELL;
        return missing;
    }
    if (own_classifier->attributes[i].type == CRD_TYPE_TEXT) {
        cell.logs = NULL; /* computed by the member's own density */
        cell.terms = (crd_i_terms_read){0, 0, 0};
    } else if (own_classifier->attributes[i].type == CRD_TYPE_CATEGORICAL) {
        cell.code = cell.is_unseen ? CRD_I_CODE_UNSEEN : member->codes[i][cell.code + 1];
        cell.is_unseen = cell.code < 0;
    } else {
        cell.is_unseen = crd_i_attribute_counts(&own_classifier->attributes[i]) &&
                         !crd_i_density_covers(own_classifier->attributes[i].density, cell.number);
    }
    return cell;
}

/* Scores the row with one member and converts its log posteriors to the owner's classes. */
static crd_status ask_member(const crd_i_ensemble_member *member, const crd_i_one_cell *cells, size_t classes,
                             double *logs, double *evidence, double *scratch, crd_error *error) {
    const crd_classifier *own_classifier = member->classifier;
    crd_i_one_cell *own_cells = (crd_i_one_cell *)scratch;
    double *own_logs = scratch + cells_room(own_classifier->attribute_count);
    double *of_texts = own_logs + own_classifier->class_count;
    const crd_i_scored_row row = {own_classifier, own_cells, of_texts + ensemble_scorer_texts_room(own_classifier)};
    crd_answer answer;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < own_classifier->attribute_count; i++) {
        own_cells[i] = ensemble_scorer_translate(member, i, cells);
        status = crd_i_cell_read(&own_classifier->attributes[i], &own_cells[i], of_texts, error);
        if (own_classifier->attributes[i].type == CRD_TYPE_TEXT) of_texts += own_classifier->class_count;
    }
    if (status == CRD_OK)
        status = own_classifier->scorer->type->score(own_classifier->scorer, &row, own_logs, NULL, &answer, error);
    if (status != CRD_OK) return status;
    for (size_t k = 0; k < classes; k++) logs[k] = -INFINITY;
    for (size_t k = 0; answer.decision >= 0 && k < own_classifier->class_count; k++)
        logs[member->classes[k]] = own_logs[k];
    *evidence = answer.log_evidence;
    return CRD_OK;
}

/* Computes the log posteriors of each member in the owner's classes, and its log evidence. The space after `evidences`
 * is the members' scratch. */
static crd_status ensemble_scorer_ask_members(const crd_i_ensemble_scorer *ensemble, const crd_i_scored_row *row,
                                              double *logs, double *evidences, crd_error *error) {
    size_t classes = row->classifier->class_count;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < ensemble->count; i++)
        status = ask_member(&ensemble->members[i], row->cells, classes, logs + i * classes, &evidences[i],
                            evidences + ensemble->count, error);
    return status;
}

/* Scores a row with all members and combines their predictions. */
static crd_status ensemble_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                        double *probabilities, crd_answer *answer, crd_error *error) {
    const crd_i_ensemble_scorer *ensemble = (const crd_i_ensemble_scorer *)scorer;
    const crd_classifier *owner = row->classifier;
    size_t classes = owner->class_count;
    double *logs = row->scratch, *evidences = logs + ensemble->count * classes, draw = 0;
    crd_status status = ensemble_scorer_ask_members(ensemble, row, logs, evidences, error);
    if (status != CRD_OK) return status;
    if (ensemble->rule == CRD_I_ENSEMBLE_GIBBS) {
        crd_i_random random = crd_i_random_at(ensemble->seed, hash_cells(owner, row->cells));
        draw = crd_i_random_uniform(&random);
    }
    crd_i_row_begin(row, log_posterior, answer);
    double evidence = crd_i_ensemble_scorer_join(ensemble, classes, logs, evidences, draw, log_posterior);
    crd_i_classifier_conclude(owner->lanes, owner->log_priors, classes, log_posterior, probabilities, answer);
    answer->log_evidence = answer->decision < 0 ? -INFINITY : evidence;
    return CRD_OK;
}

/* ---- Description ---- */

static size_t ensemble_scorer_count_members(const crd_i_scorer *scorer) {
    return ((const crd_i_ensemble_scorer *)scorer)->count;
}

static void ensemble_scorer_describe(const crd_i_scorer *scorer, size_t member, crd_ensemble_member *out) {
    const crd_i_ensemble_member *ensemble_member = &((const crd_i_ensemble_scorer *)scorer)->members[member];
    out->classifier = ensemble_member->classifier;
    out->weight = ensemble_member->weight;
}

static const char *name_rule(const crd_i_scorer *scorer) {
    static const char *const names[] = {[CRD_I_ENSEMBLE_AVERAGE] = "average",
                                        [CRD_I_ENSEMBLE_GIBBS] = "gibbs",
                                        [CRD_I_ENSEMBLE_PRODUCT] = "product",
                                        [CRD_I_ENSEMBLE_VOTE] = "vote"};
    return names[((const crd_i_ensemble_scorer *)scorer)->rule];
}

static double log_factor(const crd_i_scorer *scorer, size_t class_index) {
    const crd_i_ensemble_scorer *ensemble_scorer = (const crd_i_ensemble_scorer *)scorer;
    return ensemble_scorer->offsets == NULL ? 0 : ensemble_scorer->offsets[class_index];
}

static crd_status find_posteriors(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posteriors,
                                  crd_error *error) {
    const crd_i_ensemble_scorer *ensemble_scorer = (const crd_i_ensemble_scorer *)scorer;
    return ensemble_scorer_ask_members(ensemble_scorer, row, log_posteriors,
                                       row->scratch + ensemble_scorer->count * row->classifier->class_count, error);
}

static bool add_estimates(const crd_i_scorer *scorer, crd_i_estimates *target_estimates) {
    const crd_i_ensemble_scorer *ensemble_scorer = (const crd_i_ensemble_scorer *)scorer;
    for (size_t i = 0; i < ensemble_scorer->count; i++) {
        const crd_i_estimates *source_estimates = &ensemble_scorer->members[i].classifier->estimates;
        for (size_t e = 0; e < source_estimates->count; e++)
            if (!crd_i_estimates_add(target_estimates, source_estimates->entries[e].what,
                                     source_estimates->entries[e].count))
                return false;
    }
    return true;
}

static const crd_i_scorer_members members = {
    ensemble_scorer_count_members, ensemble_scorer_describe, name_rule, log_factor, find_posteriors, add_estimates};

static const crd_i_scorer_type ensemble_type = {
    .name = "ensemble", .score = ensemble_scorer_score, .destroy = ensemble_scorer_destroy, .members = &members};

/* Creates an empty scorer, which the owner destroys. */
crd_status crd_i_ensemble_scorer_create(crd_classifier *owner, crd_i_ensemble_rule rule, uint64_t seed,
                                        crd_i_ensemble_scorer **out, crd_error *error) {
    crd_i_ensemble_scorer *ensemble_scorer = *out = crd_i_alloc_zeroed(owner->context, 1, sizeof *ensemble_scorer);
    if (ensemble_scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {.type = &ensemble_type, .context = owner->context};
    ensemble_scorer->base = base;
    ensemble_scorer->rule = rule;
    ensemble_scorer->seed = seed;
    owner->scorer = &ensemble_scorer->base;
    for (size_t i = 0; i < owner->attribute_count; i++) owner->attributes[i].is_joint = true;
    return CRD_OK;
}
