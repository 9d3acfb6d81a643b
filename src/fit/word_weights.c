/* SPDX-License-Identifier: MIT */
/* word_weights.c - discriminative weights of the terms of texts, and probabilities that are less certain the more words
 * of a row's texts did not occur in training. See fit_internal.h.
 *
 * Contents:
 *   1. Vocabularies
 *   2. Rows
 *   3. Fitting
 *   4. Cached weights
 *   5. Entry points
 *   6. Unknown words */
#include "fit/fit_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "classify/joint_scorer.h"
#include "density/univariate/term_density.h"
#include "math/functions/elementary.h"
#include "math/logistic_newton.h"
#include "text/tokens.h"

#include <math.h>

/* ======== 1. Vocabularies ======== */

/* Maximum number of fitted coefficients. Terms that occur in more texts take precedence. */
enum { MOST_COEFFICIENTS = 1 << 22 };

/* A term that occurs in only one text has no information about other texts. */
enum { LEAST_TEXTS = 2 };

/* The penalties, beginning with the strongest. Each fit begins at the result of the previous one. */
static const double RIDGES[] = {1, 0.3, 0.1, 0.03};
enum { RIDGE_COUNT = 4, MOST_STEPS = 60 };
static const double ENOUGH = 1e-4;

/* Weights are stored as 16-bit integers, three per double. This is much more precise than the texts determine them. */
enum { STEPS_OF_WEIGHT = 32767, PACKED = 3 };

/* The terms of one attribute. */
typedef struct weights_vocabulary {
    size_t attribute;
    crd_i_dictionary *terms; /* terms that have weights */
    double *rarities;
    size_t first; /* first feature of the vocabulary */
} weights_vocabulary;

typedef struct word_weights_fitting {
    crd_context *context;
    crd_classifier *classifier;
    const crd_i_held_out *inner;
    const double *exponents;
    weights_vocabulary *texts;
    size_t text_count, features;
    size_t *starts, entry_count, entry_capacity, index_capacity;
    uint32_t *indices;
    double *values, *base, *weights, *coefficients;
} word_weights_fitting;

bool crd_i_word_weights_apply(const crd_classifier *classifier) {
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].type == CRD_TYPE_TEXT && crd_i_attribute_counts(&classifier->attributes[i]))
            return true;
    return false;
}

static void word_weights_clear(word_weights_fitting *f) {
    for (size_t i = 0; f->texts != NULL && i < f->text_count; i++) {
        crd_i_dictionary_destroy(f->texts[i].terms);
        crd_free(f->context, f->texts[i].rarities);
    }
    void *const blocks[] = {f->texts, f->starts, f->indices, f->values, f->base, f->weights, f->coefficients};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) crd_free(f->context, blocks[i]);
}

/* Begins to read the bag of terms of a row. *more is false if the text is missing or empty. */
static crd_status begin_bag(const word_weights_fitting *f, size_t attribute, size_t row, crd_i_bag_cursor *cursor,
                            bool *more, crd_error *error) {
    const crd_text bag = crd_i_held_out_text(f->inner, attribute, row);
    *more = bag.length > 0;
    return *more ? crd_i_bag_begin(bag, cursor, error) : CRD_OK;
}

/* Counts the texts that contain each term. */
static crd_status word_weights_count_texts(const word_weights_fitting *f, size_t attribute, crd_i_dictionary *terms,
                                           uint32_t **texts, crd_error *error) {
    size_t capacity = 0;
    crd_status status = CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < crd_i_held_out_rows(f->inner); row++) {
        crd_i_bag_cursor cursor;
        crd_text term;
        uint32_t times;
        bool more;
        status = begin_bag(f, attribute, row, &cursor, &more, error);
        while (status == CRD_OK && more) {
            status = crd_i_bag_next(&cursor, &term, &times, &more, error);
            if (status != CRD_OK || !more) break;
            const size_t before = crd_i_dictionary_size(terms);
            const int32_t code = crd_i_dictionary_add(terms, term);
            if (code < 0 || !crd_i_reserve(f->context, texts, &capacity, (size_t)code + 1, sizeof **texts))
                return crd_i_fail_memory(error);
            if ((size_t)code == before) (*texts)[code] = 0;
            (*texts)[code]++;
        }
    }
    return status;
}

/* Returns a number of texts, a power of two, such that at most `most` terms occur in at least that many texts. */
static uint32_t least_texts(const uint32_t *texts, size_t count, size_t most) {
    for (uint32_t least = LEAST_TEXTS;; least *= 2) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++) found += texts[i] >= least;
        if (found <= most || least > UINT32_MAX / 2) return least;
    }
}

