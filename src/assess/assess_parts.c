/* SPDX-License-Identifier: MIT */
/* assess_parts.c - assessments of parts of the rows by other processes: encoding, and merging in the order of the
 * parts. */
#include "assess/assessment.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "decide/decision_outcomes.h"
#include "evaluate/evaluation.h"
#include "evaluate/evaluation_bytes.h"

#include <math.h>
#include <stdlib.h>

static const char tag_of_assessments[] = {'A', 'S', 'S', 'E'};

/* Flags of the encoding: which optional contents follow, and properties of the facts. */
enum { HAS_BEFORE = 1, HAS_OUTCOMES = 2, HAS_SEEN = 4, HAS_WEIGHTS = 8, LACKS_WEIGHT = 16, HAS_LIST = 32, FLAGS = 64 };

enum { COUNTS = 6 };

/* Lists the counts of the facts in the order of the encoding. */
static void assess_parts_list_counts(crd_assessment_facts *facts, uint64_t *counts[COUNTS]) {
    uint64_t *const all[COUNTS] = {&facts->rows,       &facts->judged, &facts->unlabelled,
                                   &facts->weightless, &facts->unseen, &facts->rows_with_unseen};
    for (size_t i = 0; i < COUNTS; i++) counts[i] = all[i];
}

/* ---- Encoding ---- */

static crd_status write_seen(const crd_model *seen, crd_i_encoder *encoder, crd_error *error) {
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = crd_model_encode(seen, &bytes, &length, error);
    if (status != CRD_OK) return status;
    crd_i_encode_u64(encoder, length);
    crd_i_encode_bytes(encoder, bytes, length);
    crd_free(encoder->buffer.context, bytes);
    return CRD_OK;
}

static void write_list(const crd_assessment *assessment, crd_i_encoder *encoder) {
    for (size_t i = 0; i < assessment->listed_count; i++) {
        const crd_i_listed_row *listed = &assessment->listed[i];
        crd_i_encode_u64(encoder, listed->row);
        crd_i_encode_u32(encoder, listed->tied);
        crd_i_encode_u32(encoder, (uint32_t)listed->decision.action);
        crd_i_encode_u32(encoder, listed->decision.tied);
        crd_i_encode_double(encoder, listed->decision.expected_cost);
    }
}

/* Encodes flags, counts, evaluations, outcomes, listed rows and the model of seen rows, in this order. */
static crd_status assess_parts_encode(const crd_assessment *assessment, unsigned char **bytes, size_t *length,
                                      crd_error *error) {
    crd_assessment_facts facts = assessment->facts;
    uint64_t *counts[COUNTS];
    crd_i_encoder encoder;
    *bytes = NULL;
    *length = 0;
    crd_i_evaluation_bytes_begin(&encoder, assessment->context, tag_of_assessments);
    crd_i_encode_u32(&encoder,
                     (assessment->before != NULL ? HAS_BEFORE : 0) | (assessment->outcomes != NULL ? HAS_OUTCOMES : 0) |
                         (assessment->seen != NULL ? HAS_SEEN : 0) | (assessment->listed_count > 0 ? HAS_LIST : 0) |
                         (facts.has_weights != 0 ? HAS_WEIGHTS : 0) | (facts.lacks_weight != 0 ? LACKS_WEIGHT : 0));
    assess_parts_list_counts(&facts, counts);
    for (size_t i = 0; i < COUNTS; i++) crd_i_encode_u64(&encoder, *counts[i]);
    crd_i_evaluation_write(assessment->evaluation, &encoder);
    if (assessment->before != NULL) crd_i_evaluation_write(assessment->before, &encoder);
    if (assessment->outcomes != NULL) crd_i_outcomes_write(assessment->outcomes, &encoder);
    write_list(assessment, &encoder);
    crd_status status = assessment->seen != NULL ? write_seen(assessment->seen, &encoder, error) : CRD_OK;
    if (status == CRD_OK) return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
    crd_i_buffer_clear(&encoder.buffer);
    return status;
}

crd_status crd_assessment_encode(const crd_assessment *assessment, unsigned char **bytes, size_t *length,
                                 crd_error *error) {
    *bytes = NULL;
    *length = 0;
    if (assessment->evaluation == NULL || assessment->model == NULL || assessment->importance != NULL)
        return crd_i_fail(
            error, CRD_ERROR_ARGUMENT,
            "only an assessment of a model can be encoded, after it has run and without permutation importance");
    return assess_parts_encode(assessment, bytes, length, error);
}

