/* SPDX-License-Identifier: MIT */
/* typicality.c - typicality of a row: whether its log evidence is usual among rows drawn from the model.
 *
 * Statistics do not store the training rows, so the usual range of the evidence cannot be read from them. But the
 * model is a distribution, from which rows can be drawn. With N draws x_1 .. x_N, the p-value P(p(X) <= p(x)) is
 * estimated by
 *
 *   (1 + number of draws with p(x_i) <= p(x)) / (1 + N)
 *
 * (Davison and Hinkley, Bootstrap Methods, 1997, section 4.2). It counts the row as one more draw. So it is a valid
 * significance level for any N: for a row drawn from the model, it is at most a with probability at most a.
 *
 * The evidence of a few values cannot be compared with the evidence of more values. Therefore missing values of the
 * row are also omitted from the draws. In a naive Bayes model, this leaves draws from the marginal distribution. All
 * rows with the same pattern of missing values share one sorted list of log evidences.
 *
 * Contents:
 *   1. Drawing rows
 *   2. Evidences of a pattern
 *   3. Comparing evidences
 *   4. Rows */
#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "classify/joint_scorer.h"
#include "model/model_internal.h"

#include <credence/decide.h>
#include <credence/sample.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* At a p-value of 1 %, the standard error is 0.16 % with MOST_DRAWS and 0.32 % with LEAST_DRAWS. The number of draws
 * between these limits is chosen so that at most CELLS_KEPT values are stored. */
enum { MOST_DRAWS = 4095, LEAST_DRAWS = 999, CELLS_KEPT = 1 << 22 };
/* Number of patterns whose evidences are stored: 32 MiB with MOST_DRAWS. */
enum { PATTERNS_KEPT = 1024 };
/* Number of draws whose evidence is computed at a time. */
enum { ROWS_AT_ONCE = 128 };
/* "fit" in ASCII. Rows to be judged are unlikely to have been drawn with this seed. */
static const uint64_t SEED = 0x666974;

/* Sorted log evidences of all draws for a pattern of present attributes. */
typedef struct typicality_pattern {
    uint64_t hash;
    uint8_t *mask; /* one bit per attribute; NULL: unused */
    double *evidences;
} typicality_pattern;

/* The most recent patterns. `next` is the oldest one, which is replaced next. */
typedef struct pattern_cache {
    pthread_mutex_t mutex;
    typicality_pattern patterns[PATTERNS_KEPT];
    size_t count, next, latest;
} pattern_cache;

/* The values drawn for one attribute. */
typedef struct drawn_column {
    double *numbers; /* for a numeric attribute */
    int32_t *codes;  /* for a categorical attribute; both NULL: the attribute is ignored */
} drawn_column;

struct crd_typicality {
    crd_context *context;
    crd_classifier *classifier;
    size_t draws;
    drawn_column *columns; /* one for each attribute */
    size_t mask_size;      /* in bytes */
    pattern_cache *cache;
};

/* ======== 1. Drawing rows ======== */

/* Returns the number of draws for this many attributes. */
static size_t draws_for(size_t attributes) {
    size_t draws = attributes == 0 ? MOST_DRAWS : CELLS_KEPT / attributes;
    if (draws > MOST_DRAWS) draws = MOST_DRAWS;
    return draws < LEAST_DRAWS ? LEAST_DRAWS : draws;
}

/* Allocates the columns of the draws. Returns false if memory runs out. */
static bool typicality_make_columns(crd_typicality *fit) {
    for (size_t i = 0; i < fit->classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &fit->classifier->attributes[i];
        drawn_column *column = &fit->columns[i];
        if (!crd_i_attribute_has_density(attribute)) continue;
        if (attribute->type == CRD_TYPE_NUMERIC) {
            column->numbers = crd_i_alloc(fit->context, fit->draws, sizeof *column->numbers);
            if (column->numbers == NULL) return false;
        } else {
            column->codes = crd_i_alloc(fit->context, fit->draws, sizeof *column->codes);
            if (column->codes == NULL) return false;
        }
    }
    return true;
}