/* Selects the terms that get weights and computes their inverse document frequencies. */
static crd_status word_weights_list_terms(word_weights_fitting *f, weights_vocabulary *vocabulary, crd_error *error) {
    const size_t rows = crd_i_held_out_rows(f->inner);
    crd_i_dictionary *all = crd_i_dictionary_create(f->context);
    uint32_t *texts = NULL;
    vocabulary->terms = crd_i_dictionary_create(f->context);
    crd_status status = all == NULL || vocabulary->terms == NULL
                            ? crd_i_fail_memory(error)
                            : word_weights_count_texts(f, vocabulary->attribute, all, &texts, error);
    const size_t count = status == CRD_OK ? crd_i_dictionary_size(all) : 0;
    vocabulary->rarities = crd_i_alloc(f->context, count, sizeof *vocabulary->rarities);
    if (vocabulary->rarities == NULL && status == CRD_OK) status = crd_i_fail_memory(error);
    const uint32_t least = least_texts(texts, count, MOST_COEFFICIENTS / f->text_count / f->classifier->class_count);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (texts[i] < least) continue;
        const int32_t code = crd_i_dictionary_add(vocabulary->terms, crd_i_dictionary_text(all, i));
        if (code < 0) status = crd_i_fail_memory(error);
        else vocabulary->rarities[code] = 1 + crd_log((1 + (double)rows) / (1 + (double)texts[i]));
    }
    crd_i_dictionary_destroy(all);
    crd_free(f->context, texts);
    vocabulary->first = f->features;
    if (status == CRD_OK) f->features += crd_i_dictionary_size(vocabulary->terms);
    return status;
}

/* Lists the text attributes and their terms, and allocates the coefficients. */
static crd_status word_weights_open(word_weights_fitting *f, crd_error *error) {
    const crd_classifier *classifier = f->classifier;
    f->texts = crd_i_alloc_zeroed(f->context, classifier->attribute_count, sizeof *f->texts);
    if (f->texts == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->attributes[i].type == CRD_TYPE_TEXT && crd_i_attribute_counts(&classifier->attributes[i]))
            f->texts[f->text_count++].attribute = i;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < f->text_count; i++)
        status = word_weights_list_terms(f, &f->texts[i], error);
    f->coefficients = crd_i_alloc_zeroed(f->context, f->features * classifier->class_count, sizeof *f->coefficients);
    if (status == CRD_OK && f->coefficients == NULL) status = crd_i_fail_memory(error);
    return status;
}

/* ======== 2. Rows ======== */

/* Adds the features of one text to the current row: log(1 + times) * idf, scaled to unit length. */
static crd_status add_features(word_weights_fitting *f, const weights_vocabulary *vocabulary, size_t row,
                               crd_error *error) {
    crd_i_bag_cursor cursor;
    crd_text term;
    uint32_t times;
    bool more;
    double squares = 0;
    const size_t begin = f->entry_count;
    crd_status status = begin_bag(f, vocabulary->attribute, row, &cursor, &more, error);
    while (status == CRD_OK && more) {
        status = crd_i_bag_next(&cursor, &term, &times, &more, error);
        if (status != CRD_OK || !more) break;
        const int32_t code = crd_i_dictionary_find(vocabulary->terms, term);
        if (code < 0) continue;
        if (!crd_i_reserve(f->context, &f->values, &f->entry_capacity, f->entry_count + 1, sizeof *f->values) ||
            !crd_i_reserve(f->context, &f->indices, &f->index_capacity, f->entry_count + 1, sizeof *f->indices))
            return crd_i_fail_memory(error);
        const double value = crd_log(1 + (double)times) * vocabulary->rarities[code];
        squares += value * value;
        f->indices[f->entry_count] = (uint32_t)(vocabulary->first + (size_t)code);
        f->values[f->entry_count++] = value;
    }
    for (size_t i = begin; i < f->entry_count; i++) f->values[i] /= sqrt(squares);
    return status;
}

/* Computes the unweighted part of a row's score: the priors and the terms of non-text attributes, minus their
 * maximum. */