/* ---- Decoding ---- */

/* A decoded part. */
typedef struct part {
    crd_assessment_facts facts;
    crd_evaluation *evaluation, *before;
    crd_outcomes *outcomes;
    crd_model *seen;
    crd_i_listed_row *listed; /* one for each row of the evaluation; NULL: rows are not listed */
} part;

static void clear_part(crd_context *context, part *p) {
    crd_free(context, p->listed);
    crd_evaluation_destroy(p->evaluation);
    crd_evaluation_destroy(p->before);
    crd_outcomes_destroy(p->outcomes);
    crd_model_destroy(p->seen);
    *p = (part){.facts = CRD_ASSESSMENT_FACTS_INIT};
}

static crd_status read_seen(crd_context *context, crd_i_cursor *cursor, crd_model **out, crd_error *error) {
    const uint64_t length = crd_i_decode_u64(cursor);
    if (!crd_i_cursor_holds(cursor, length, 1)) return crd_i_evaluation_bytes_damaged(error);
    const unsigned char *bytes = cursor->at;
    cursor->at += length;
    return crd_model_decode(context, bytes, (size_t)length, out, error);
}

/* Decodes the listed rows. */
static crd_status read_list(crd_context *context, crd_i_cursor *cursor, part *p, crd_error *error) {
    enum { LISTED_LENGTH = 8 + 3 * 4 + 8 };
    const size_t count = p->evaluation->row_count;
    if (!crd_i_cursor_holds(cursor, count, LISTED_LENGTH)) return crd_i_evaluation_bytes_damaged(error);
    p->listed = crd_i_alloc(context, count, sizeof *p->listed);
    if (p->listed == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        crd_i_listed_row *listed_row = &p->listed[i];
        *listed_row = (crd_i_listed_row){.decision = CRD_DECISION_INIT};
        listed_row->row = crd_i_decode_u64(cursor);
        listed_row->tied = crd_i_decode_u32(cursor);
        listed_row->decision.action = (int32_t)crd_i_decode_u32(cursor);
        listed_row->decision.tied = crd_i_decode_u32(cursor);
        listed_row->decision.expected_cost = crd_i_decode_double(cursor);
    }
    return CRD_OK;
}

/* Decodes the content in the order of assess_parts_encode. */
static crd_status assess_parts_read_content(const crd_assessment *assessment, crd_i_cursor *cursor, part *p,
                                            crd_error *error) {
    crd_context *context = assessment->context;
    uint64_t *counts[COUNTS];
    const uint32_t flags = crd_i_decode_u32(cursor);
    if (flags >= FLAGS) return crd_i_evaluation_bytes_damaged(error);
    if (((flags & HAS_OUTCOMES) != 0) != (assessment->outcomes != NULL))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "some parts were judged with a decision rule, others without one");
    assess_parts_list_counts(&p->facts, counts);
    for (size_t i = 0; i < COUNTS; i++) *counts[i] = crd_i_decode_u64(cursor);
    p->facts.has_weights = (flags & HAS_WEIGHTS) != 0;
    p->facts.lacks_weight = (flags & LACKS_WEIGHT) != 0;
    crd_status status = crd_i_evaluation_read(context, cursor, &p->evaluation, error);
    if (status == CRD_OK && (flags & HAS_BEFORE) != 0)
        status = crd_i_evaluation_read(context, cursor, &p->before, error);
    if (status == CRD_OK && assessment->outcomes != NULL)
        status = crd_i_outcomes_read(context, assessment->options.rule, cursor, &p->outcomes, error);
    if (status == CRD_OK && (flags & HAS_LIST) != 0) status = read_list(context, cursor, p, error);
    if (status == CRD_OK && (flags & HAS_SEEN) != 0) status = read_seen(context, cursor, &p->seen, error);
    return status;
}

static crd_status assess_parts_read(const crd_assessment *assessment, const unsigned char *bytes, size_t length,
                                    part *p, crd_error *error) {
    crd_i_cursor cursor;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_assessments, &cursor, error);
    if (status == CRD_OK) status = assess_parts_read_content(assessment, &cursor, p, error);
    return crd_i_evaluation_bytes_close(&cursor, status, error);
}

/* ---- Merging ---- */

/* Merges the models of seen rows. The result is complete only if each part with rows has such a model; otherwise it
 * is dropped. */