/* Stores a drawn row. The target is skipped. */
static crd_status keep_draw(crd_typicality *fit, size_t draw, size_t target, const crd_value *values,
                            crd_error *error) {
    for (size_t i = 0; i < fit->classifier->attribute_count; i++) {
        const drawn_column *column = &fit->columns[i];
        crd_i_one_cell cell;
        if (column->numbers == NULL && column->codes == NULL) continue;
        crd_status status = crd_i_classifier_cell(fit->classifier, i, &values[i < target ? i : i + 1], &cell, error);
        if (status != CRD_OK) return status;
        if (column->numbers != NULL) column->numbers[draw] = cell.is_present && !cell.is_unseen ? cell.number : NAN;
        else column->codes[draw] = cell.code;
    }
    return CRD_OK;
}

/* Draws all rows from the model. */
static crd_status draw_rows(crd_typicality *fit, const crd_model *model, const crd_settings *settings,
                            crd_error *error) {
    crd_sampler *sampler = NULL;
    crd_value *values = NULL;
    crd_i_stage stage;
    crd_status status = crd_sampler_create(model, settings, NULL, SEED, &sampler, error);
    if (status != CRD_OK) return status;
    values = crd_i_alloc(fit->context, crd_sampler_column_count(sampler), sizeof *values);
    if (values == NULL || !typicality_make_columns(fit)) status = crd_i_fail_memory(error);
    crd_i_stage_begin(&stage, "drawing rows", fit->draws);
    for (size_t draw = 0; status == CRD_OK && draw < fit->draws; draw++) {
        crd_sampler_draw(sampler, draw, values);
        status = crd_i_context_cancelled(fit->context)
                     ? crd_i_fail_cancelled(error)
                     : keep_draw(fit, draw, crd_sampler_target(sampler), values, error);
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    crd_free(fit->context, values);
    crd_sampler_destroy(sampler);
    return status;
}

/* Returns an error if there is a text attribute. The likelihood of a text depends mainly on its length, and scores
 * of texts are not likelihoods. */
static crd_status refuse_texts(const crd_classifier *classifier, crd_error *error) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (classifier->attributes[i].type != CRD_TYPE_TEXT) continue;
        char name[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN, "fit needs numeric and categorical columns, but '%s' is a text",
                   crd_i_quote(classifier->attributes[i].name, name));
        crd_i_error_hint(error, "remove the column from the model");
        crd_i_error_subject(error, classifier->attributes[i].name);
        return CRD_ERROR_COLUMN;
    }
    return CRD_OK;
}

/* Creates the classifier and draws the rows. */
static crd_status typicality_create(const crd_model *model, const crd_settings *settings, crd_typicality **out,
                                    crd_error *error) {
    crd_classifier *classifier = NULL;
    crd_status status = crd_classifier_create(model, settings, &classifier, error);
    if (status == CRD_OK) status = crd_i_naive_scorer_require(classifier, "typicality supports", "", error);
    if (status == CRD_OK) status = refuse_texts(classifier, error);
    if (status != CRD_OK) {
        crd_classifier_destroy(classifier);
        return status;
    }
    crd_context *context = classifier->context;
    crd_typicality *fit = crd_i_alloc_zeroed(context, 1, sizeof *fit);
    if (fit == NULL) {
        crd_classifier_destroy(classifier);
        return crd_i_fail_memory(error);
    }
    fit->context = context;
    fit->classifier = classifier;
    fit->draws = draws_for(classifier->attribute_count);
    fit->mask_size = classifier->attribute_count / 8 + 1;
    fit->columns = crd_i_alloc_zeroed(context, classifier->attribute_count, sizeof *fit->columns);
    fit->cache = crd_i_alloc_zeroed(context, 1, sizeof *fit->cache);
    if (fit->cache != NULL && pthread_mutex_init(&fit->cache->mutex, NULL) != 0) {
        crd_free(context, fit->cache);
        fit->cache = NULL;
    }
    status = fit->columns == NULL || fit->cache == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = draw_rows(fit, model, settings, error);
    if (status != CRD_OK) {
        crd_typicality_destroy(fit);
        return status;
    }
    *out = fit;
    return CRD_OK;
}

