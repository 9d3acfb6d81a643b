/* SPDX-License-Identifier: MIT */
/* hypotheses.c - weighs models by data and combines them.
 *
 * The posterior is P(h | D) = P(D | h) P(h) / sum over h' of P(D | h') P(h'). If P(D | h) has a closed form, it is
 * computed from exact tallies of the rows (marginal_likelihood.c). Otherwise it is the product of the model's
 * predictive probabilities of the rows, with the model unchanged. The logarithms are summed exactly. Neither depends on
 * the order of rows.
 *
 * Densities over different columns cannot be compared, but class probabilities can. So if the hypotheses have different
 * columns, only the predicted class probabilities are compared. */
#include "ensemble/hypotheses.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "ensemble/member_models.h"
#include "math/functions/elementary.h"
#include "model/learn_reader.h"
#include "model/model_create.h"

#include <math.h>

crd_status crd_hypotheses_create(crd_context *context, crd_hypotheses **out, crd_error *error) {
    *out = crd_i_alloc_zeroed(context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    (*out)->context = context;
    return CRD_OK;
}

static void clear_one(crd_context *context, crd_i_hypothesis *hypothesis) {
    crd_free(context, (void *)hypothesis->name.bytes);
    crd_model_destroy(hypothesis->model);
    crd_classifier_destroy(hypothesis->classifier);
}

void crd_hypotheses_destroy(crd_hypotheses *hypotheses) {
    if (hypotheses == NULL) return;
    for (size_t i = 0; i < hypotheses->count; i++) clear_one(hypotheses->context, &hypotheses->each[i]);
    crd_free(hypotheses->context, hypotheses->each);
    crd_model_destroy(hypotheses->all);
    crd_free(hypotheses->context, hypotheses);
}

size_t crd_hypotheses_count(const crd_hypotheses *hypotheses) {
    return hypotheses->count;
}

/* ---- Priors and posteriors ---- */

static double sum_of_priors(const crd_hypotheses *h) {
    double sum = 0;
    for (size_t i = 0; i < h->count; i++) sum += h->each[i].prior;
    return sum;
}

/* Resets the posteriors to the normalized priors. */
static void forget_data(crd_hypotheses *h) {
    double sum = sum_of_priors(h);
    for (size_t i = 0; i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->log_likelihood = hypothesis->impossible = 0;
        hypothesis->likelihood = CRD_LIKELIHOOD_NONE;
        hypothesis->posterior = sum > 0 ? hypothesis->prior / sum : 0;
    }
}

static crd_status check_share(double share, const char *description, crd_error *error) {
    if (share >= 0 && share <= 1e300) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the %s of a hypothesis is negative or not finite", description);
}

/* Appends a hypothesis and recomputes the union of all columns and values. Resets the posteriors. */
static crd_status hypotheses_append(crd_hypotheses *h, const crd_i_hypothesis *added, crd_error *error) {
    if (!crd_i_reserve(h->context, &h->each, &h->capacity, h->count + 1, sizeof *h->each))
        return crd_i_fail_memory(error);
    const crd_model **models = crd_i_alloc(h->context, h->count + 1, sizeof *models);
    if (models == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < h->count; i++) models[i] = h->each[i].model;
    models[h->count] = added->model;
    crd_model *all;
    crd_status status = crd_i_members_unite(h->context, models, h->count + 1, &all, error);
    crd_free(h->context, models);
    if (status != CRD_OK) return status;
    crd_model_destroy(h->all);
    h->all = all;
    h->each[h->count++] = *added;
    forget_data(h);
    return CRD_OK;
}

/* Copies the model and creates its classifier. Ensembles are rejected. */
crd_status crd_hypotheses_add(crd_hypotheses *hypotheses, crd_text name, const crd_model *model, double prior,
                              crd_error *error) {
    crd_context *context = hypotheses->context;
    crd_i_hypothesis added = {.prior = prior};
    crd_status status = check_share(prior, "prior", error);
    if (status == CRD_OK && model->context != context)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model belongs to another context");
    if (status == CRD_OK && crd_i_members_of(model) != NULL)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT,
                            "the model is an ensemble itself: combine its members with the other models");
    if (status != CRD_OK) return status;
    added.name = crd_i_text_copy(context, name);
    if (added.name.bytes == NULL) return crd_i_fail_memory(error);
    status = crd_i_model_clone(model, &added.model, error);
    if (status == CRD_OK) status = crd_classifier_create(added.model, NULL, &added.classifier, error);
    if (status == CRD_OK) status = hypotheses_append(hypotheses, &added, error);
    if (status != CRD_OK) clear_one(context, &added);
    return status;
}