static crd_status merge_seen(crd_assessment *assessment, part *p, crd_error *error) {
    if (p->facts.rows == 0) return CRD_OK;
    if (p->seen == NULL || (assessment->seen == NULL && assessment->facts.rows > 0)) {
        crd_model_destroy(assessment->seen);
        assessment->seen = NULL;
        return CRD_OK;
    }
    if (assessment->seen != NULL) return crd_model_merge(assessment->seen, p->seen, error);
    assessment->seen = p->seen;
    p->seen = NULL;
    return CRD_OK;
}

/* Merges the evaluations without calibration. */
static crd_status merge_before(crd_assessment *assessment, part *p, crd_error *error) {
    if (p->before == NULL) return CRD_OK;
    if (assessment->before != NULL) return crd_evaluation_merge(assessment->before, p->before, error);
    assessment->before = p->before;
    p->before = NULL;
    return CRD_OK;
}

/* Checks that all parts with rows agree on whether rows have weights. */
static crd_status merge_weights(crd_assessment *assessment, const part *p, crd_error *error) {
    crd_assessment_facts *facts = &assessment->facts;
    if (facts->rows > 0 && p->facts.rows > 0 && facts->has_weights != p->facts.has_weights)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "some parts have the weight column, others do not");
    if (facts->rows == 0) {
        facts->has_weights = p->facts.has_weights;
        facts->lacks_weight = p->facts.lacks_weight;
    }
    return CRD_OK;
}

/* Appends the listed rows of a part. Their numbers continue after the rows of earlier parts. If all processes have
 * all rows, they are already numbered. */
static crd_status merge_list(crd_assessment *assessment, const part *p, crd_error *error) {
    const size_t count = p->listed == NULL ? 0 : p->evaluation->row_count;
    const uint64_t before = assessment->validation == NULL ? assessment->facts.rows : 0;
    if (!crd_i_reserve(assessment->context, &assessment->listed, &assessment->listed_capacity,
                       assessment->listed_count + count, sizeof *assessment->listed))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        crd_i_listed_row *listed_row = &assessment->listed[assessment->listed_count++];
        *listed_row = p->listed[i];
        listed_row->row += before;
    }
    return CRD_OK;
}

/* Merges a decoded part. */
static crd_status merge_part(crd_assessment *assessment, part *p, crd_error *error) {
    uint64_t *destination[COUNTS], *source[COUNTS];
    crd_status status = merge_weights(assessment, p, error);
    if (status == CRD_OK) status = crd_evaluation_merge(assessment->evaluation, p->evaluation, error);
    if (status == CRD_OK) status = merge_before(assessment, p, error);
    if (status == CRD_OK && assessment->outcomes != NULL)
        status = crd_outcomes_merge(assessment->outcomes, p->outcomes, error);
    if (status == CRD_OK) status = merge_seen(assessment, p, error);
    if (status == CRD_OK) status = merge_list(assessment, p, error);
    if (status != CRD_OK) return status;
    assess_parts_list_counts(&assessment->facts, destination);
    assess_parts_list_counts(&p->facts, source);
    for (size_t i = 0; i < COUNTS; i++) *destination[i] += *source[i];
    return CRD_OK;
}

/* Decodes a part and merges it. */
static crd_status assess_parts_merge_bytes(crd_assessment *assessment, const unsigned char *bytes, size_t length,
                                           crd_error *error) {
    part p = {.facts = CRD_ASSESSMENT_FACTS_INIT};
    crd_status status = assess_parts_read(assessment, bytes, length, &p, error);
    if (status == CRD_OK) status = merge_part(assessment, &p, error);
    clear_part(assessment->context, &p);
    return status;
}

crd_status crd_assessment_run_parts(crd_assessment *assessment, const crd_assessment_options *options,
                                    const unsigned char *const *parts, const size_t *lengths, size_t count,
                                    crd_error *error) {
    if (assessment->model == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "parts can be merged only into an assessment of a model");
    crd_status status = crd_i_assessment_begin(assessment, options, error);
    if (status == CRD_OK && (assessment->importance != NULL || assessment->options.each != NULL))
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows of parts cannot be listed or permuted");
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = assess_parts_merge_bytes(assessment, parts[i], lengths[i], error);
    return crd_i_assessment_end(assessment, status, error);
}

/* ---- Processes ---- */