static void find_base(const word_weights_fitting *f, size_t row, crd_i_one_cell *cells, double *scratch, double *base) {
    const crd_classifier *classifier = f->classifier;
    const size_t classes = classifier->class_count;
    crd_i_held_out_row(f->inner, classifier, row, cells);
    for (size_t k = 0; k < classes; k++) base[k] = classifier->log_priors[k];
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (attribute->type == CRD_TYPE_TEXT || !cells[i].is_present || cells[i].is_unseen ||
            !crd_i_attribute_counts(attribute))
            continue;
        const crd_i_cells one = crd_i_cells_of(&cells[i]);
        for (size_t k = 0; k < classes; k++) scratch[k] = 0;
        attribute->density->family->add(attribute->density, &one, scratch);
        for (size_t k = 0; k < classes; k++) base[k] += f->exponents[i] * scratch[k];
    }
    double greatest = base[0];
    for (size_t k = 1; k < classes; k++)
        if (base[k] > greatest) greatest = base[k];
    for (size_t k = 0; k < classes; k++) {
        base[k] -= greatest;
        if (!(base[k] > -CRD_I_FOLD_WEIGHTS_MOST)) base[k] = -CRD_I_FOLD_WEIGHTS_MOST;
    }
}

/* Computes the sparse features and the base of every row. */
static crd_status fill_rows(word_weights_fitting *f, crd_error *error) {
    const size_t rows = crd_i_held_out_rows(f->inner), classes = f->classifier->class_count;
    crd_i_one_cell *cells = crd_i_alloc(f->context, f->classifier->attribute_count, sizeof *cells);
    double *scratch = crd_i_alloc(f->context, classes, sizeof *scratch);
    f->starts = crd_i_alloc_zeroed(f->context, rows + 1, sizeof *f->starts);
    f->base = crd_i_alloc(f->context, rows * classes, sizeof *f->base);
    f->weights = crd_i_alloc(f->context, rows, sizeof *f->weights);
    bool has_room = cells != NULL && scratch != NULL && f->starts != NULL && f->base != NULL && f->weights != NULL;
    crd_status status = has_room ? CRD_OK : crd_i_fail_memory(error);
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        for (size_t i = 0; status == CRD_OK && i < f->text_count; i++)
            status = add_features(f, &f->texts[i], row, error);
        if (status != CRD_OK) break;
        f->starts[row + 1] = f->entry_count;
        find_base(f, row, cells, scratch, f->base + row * classes);
    }
    crd_free(f->context, cells);
    crd_free(f->context, scratch);
    return status;
}

/* ======== 3. Fitting ======== */

static crd_i_sparse_logistic problem_of(const word_weights_fitting *f) {
    const crd_i_sparse_logistic problem = {.rows = crd_i_held_out_rows(f->inner),
                                           .classes = f->classifier->class_count,
                                           .features = f->features,
                                           .starts = f->starts,
                                           .indices = f->indices,
                                           .values = f->values,
                                           .base = f->base,
                                           .truths = crd_i_held_out_classes(f->inner),
                                           .weights = crd_i_held_out_weights(f->inner),
                                           .enough = ENOUGH,
                                           .most_steps = MOST_STEPS};
    return problem;
}

/* Sets the weights of the rows of the first fold (is_held_out) or of all other folds; all other weights become 0. */
static void weigh_rows(const word_weights_fitting *f, bool is_held_out) {
    const size_t end = crd_i_held_out_start(f->inner, 1);
    for (size_t row = 0; row < crd_i_held_out_rows(f->inner); row++)
        f->weights[row] = (row < end) == is_held_out ? crd_i_held_out_weights(f->inner)[row] : 0;
}

/* Finds the penalty with the lowest loss on the first fold, fitted to the other folds. */
static crd_status find_ridge(word_weights_fitting *f, double *ridge, crd_error *error) {
    crd_i_sparse_logistic problem = problem_of(f);
    double least = INFINITY;
    problem.weights = f->weights;
    *ridge = RIDGES[0];
    for (size_t i = 0; i < RIDGE_COUNT; i++) {
        double loss;
        problem.ridge = RIDGES[i];
        weigh_rows(f, false);
        bool done = crd_i_sparse_logistic_fit(f->context, &problem, f->coefficients);
        weigh_rows(f, true);
        done = done && crd_i_sparse_logistic_loss(f->context, &problem, f->coefficients, f->weights, &loss);
        if (!done) return crd_i_fail_memory(error);
        if (crd_i_context_cancelled(f->context)) return crd_i_fail_cancelled(error);
        /* The loss is assumed to have one minimum over the penalties, so stop after it. */
        if (!(loss < least)) break;
        least = loss;
        *ridge = RIDGES[i];
    }
    return CRD_OK;
}

/* Returns the quantization step: the largest coefficient divided by STEPS_OF_WEIGHT. */
static double word_weights_find_scale(const word_weights_fitting *f) {
    double greatest = 0;
    for (size_t i = 0; i < f->features * f->classifier->class_count; i++)
        if (fabs(f->coefficients[i]) > greatest) greatest = fabs(f->coefficients[i]);
    return greatest > 0 ? greatest / STEPS_OF_WEIGHT : 1;
}