crd_status crd_hypotheses_at(const crd_hypotheses *hypotheses, size_t index, crd_hypothesis *out, crd_error *error) {
    if (index >= hypotheses->count) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown hypothesis %zu", index);
    const crd_i_hypothesis *hypothesis = &hypotheses->each[index];
    double sum = sum_of_priors(hypotheses);
    const crd_hypothesis found_hypothesis = {sizeof found_hypothesis,    hypothesis->name,
                                             hypothesis->model,          sum > 0 ? hypothesis->prior / sum : 0,
                                             hypothesis->log_likelihood, hypothesis->likelihood,
                                             hypothesis->impossible,     hypothesis->posterior};
    crd_i_copy_out(&found_hypothesis, sizeof found_hypothesis, out);
    return CRD_OK;
}

crd_status crd_hypotheses_set_posterior(crd_hypotheses *hypotheses, const double *posterior, crd_error *error) {
    double sum = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < hypotheses->count; i++) {
        status = check_share(posterior[i], "posterior", error);
        sum += posterior[i];
    }
    if (status == CRD_OK && !(sum > 0))
        status = crd_i_fail(error, CRD_ERROR_PROBABILITY, "every hypothesis' posterior is zero");
    if (status != CRD_OK) return status;
    forget_data(hypotheses);
    for (size_t i = 0; i < hypotheses->count; i++) hypotheses->each[i].posterior = posterior[i] / sum;
    return CRD_OK;
}

/* ---- Likelihood, row by row ---- */

typedef struct hypotheses_judgment {
    crd_hypotheses *hypotheses;
    bool of_classes; /* true: probabilities of the classes given the values; false: probabilities of whole rows */
    crd_posteriors *posteriors;
    crd_i_sums sums;    /* exact sum of log probabilities for each hypothesis */
    double *impossible; /* weight of the rows with probability 0, for each hypothesis */
    uint64_t rows;
} hypotheses_judgment;

static size_t hypotheses_find_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; name.bytes != NULL && i < crd_frame_column_count(frame); i++)
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    return SIZE_MAX;
}

/* Adds the log probability of one row under one hypothesis. Returns false if memory runs out. */
static bool hypotheses_judge_row(hypotheses_judgment *j, size_t hypothesis, size_t row, crd_text truth, double weight) {
    const crd_classifier *classifier = j->hypotheses->each[hypothesis].classifier;
    int32_t class = crd_i_dictionary_find(classifier->classes, truth);
    double log_probability = -INFINITY;
    if (class >= 0) log_probability = crd_posteriors_log(j->posteriors, row)[class];
    if (class >= 0 && !j->of_classes) log_probability += crd_posteriors_answer(j->posteriors, row)->log_evidence;
    if (log_probability > -INFINITY) return crd_i_sums_add_product(&j->sums, hypothesis, weight, log_probability);
    j->impossible[hypothesis] += weight;
    return true;
}

/* Adds the rows of a frame for all hypotheses. Rows without a class or with weight 0 are skipped. */
static crd_status judge_frame(hypotheses_judgment *j, const crd_frame *frame, crd_error *error) {
    const crd_i_schema *schema = j->hypotheses->all->schema;
    size_t target = hypotheses_find_column(frame, schema->columns[schema->target].name);
    size_t weight_column = hypotheses_find_column(frame, schema->weight.name);
    for (size_t i = 0; i < j->hypotheses->count; i++) {
        crd_status status = crd_classifier_classify(j->hypotheses->each[i].classifier, frame, j->posteriors, error);
        if (status != CRD_OK) return status;
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            crd_value truth = crd_frame_value(frame, row, target);
            double weight = weight_column == SIZE_MAX ? 1 : crd_frame_value(frame, row, weight_column).number;
            if (!(weight >= 0)) return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is negative or missing");
            if (truth.kind == CRD_KIND_NONE || weight == 0) continue;
            j->rows += i == 0;
            if (!hypotheses_judge_row(j, i, row, truth.text, weight)) return crd_i_fail_memory(error);
        }
    }
    return CRD_OK;
}