crd_status crd_i_assessment_choose_folds(crd_assessment *assessment, crd_error *error) {
    enum { ROWS_AT_ONCE = 4096 };
    const size_t rows = crd_split_rows(assessment->split);
    const uint32_t *folds = crd_split_tested(assessment->split);
    /* A holdout has only one tested fold, so its rows are divided into blocks. */
    const bool is_holdout = folds != crd_split_learned(assessment->split);
    assessment->own_folds = crd_i_alloc(assessment->context, rows, sizeof *assessment->own_folds);
    if (assessment->own_folds == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < rows; i++) {
        const size_t item = is_holdout ? i / ROWS_AT_ONCE : folds[i];
        assessment->own_folds[i] = crd_i_is_own_item(assessment->context, item) ? folds[i] : CRD_NO_FOLD;
    }
    return CRD_OK;
}

/* A listed row and its index in the evaluation. */
typedef struct listed_place {
    uint64_t row;
    size_t index;
} listed_place;

static int by_row(const void *a, const void *b) {
    const uint64_t x = ((const listed_place *)a)->row, y = ((const listed_place *)b)->row;
    return x < y ? -1 : x > y;
}

/* Returns the name of a true class. */
static crd_text truth_of(const crd_evaluation *evaluation, int32_t truth) {
    return (size_t)truth < evaluation->class_count
               ? crd_i_dictionary_text(evaluation->classes, (size_t)truth)
               : crd_i_dictionary_text(evaluation->others, (size_t)truth - evaluation->class_count);
}

/* Passes a listed row to options.each. */
static crd_status pass_on_row(const crd_assessment *assessment, size_t index, crd_error *error) {
    const crd_evaluation *evaluation = assessment->evaluation;
    const crd_i_judged *judged = &evaluation->rows[index];
    const crd_i_listed_row *listed = &assessment->listed[index];
    const bool is_class = (size_t)judged->truth < evaluation->class_count;
    /* If there are too many probabilities to store, it is computed from the loss. */
    const double truth_probability =
        !is_class                 ? 0
        : evaluation->is_unranked ? crd_exp(-judged->loss)
                                  : evaluation->probabilities[index * evaluation->class_count + (size_t)judged->truth];
    const crd_row_score score = {
        sizeof score,   judged->decision,  listed->tied, judged->decision < 0 ? NAN : judged->probability,
        judged->credit, truth_probability, judged->loss};
    const crd_assessed_row row = {sizeof row, listed->row, truth_of(assessment->evaluation, judged->truth), &score,
                                  assessment->options.rule == NULL ? NULL : &listed->decision};
    if (assessment->options.each(assessment->options.user, &row) == 0) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_CANCELLED, "the caller stopped the assessment");
}

/* Passes all listed rows to options.each in row order. This is not the order of processes if each process has tested
 * some folds. */
static crd_status pass_on_all(const crd_assessment *assessment, crd_error *error) {
    const size_t count = assessment->listed_count;
    crd_status status = CRD_OK;
    if (assessment->options.each == NULL || count == 0) return CRD_OK;
    listed_place *order = crd_i_alloc(assessment->context, count, sizeof *order);
    if (order == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) order[i] = (listed_place){assessment->listed[i].row, i};
    qsort(order, count, sizeof *order, by_row);
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = pass_on_row(assessment, order[i].index, error);
    crd_free(assessment->context, order);
    return status;
}

/* If every process has all rows, only process 0 reports the counts that are equal in all processes. */
static void count_once(crd_assessment *assessment) {
    if (assessment->validation == NULL || crd_i_process_rank(assessment->context) == 0) return;
    assessment->facts.rows = assessment->facts.unlabelled = assessment->facts.weightless = 0;
}

/* See assessment.h. Process 0 starts again without rows and merges all parts, including its own. */
crd_status crd_i_assessment_share(crd_assessment *assessment, crd_status status, crd_error *error) {
    crd_context *context = assessment->context;
    const unsigned count = crd_i_process_rank(context) == 0 ? crd_i_process_count(context) : 0;
    crd_i_gathered parts;
    unsigned char *copy = NULL;
    size_t length = 0;
    count_once(assessment);
    if (status == CRD_OK) status = assess_parts_encode(assessment, &copy, &length, error);
    status = crd_i_gather_first(context, status, copy, length, &parts, error);
    crd_free(context, copy);
    if (status == CRD_OK && count > 0) status = crd_i_assessment_start(assessment, error);
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = assess_parts_merge_bytes(assessment, parts.bytes[i], parts.lengths[i], error);
    crd_i_gathered_clear(&parts);
    if (status == CRD_OK && count > 0) status = pass_on_all(assessment, error);
    return status;
}