/* See credence/decide.h. Calibration is disabled, because it corrects class probabilities, not the
 * likelihood of values. */
crd_status crd_typicality_create(const crd_model *model, const crd_settings *settings, crd_typicality **out,
                                 crd_error *error) {
    crd_settings *own_settings = NULL;
    *out = NULL;
    crd_status status =
        crd_i_settings_copy(model->context, settings == NULL ? model->settings : settings, &own_settings, error);
    if (status == CRD_OK) status = crd_settings_set(own_settings, "calibration", crd_text_of("none"), error);
    if (status == CRD_OK) status = typicality_create(model, own_settings, out, error);
    crd_settings_destroy(own_settings);
    return status;
}

static void clear_pattern(crd_context *context, typicality_pattern *p) {
    crd_free(context, p->mask);
    crd_free(context, p->evidences);
    p->mask = NULL;
    p->evidences = NULL;
}

void crd_typicality_destroy(crd_typicality *fit) {
    if (fit == NULL) return;
    for (size_t i = 0; fit->columns != NULL && i < fit->classifier->attribute_count; i++) {
        crd_free(fit->context, fit->columns[i].numbers);
        crd_free(fit->context, fit->columns[i].codes);
    }
    crd_free(fit->context, fit->columns);
    for (size_t i = 0; fit->cache != NULL && i < fit->cache->count; i++)
        clear_pattern(fit->context, &fit->cache->patterns[i]);
    if (fit->cache != NULL) pthread_mutex_destroy(&fit->cache->mutex);
    crd_free(fit->context, fit->cache);
    crd_classifier_destroy(fit->classifier);
    crd_free(fit->context, fit);
}

/* ======== 2. Evidences of a pattern ======== */

static bool typicality_has_cell(const uint8_t *mask, size_t attribute) {
    return mask[attribute / 8] >> attribute % 8 & 1;
}

/* Orders doubles for qsort. */
static int typicality_compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Computes the log evidences of all draws for a pattern and sorts them. They are computed like the evidence of a
 * row: prior and densities, in attribute order. `sums` has room for ROWS_AT_ONCE x classes. */
static void compute_evidences(const crd_typicality *fit, const uint8_t *mask, double *sums, double *evidences) {
    const crd_classifier *classifier = fit->classifier;
    size_t classes = classifier->class_count;
    for (size_t first = 0; first < fit->draws; first += ROWS_AT_ONCE) {
        size_t rows = fit->draws - first < ROWS_AT_ONCE ? fit->draws - first : ROWS_AT_ONCE;
        for (size_t row = 0; row < rows; row++)
            memcpy(sums + row * classes, classifier->log_priors, classes * sizeof *sums);
        for (size_t i = 0; i < classifier->attribute_count; i++) {
            const drawn_column *column = &fit->columns[i];
            if (!typicality_has_cell(mask, i)) continue;
            crd_i_cells cells = {.rows = rows};
            if (column->numbers != NULL) cells.numbers = column->numbers + first;
            if (column->codes != NULL) cells.codes = column->codes + first;
            const crd_i_density *density = classifier->attributes[i].density;
            density->family->add(density, &cells, sums);
        }
        for (size_t row = 0; row < rows; row++) {
            crd_answer answer = {-1, 0, 0, 0};
            crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classes, sums + row * classes, NULL,
                                      &answer);
            evidences[first + row] = answer.log_evidence;
        }
    }
    qsort(evidences, fit->draws, sizeof *evidences, typicality_compare_numbers);
}