static crd_status begin_judging(hypotheses_judgment *j, crd_error *error) {
    size_t count = j->hypotheses->count;
    crd_i_sums_clear(&j->sums);
    crd_i_sums_init(&j->sums, j->hypotheses->context);
    for (size_t i = 0; i < count; i++) j->impossible[i] = 0;
    j->rows = 0;
    return crd_i_sums_extend(&j->sums, count) ? CRD_OK : crd_i_fail_memory(error);
}

/* Reads all frames. Begins again if the reader has to restart. */
static crd_status judge_frames(hypotheses_judgment *j, crd_reader *reader, crd_error *error) {
    size_t most_classes = 0;
    for (size_t i = 0; i < j->hypotheses->count; i++) {
        size_t classes = j->hypotheses->each[i].classifier->class_count;
        if (classes > most_classes) most_classes = classes;
    }
    crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(most_classes));
    crd_status status = begin_judging(j, error);
    while (status == CRD_OK) {
        const crd_frame *frame = NULL;
        if (crd_i_context_cancelled(j->hypotheses->context)) return crd_i_fail_cancelled(error);
        status = crd_reader_next(reader, &frame, error);
        if (status == CRD_RESTART) status = begin_judging(j, error);
        else if (status == CRD_OK && frame == NULL) break;
        else if (status == CRD_OK) status = judge_frame(j, frame, error);
    }
    if (status == CRD_OK && j->rows == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "cannot weigh the hypotheses: no row has a class");
    return status;
}

/* Computes the likelihoods row by row, of the classes or of whole rows. */
static crd_status hypotheses_judge_rows(crd_hypotheses *h, crd_reader *reader, bool of_classes, crd_error *error) {
    hypotheses_judgment j = {.hypotheses = h, .of_classes = of_classes};
    crd_i_sums_init(&j.sums, h->context);
    j.impossible = crd_i_alloc_zeroed(h->context, h->count, sizeof *j.impossible);
    crd_status status = j.impossible == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = crd_posteriors_create(h->context, &j.posteriors, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(h->all, reader, error);
    if (status == CRD_OK) status = judge_frames(&j, reader, error);
    for (size_t i = 0; status == CRD_OK && i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->likelihood = of_classes ? CRD_LIKELIHOOD_CLASSES : CRD_LIKELIHOOD_ROWS;
        hypothesis->impossible = j.impossible[i];
        hypothesis->log_likelihood = hypothesis->impossible > 0 ? -INFINITY : crd_i_sums_value(&j.sums, i);
    }
    crd_posteriors_destroy(j.posteriors);
    crd_i_sums_clear(&j.sums);
    crd_free(h->context, j.impossible);
    return status;
}

/* ---- Likelihood in closed form ---- */

/* Computes the likelihoods in closed form. `rows` NULL: of each model's own training rows. */
static crd_status judge_tally(crd_hypotheses *h, const crd_model *rows, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->likelihood = CRD_LIKELIHOOD_CLOSED;
        status = crd_i_marginal_log(hypothesis, h->all, rows == NULL ? hypothesis->model : rows, rows == NULL,
                                    &hypothesis->log_likelihood, &hypothesis->impossible, error);
    }
    return status;
}

/* Counts the rows of the reader and computes the likelihoods in closed form. */
static crd_status judge_closed(crd_hypotheses *h, crd_reader *reader, crd_error *error) {
    crd_model *rows = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_model_bind_to_learn(h->all, reader, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(h->all, reader, &rows, &facts, error);
    if (status == CRD_OK && facts.rows == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "cannot weigh the hypotheses: no row has a class");
    if (status == CRD_OK) status = judge_tally(h, rows, error);
    crd_model_destroy(rows);
    return status;
}

/* ---- Choice of the likelihood ---- */

/* Returns whether all hypotheses have the same columns, with the same types. */
static bool same_columns(const crd_hypotheses *h) {
    const crd_i_schema *all = h->all->schema;
    for (size_t i = 0; i < h->count; i++) {
        const crd_classifier *own_classifier = h->each[i].classifier;
        if (own_classifier->attribute_count + 1 != all->count) return false;
        for (size_t a = 0; a < own_classifier->attribute_count; a++) {
            /* Usually the column has the same position. */
            size_t column = a < all->target ? a : a + 1;
            if (!crd_text_equal(all->columns[column].name, own_classifier->attributes[a].name))
                column = crd_i_schema_find(all, own_classifier->attributes[a].name);
            if (own_classifier->attributes[a].kind != all->columns[column].kind) return false;
        }
    }
    return true;
}

static crd_status hypotheses_refuse_rows(const crd_i_hypothesis *hypothesis, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_ARGUMENT,
               "'%s' predicts only classes, not whole rows, because of its method: weigh by the classes instead",
               crd_i_quote(hypothesis->name, quoted));
    crd_i_error_subject(error, hypothesis->name);
    return CRD_ERROR_ARGUMENT;
}