/* Fits the coefficients to all rows under the best penalty and rounds them to quantization steps. */
static crd_status word_weights_fit(word_weights_fitting *f, crd_error *error) {
    crd_i_sparse_logistic problem = problem_of(f);
    crd_status status = fill_rows(f, error);
    problem = problem_of(f);
    if (status == CRD_OK) status = find_ridge(f, &problem.ridge, error);
    if (status == CRD_OK && !crd_i_sparse_logistic_fit(f->context, &problem, f->coefficients))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK && crd_i_context_cancelled(f->context)) status = crd_i_fail_cancelled(error);
    if (status != CRD_OK) return status;
    const double scale = word_weights_find_scale(f);
    for (size_t i = 0; i < f->features * f->classifier->class_count; i++)
        f->coefficients[i] = scale * floor(f->coefficients[i] / scale + 0.5);
    return CRD_OK;
}

/* ======== 4. Cached weights ========
 *
 * The numbers are the quantization step, then the weights. */

static size_t word_weights_packed_count(const word_weights_fitting *f) {
    return 1 + (f->features * f->classifier->class_count + PACKED - 1) / PACKED;
}

/* Packs the coefficients and adds them to the classifier's cache of fits. */
static crd_status word_weights_put(const word_weights_fitting *f, crd_error *error) {
    const size_t count = word_weights_packed_count(f), weights = f->features * f->classifier->class_count;
    double *numbers = crd_i_alloc_zeroed(f->context, count, sizeof *numbers);
    if (numbers == NULL) return crd_i_fail_memory(error);
    numbers[0] = word_weights_find_scale(f);
    for (size_t i = 0; i < weights; i++) {
        const double step = floor(f->coefficients[i] / numbers[0] + 0.5) + STEPS_OF_WEIGHT;
        numbers[1 + i / PACKED] += ldexp(step, 16 * (int)(i % PACKED));
    }
    bool done = crd_i_fit_cache_put(&f->classifier->fitted, "words", f->classifier->settings, numbers, count);
    crd_free(f->context, numbers);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Unpacks stored coefficients. Returns false if they do not match this vocabulary. */
static bool word_weights_take(word_weights_fitting *f, const crd_i_fit *known) {
    const double most = ldexp(1, 48);
    if (known == NULL || known->count != word_weights_packed_count(f) || !(known->numbers[0] > 0)) return false;
    for (size_t i = 1; i < known->count; i++)
        if (!(known->numbers[i] >= 0 && known->numbers[i] < most)) return false;
    for (size_t i = 0; i < f->features * f->classifier->class_count; i++) {
        const uint64_t packed = (uint64_t)known->numbers[1 + i / PACKED];
        const int step = (int)(packed >> (16 * (i % PACKED)) & 0xffff) - STEPS_OF_WEIGHT;
        f->coefficients[i] = known->numbers[0] * step;
    }
    return true;
}

/* ======== 5. Entry points ======== */

/* Passes the weights of one attribute, and ownership of its vocabulary, to its density. */
static crd_status set_weights(word_weights_fitting *f, weights_vocabulary *vocabulary, crd_error *error) {
    const size_t classes = f->classifier->class_count, terms = crd_i_dictionary_size(vocabulary->terms);
    crd_i_term_weights *term_weights = crd_i_alloc_zeroed(f->context, 1, sizeof *term_weights);
    if (term_weights == NULL) return crd_i_fail_memory(error);
    term_weights->context = f->context;
    term_weights->values = crd_i_alloc(f->context, terms * classes, sizeof *term_weights->values);
    if (term_weights->values == NULL) {
        crd_i_term_weights_destroy(term_weights);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < terms * classes; i++)
        term_weights->values[i] = vocabulary->rarities[i / classes] * f->coefficients[vocabulary->first * classes + i];
    term_weights->terms = vocabulary->terms;
    term_weights->rarities = vocabulary->rarities;
    vocabulary->terms = NULL;
    vocabulary->rarities = NULL;
    crd_i_term_density_set_weights(f->classifier->attributes[vocabulary->attribute].density, term_weights);
    return CRD_OK;
}

crd_status crd_i_word_weights_derive(crd_classifier *classifier, const crd_model *model, const crd_i_held_out *inner,
                                     const double *exponents, crd_error *error) {
    word_weights_fitting f = {
        .context = classifier->context, .classifier = classifier, .inner = inner, .exponents = exponents};
    /* With so few rows, none can be held out. */
    if (crd_i_held_out_rows(inner) < 2 * CRD_I_HELD_OUT_FOLDS || classifier->class_count < 2) return CRD_OK;
    crd_status status = word_weights_open(&f, error);
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, "words", classifier->settings);
    if (status == CRD_OK && f.features > 0) {
        if (!word_weights_take(&f, known)) status = word_weights_fit(&f, error);
        if (status == CRD_OK) status = word_weights_put(&f, error);
        for (size_t i = 0; status == CRD_OK && i < f.text_count; i++) status = set_weights(&f, &f.texts[i], error);
    }
    word_weights_clear(&f);
    return status;
}