/* Creates a pattern with its evidences. Returns false if memory runs out. */
static bool make_pattern(const crd_typicality *fit, const uint8_t *mask, uint64_t hash, typicality_pattern *out) {
    size_t classes = fit->classifier->class_count;
    double *sums =
        classes > SIZE_MAX / ROWS_AT_ONCE ? NULL : crd_i_alloc(fit->context, classes * ROWS_AT_ONCE, sizeof *sums);
    typicality_pattern pattern = {hash, crd_i_alloc(fit->context, fit->mask_size, 1),
                                  crd_i_alloc(fit->context, fit->draws, sizeof(double))};
    bool done = sums != NULL && pattern.mask != NULL && pattern.evidences != NULL;
    if (done) {
        memcpy(pattern.mask, mask, fit->mask_size);
        compute_evidences(fit, mask, sums, pattern.evidences);
        *out = pattern;
    } else {
        clear_pattern(fit->context, &pattern);
    }
    crd_free(fit->context, sums);
    return done;
}

/* ======== 3. Comparing evidences ======== */

/* Returns the estimated p-value of a log evidence. Evidences that differ only by rounding are considered equal. */
static double share_as_low(const crd_typicality *fit, const typicality_pattern *p, double log_evidence) {
    double limit = log_evidence + CRD_TIE_MARGIN * (1 + fabs(log_evidence));
    size_t low = 0, high = fit->draws; /* draws before `low` are within the limit; draws from `high` on are not */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->evidences[middle] <= limit) low = middle + 1;
        else high = middle;
    }
    return (double)(low + 1) / (double)(fit->draws + 1);
}

static bool typicality_is_pattern(const crd_typicality *fit, const typicality_pattern *p, const uint8_t *mask,
                                  uint64_t hash) {
    return p->hash == hash && memcmp(p->mask, mask, fit->mask_size) == 0;
}

/* Returns the stored pattern; NULL if there is none. The cache must be locked. */
static const typicality_pattern *typicality_find_pattern(const crd_typicality *fit, const uint8_t *mask,
                                                         uint64_t hash) {
    pattern_cache *cache = fit->cache;
    for (size_t i = 0; i < cache->count; i++) {
        size_t index = (cache->latest + i) % cache->count;
        if (!typicality_is_pattern(fit, &cache->patterns[index], mask, hash)) continue;
        cache->latest = index;
        return &cache->patterns[index];
    }
    return NULL;
}

/* Stores a pattern, which replaces the oldest one if the cache is full. The cache must be locked. */
static void keep_pattern(const crd_typicality *fit, const typicality_pattern *pattern) {
    pattern_cache *cache = fit->cache;
    typicality_pattern *place = &cache->patterns[cache->next];
    if (cache->count < PATTERNS_KEPT) cache->count++;
    else clear_pattern(fit->context, place);
    *place = *pattern;
    cache->latest = cache->next;
    cache->next = (cache->next + 1) % PATTERNS_KEPT;
}

/* Returns a hash of the mask (FNV-1a, 64 bits). */
static uint64_t typicality_hash(const uint8_t *mask, size_t size) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) hash = (hash ^ mask[i]) * 0x100000001b3;
    return hash;
}

/* Computes the p-value of a log evidence. A pattern that is not in the cache is computed without a lock. */
static crd_status typicality_compare(const crd_typicality *fit, const uint8_t *mask, double log_evidence, double *out,
                                     crd_error *error) {
    uint64_t hash = typicality_hash(mask, fit->mask_size);
    pthread_mutex_lock(&fit->cache->mutex);
    const typicality_pattern *pattern = typicality_find_pattern(fit, mask, hash);
    if (pattern != NULL) *out = share_as_low(fit, pattern, log_evidence);
    pthread_mutex_unlock(&fit->cache->mutex);
    if (pattern != NULL) return CRD_OK;

    typicality_pattern typicality;
    if (!make_pattern(fit, mask, hash, &typicality)) return crd_i_fail_memory(error);
    *out = share_as_low(fit, &typicality, log_evidence);
    pthread_mutex_lock(&fit->cache->mutex);
    /* another thread may have stored the same pattern */
    bool is_new = typicality_find_pattern(fit, mask, hash) == NULL;
    if (is_new) keep_pattern(fit, &typicality);
    pthread_mutex_unlock(&fit->cache->mutex);
    if (!is_new) clear_pattern(fit->context, &typicality);
    return CRD_OK;
}