static crd_status refuse_closed(const crd_i_hypothesis *hypothesis, bool from_nothing, const char *why,
                                crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_ARGUMENT,
               "the probability of the rows%s has no closed form under '%s', because of %s: weigh by %s",
               from_nothing ? " learned" : "", crd_i_quote(hypothesis->name, quoted), why,
               from_nothing ? "other rows, or specify the posteriors" : "single rows, or by their classes");
    crd_i_error_subject(error, hypothesis->name);
    return CRD_ERROR_ARGUMENT;
}

/* Returns CRD_OK if the likelihood has a closed form under all hypotheses and they have the same columns. */
static crd_status hypotheses_check_closed(const crd_hypotheses *h, bool from_nothing, crd_error *error) {
    const char *why;
    for (size_t i = 0; i < h->count; i++)
        if (!crd_i_marginal_exists(&h->each[i], from_nothing, &why))
            return refuse_closed(&h->each[i], from_nothing, why, error);
    if (same_columns(h)) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the models have different columns, so only classes can be compared, not rows");
}

/* Returns CRD_ERROR_ARGUMENT if the models were certainly trained on different rows: their class counts differ. Equal
 * counts do not prove equal rows. */
static crd_status check_same_rows(const crd_hypotheses *h, crd_error *error) {
    const crd_i_dictionary *classes = crd_i_model_target(h->all)->values;
    for (size_t k = 0; k < crd_i_dictionary_size(classes); k++) {
        double rows[2] = {0, 0};
        for (size_t i = 0; i < h->count; i++) {
            const crd_model *model = h->each[i].model;
            int32_t code = crd_i_dictionary_find(crd_i_model_target(model)->values, crd_i_dictionary_text(classes, k));
            rows[i > 0] = code < 0 ? 0 : crd_i_model_class_rows(model, (size_t)code);
            if (i > 0 && rows[0] != rows[1])
                return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                  "the models were trained on different rows, which cannot weigh them: weigh by "
                                  "other rows, or specify the posteriors");
        }
    }
    return CRD_OK;
}

/* Chooses how the likelihoods are computed: in closed form if possible, otherwise as requested. By default, falls back
 * to the classes. */
static crd_status hypotheses_judge(crd_hypotheses *h, crd_reader *reader, crd_likelihood likelihood, crd_error *error) {
    if (reader == NULL) {
        crd_status status = hypotheses_check_closed(h, true, error);
        if (status == CRD_OK) status = check_same_rows(h, error);
        return status == CRD_OK ? judge_tally(h, NULL, error) : status;
    }
    if (likelihood == CRD_LIKELIHOOD_CLASSES) return hypotheses_judge_rows(h, reader, true, error);
    crd_status status = hypotheses_check_closed(h, false, error);
    if (status == CRD_OK) return judge_closed(h, reader, error);
    if (likelihood == CRD_LIKELIHOOD_CLOSED) return status;
    if (likelihood == CRD_LIKELIHOOD_NONE) return hypotheses_judge_rows(h, reader, true, error);
    if (!same_columns(h)) return status;
    for (size_t i = 0; i < h->count; i++)
        if (!h->each[i].classifier->scorer->is_generative) return hypotheses_refuse_rows(&h->each[i], error);
    return hypotheses_judge_rows(h, reader, false, error);
}