/* ======== 6. Unknown words ======== */

typedef struct known_words_scorer {
    crd_i_scorer base;
    crd_i_scorer *inner;
} known_words_scorer;

/* ---- Scoring ---- */

static const crd_i_scorer *known_words_scorer_inner(const crd_i_scorer *scorer) {
    return ((const known_words_scorer *)scorer)->inner;
}

/* Returns the factor of the evidence, between 0 and 1. It is 0 if at least half of the words are unseen, and 1 if all
 * words are known. */
static double factor_of(const crd_i_scored_row *row) {
    double words = 0, unseen = 0, weights = 0, weighted = 0;
    for (size_t i = 0; i < row->classifier->attribute_count; i++) {
        const crd_i_terms_read *terms = &row->cells[i].terms;
        const double count = (double)terms->known_words + (double)terms->unseen_words;
        if (count == 0) continue;
        words += count;
        unseen += terms->unseen_words;
        weights += sqrt(count);
        weighted += sqrt(count) * (terms->unseen_words / count);
    }
    if (unseen == 0) return 1;
    const double share = fmax(unseen / words, weighted / weights);
    return share >= 0.5 ? 0 : 1 - share / (1 - share);
}

/* Multiplies the log ratios of posterior to prior by the factor and normalizes them. */
static void known_words_scorer_apply(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                     double *probabilities, crd_answer *answer) {
    (void)scorer;
    const crd_classifier *classifier = row->classifier;
    const double factor = factor_of(row);
    if (answer->decision < 0 || factor == 1) return;
    /* evidence depends on the words only, so the correction does not change it */
    const double evidence = answer->log_evidence;
    for (size_t k = 0; k < classifier->class_count; k++) {
        const double prior = classifier->log_priors[k], log_ratio = log_posterior[k] - prior;
        log_posterior[k] = prior == -INFINITY || factor == 0 ? prior : prior + factor * log_ratio;
    }
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_posterior,
                              probabilities, answer);
    answer->log_evidence = evidence;
}

static crd_status known_words_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row,
                                           double *log_posterior, double *probabilities, crd_answer *answer,
                                           crd_error *error) {
    const crd_i_scorer *inner = known_words_scorer_inner(scorer);
    crd_status status = inner->type->score(inner, row, log_posterior, probabilities, answer, error);
    if (status == CRD_OK) known_words_scorer_apply(scorer, row, log_posterior, probabilities, answer);
    return status;
}

static void known_words_scorer_destroy(crd_i_scorer *scorer) {
    crd_i_scorer_destroy(((known_words_scorer *)scorer)->inner);
    crd_free(scorer->context, scorer);
}

static void known_words_scorer_describe(const crd_i_scorer *scorer, crd_calibration *out) {
    (void)scorer;
    out->rule = "known-words";
    out->slope = 1;
}

static bool known_words_scorer_find_point(const crd_i_scorer *scorer, size_t class_index, size_t index, double *source,
                                          double *destination) {
    (void)scorer, (void)class_index, (void)index, (void)source, (void)destination;
    return false;
}

static bool known_words_scorer_list_parameters(const crd_i_scorer *scorer, crd_i_parameter_list *parameter) {
    (void)scorer, (void)parameter;
    return true;
}

static const crd_i_scorer_correction correction = {known_words_scorer_inner, known_words_scorer_apply,
                                                   known_words_scorer_describe, known_words_scorer_list_parameters,
                                                   known_words_scorer_find_point};

static const crd_i_scorer_type known_words_type = {.name = "known words",
                                                   .score = known_words_scorer_score,
                                                   .destroy = known_words_scorer_destroy,
                                                   .correction = &correction};

/* ---- Derivation ---- */

/* Wraps the scorer if there are texts. */
crd_status crd_i_known_words_scorer_derive(crd_classifier *classifier, crd_error *error) {
    size_t texts = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++) texts += classifier->attributes[i].type == CRD_TYPE_TEXT;
    if (texts == 0) return CRD_OK;
    known_words_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {
        .type = &known_words_type, .context = classifier->context, .scratch = classifier->scorer->scratch};
    scorer->base = base;
    scorer->inner = classifier->scorer;
    classifier->scorer = &scorer->base;
    return CRD_OK;
}