/* ======== 4. Rows ======== */

/* Sets the bit of an attribute if its value is present and contained in the model. */
static crd_status typicality_mark(const crd_typicality *fit, size_t attribute, const crd_value *value,
                                  const crd_answer *answer, uint8_t *mask, crd_error *error) {
    const drawn_column *column = &fit->columns[attribute];
    crd_i_one_cell cell;
    if (column->numbers == NULL && column->codes == NULL) return CRD_OK;
    bool counts = value->type != CRD_TYPE_NONE && !(value->type == CRD_TYPE_NUMERIC && isnan(value->number));
    if (counts && answer->unseen > 0) {
        crd_status status = crd_i_classifier_cell(fit->classifier, attribute, value, &cell, error);
        if (status != CRD_OK) return status;
        counts = !cell.is_unseen;
    }
    if (counts) mask[attribute / 8] |= (uint8_t)(1u << attribute % 8);
    return CRD_OK;
}

/* An impossible row has p-value 0. */
crd_status crd_typicality_row(const crd_typicality *fit, const crd_value *values, const crd_answer *answer, double *out,
                              crd_error *error) {
    *out = NAN;
    if (answer->decision < 0) {
        *out = 0;
        return CRD_OK;
    }
    uint8_t *mask = crd_i_alloc_zeroed(fit->context, fit->mask_size, 1);
    if (mask == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < fit->classifier->attribute_count; i++)
        status = typicality_mark(fit, i, &values[i], answer, mask, error);
    if (status == CRD_OK) status = typicality_compare(fit, mask, answer->log_evidence, out, error);
    crd_free(fit->context, mask);
    return status;
}

/* Finds the frame's column of each attribute; SIZE_MAX if it is absent. Columns are usually in the order of
 * attributes, so the search begins after the last match. */
static void typicality_match_columns(const crd_typicality *fit, const crd_frame *frame, size_t *columns) {
    size_t count = crd_frame_column_count(frame), next = 0;
    for (size_t i = 0; i < fit->classifier->attribute_count; i++) {
        columns[i] = SIZE_MAX;
        for (size_t tried = 0; tried < count; tried++) {
            size_t column = (next + tried) % count;
            if (!crd_text_equal(crd_frame_column_name(frame, column), fit->classifier->attributes[i].name)) continue;
            columns[i] = column;
            next = column + 1;
            break;
        }
    }
}

crd_status crd_typicality_frame(const crd_typicality *fit, const crd_frame *frame, const crd_posteriors *posteriors,
                                double *out, crd_error *error) {
    size_t attributes = fit->classifier->attribute_count, rows = crd_frame_rows(frame);
    const crd_value missing = {CRD_TYPE_NONE, 0, {NULL, 0}};
    crd_status status = CRD_OK;
    if (crd_posteriors_rows(posteriors) != rows)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the posteriors do not belong to the frame");
    size_t *columns = crd_i_alloc(fit->context, attributes, sizeof *columns);
    crd_value *values = crd_i_alloc(fit->context, attributes, sizeof *values);
    if (columns == NULL || values == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        typicality_match_columns(fit, frame, columns);
    }
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        for (size_t i = 0; i < attributes; i++)
            values[i] = columns[i] == SIZE_MAX ? missing : crd_frame_value(frame, row, columns[i]);
        status = crd_typicality_row(fit, values, crd_posteriors_answer(posteriors, row), &out[row], error);
    }
    crd_free(fit->context, columns);
    crd_free(fit->context, values);
    return status;
}