/* Computes the posteriors from priors and log likelihoods. Returns CRD_ERROR_PROBABILITY if all of them are 0. */
static crd_status set_posteriors(crd_hypotheses *h, crd_error *error) {
    double greatest = -INFINITY, sum = 0;
    for (size_t i = 0; i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->posterior =
            hypothesis->prior > 0 ? crd_log(hypothesis->prior) + hypothesis->log_likelihood : -INFINITY;
        if (hypothesis->posterior > greatest) greatest = hypothesis->posterior;
    }
    if (greatest == -INFINITY)
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the rows are impossible under every hypothesis");
    for (size_t i = 0; i < h->count; i++) {
        h->each[i].posterior = crd_exp(h->each[i].posterior - greatest);
        sum += h->each[i].posterior;
    }
    for (size_t i = 0; i < h->count; i++) h->each[i].posterior /= sum;
    return CRD_OK;
}

crd_status crd_hypotheses_weigh(crd_hypotheses *hypotheses, crd_reader *reader, crd_likelihood likelihood,
                                crd_error *error) {
    if (hypotheses->count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the list of hypotheses is empty");
    if (!(sum_of_priors(hypotheses) > 0))
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the prior of every hypothesis is zero");
    crd_status status = hypotheses_judge(hypotheses, reader, likelihood, error);
    if (status == CRD_OK) status = set_posteriors(hypotheses, error);
    if (status != CRD_OK) forget_data(hypotheses);
    return status;
}

/* ---- Combining ---- */

/* Returns the hypothesis with the largest posterior (MAP) or the largest likelihood (ML). The likelihood is posterior /
 * prior if no data were given. The first one wins ties. */
static size_t hypotheses_choose(const crd_hypotheses *h, crd_combine_rule rule) {
    bool is_ml = rule == CRD_COMBINE_ML, has_data = h->each[0].likelihood != CRD_LIKELIHOOD_NONE;
    size_t best = 0;
    double greatest = -INFINITY;
    for (size_t i = 0; i < h->count; i++) {
        const crd_i_hypothesis *hypothesis = &h->each[i];
        double score = hypothesis->posterior;
        if (is_ml && has_data) score = hypothesis->log_likelihood;
        else if (is_ml) score = hypothesis->prior > 0 ? hypothesis->posterior / hypothesis->prior : 0;
        if (score > greatest) {
            greatest = score;
            best = i;
        }
    }
    return best;
}

/* Copies the models into an ensemble. For MAP and ML, the chosen model gets weight 1 and all others 0. */
crd_status crd_hypotheses_combine(const crd_hypotheses *hypotheses, crd_combine_rule rule, uint64_t seed,
                                  crd_model **out, crd_error *error) {
    crd_context *context = hypotheses->context;
    *out = NULL;
    if (hypotheses->count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the list of models to combine is empty");
    if (hypotheses->count > UINT32_MAX) return crd_i_fail(error, CRD_ERROR_LIMIT, "more than 2^32 models");
    if (rule < CRD_COMBINE_OPTIMAL || rule > CRD_COMBINE_ML)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown rule");
    bool is_one = rule == CRD_COMBINE_MAP || rule == CRD_COMBINE_ML;
    size_t chosen = hypotheses_choose(hypotheses, rule);
    if (!is_one && !(hypotheses->each[hypotheses_choose(hypotheses, CRD_COMBINE_MAP)].posterior > 0))
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "every hypothesis' posterior is zero");
    crd_i_members *members = crd_i_alloc_zeroed(context, 1, sizeof *members);
    if (members == NULL) return crd_i_fail_memory(error);
    members->rule = rule;
    members->seed = rule == CRD_COMBINE_GIBBS ? seed : 0;
    members->each = crd_i_alloc_zeroed(context, hypotheses->count, sizeof *members->each);
    crd_status status = members->each == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (; status == CRD_OK && members->count < hypotheses->count; members->count++) {
        const crd_i_hypothesis *hypothesis = &hypotheses->each[members->count];
        crd_i_member *member = &members->each[members->count];
        member->weight = is_one ? members->count == chosen : hypothesis->posterior;
        member->name = crd_i_text_copy(context, hypothesis->name);
        status = member->name.bytes == NULL ? crd_i_fail_memory(error)
                                            : crd_i_model_clone(hypothesis->model, &member->model, error);
    }
    if (status == CRD_OK) return crd_i_members_join(context, members, out, error);
    crd_i_members_destroy(context, members);
    return status;
}
