/* SPDX-License-Identifier: MIT */
/* evaluation.c - the judged rows of an evaluation: rows with predictions and true classes, added one by one or merged.
 * The interfaces are in credence/evaluate.h and evaluation.h.
 *
 * Contents:
 *   1. Judged rows
 *   2. Byte format
 *   3. Label warning
 *   4. Score sums */
#include "evaluate/evaluation.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/section.h"
#include "math/exact/ieee754.h"
#include "model/similar_classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Judged rows ======== */

/* Log posteriors may exceed zero by rounding. */
static const double ROUNDING = 1e-9;

static const double MOST_WEIGHT = 0x1p63;

/* The probabilities of all rows for all classes are stored to rank rows by each class. With more than CLASSES_RANKED
 * classes, at most MOST_RANKED probabilities are stored (a quarter of a gigabyte). Beyond that, computing thousands
 * of areas would also take longer than everything else. */
enum { CLASSES_RANKED = 256, MOST_RANKED = 1 << 25 };

crd_status crd_evaluation_create(crd_context *context, const crd_text *classes, size_t class_count,
                                 crd_evaluation **out, crd_error *error) {
    *out = NULL;
    if (class_count == 0 || class_count > INT32_MAX / 2)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are no classes to predict, or too many");
    crd_status status = CRD_ERROR_MEMORY;
    crd_evaluation *evaluation = crd_i_alloc_zeroed(context, 1, sizeof *evaluation);
    if (evaluation == NULL) return crd_i_fail_memory(error);
    evaluation->context = context;
    evaluation->class_count = class_count;
    evaluation->fold = CRD_NO_FOLD;
    evaluation->classes = crd_i_dictionary_create(context);
    evaluation->others = crd_i_dictionary_create(context);
    if (evaluation->classes == NULL || evaluation->others == NULL) {
        crd_i_fail_memory(error);
        goto fail;
    }
    for (size_t i = 0; i < class_count; i++) {
        int32_t code = crd_i_dictionary_add(evaluation->classes, classes[i]);
        if (code < 0) {
            crd_i_fail_memory(error);
            goto fail;
        }
        if ((size_t)code != i) {
            char quoted[CRD_I_QUOTED_ROOM];
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the class '%s' is listed twice",
                                crd_i_quote(classes[i], quoted));
            goto fail;
        }
    }
    *out = evaluation;
    return CRD_OK;

fail:
    crd_evaluation_destroy(evaluation);
    return status;
}

void crd_evaluation_destroy(crd_evaluation *evaluation) {
    if (evaluation == NULL) return;
    crd_i_dictionary_destroy(evaluation->classes);
    crd_i_dictionary_destroy(evaluation->others);
    crd_free(evaluation->context, evaluation->rows);
    crd_free(evaluation->context, evaluation->probabilities);
    crd_free(evaluation->context, evaluation);
}

/* Returns CRD_ERROR_ARGUMENT if an entry is not a log probability or a probability. */
static crd_status evaluation_check(const crd_evaluation *evaluation, const double *log_posterior,
                                   const double *probabilities, crd_error *error) {
    for (size_t k = 0; k < evaluation->class_count; k++) {
        if (!(log_posterior[k] <= ROUNDING))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "entry %zu is not the logarithm of a probability", k);
        if (probabilities != NULL && !(probabilities[k] >= 0 && probabilities[k] <= 1))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "entry %zu is not a probability", k);
    }
    return CRD_OK;
}

/* Returns whether `rows` rows are too many to be ranked. */
static bool are_too_many(const crd_evaluation *evaluation, size_t rows) {
    return evaluation->class_count > CLASSES_RANKED && rows > MOST_RANKED / evaluation->class_count;
}

/* Stops ranking: frees the stored probabilities. */
static void give_up_ranks(crd_evaluation *evaluation) {
    if (evaluation->is_unranked) return;
    crd_free(evaluation->context, evaluation->probabilities);
    evaluation->probabilities = NULL;
    evaluation->probabilities_capacity = 0;
    evaluation->is_unranked = true;
}

/* Reserves memory for one more row. Returns false if memory runs out. */
static bool evaluation_make_room(crd_evaluation *evaluation) {
    size_t rows = evaluation->row_count + 1, classes = evaluation->class_count;
    if (rows > SIZE_MAX / classes) return false;
    if (are_too_many(evaluation, rows)) give_up_ranks(evaluation);
    /* Unranked evaluations still need room for the probabilities of the new row. */
    size_t kept = evaluation->is_unranked ? 1 : rows;
    return crd_i_reserve(evaluation->context, &evaluation->rows, &evaluation->rows_capacity, rows,
                         sizeof *evaluation->rows) &&
           crd_i_reserve(evaluation->context, &evaluation->probabilities, &evaluation->probabilities_capacity,
                         kept * classes, sizeof *evaluation->probabilities);
}

/* Returns the code of the true class, which is added if it is new; -1 if memory runs out. */
static int32_t evaluation_find_truth(crd_evaluation *evaluation, crd_text truth) {
    int32_t code = crd_i_dictionary_find(evaluation->classes, truth);
    if (code >= 0) return code;
    code = crd_i_dictionary_add(evaluation->others, truth);
    return code < 0 || code > INT32_MAX / 2 ? -1 : (int32_t)evaluation->class_count + code;
}

/* See evaluation.h. Classes within CRD_TIE_MARGIN of the maximum tie; the first one is the decision. */
crd_row_score crd_i_judge(const double *log_posterior, size_t class_count, int32_t truth) {
    crd_row_score result = {sizeof result, -1, 0, NAN, 0, 0, INFINITY};
    double greatest = -INFINITY;
    for (size_t k = 0; k < class_count; k++)
        if (log_posterior[k] > greatest) greatest = log_posterior[k];
    if (greatest == -INFINITY) return result;
    bool hit = false;
    for (size_t k = class_count; k-- > 0;) {
        if (log_posterior[k] - greatest < -CRD_TIE_MARGIN) continue;
        result.decision = (int32_t)k;
        result.tied++;
        if ((int32_t)k == truth) hit = true;
    }
    result.credit = hit ? 1.0 / result.tied : 0;
    return result;
}

static double evaluation_probability(double log_probability) {
    return log_probability >= 0 ? 1 : crd_exp(log_probability);
}

/* Computes the parts of a judged row that depend on the rank of the true class: its loss, the number of more
 * probable classes, and the number of tied classes. Classes tie if they differ by at most CRD_TIE_MARGIN. */
static crd_i_judged rank_truth(const crd_evaluation *evaluation, const double *log_posterior, int32_t truth) {
    crd_i_judged row = {.truth = truth, .decision = -1, .loss = INFINITY, .fold = evaluation->fold};
    bool known = truth >= 0 && (size_t)truth < evaluation->class_count;
    if (!known || log_posterior[truth] == -INFINITY) return row;
    double own = log_posterior[truth];
    row.loss = own < 0 ? -own : 0;
    for (size_t k = 0; k < evaluation->class_count; k++) {
        if (log_posterior[k] - own > CRD_TIE_MARGIN) row.above++;
        else row.beside += own - log_posterior[k] <= CRD_TIE_MARGIN;
    }
    return row;
}

/* Returns the Brier score of a row (Brier 1950): the sum over classes of (P(class) - [class is true])^2. */
static double brier_of(const crd_evaluation *evaluation, const double *probabilities, int32_t truth) {
    /* A true class that cannot be predicted has probability 0, which adds 1. */
    double squares = (size_t)truth < evaluation->class_count ? 0 : 1;
    for (size_t k = 0; k < evaluation->class_count; k++) {
        double miss = probabilities[k] - ((int32_t)k == truth ? 1 : 0);
        squares += miss * miss;
    }
    return squares;
}

void crd_i_evaluation_set_fold(crd_evaluation *evaluation, uint32_t fold) {
    evaluation->fold = fold;
}

crd_status crd_evaluation_add(crd_evaluation *evaluation, const double *log_posterior, crd_text truth, double weight,
                              crd_row_score *credit, crd_error *error) {
    return crd_i_evaluation_add_probabilities(evaluation, log_posterior, NULL, truth, weight, credit, error);
}

/* Replaces the decision by one that was made elsewhere, and sets its credit. */
static void evaluation_decide(crd_row_score *judged, int32_t decision, int32_t truth) {
    judged->decision = decision;
    judged->tied = decision >= 0;
    judged->credit = decision >= 0 && decision == truth ? 1 : 0;
}

/* Judges a row and stores it. `given` are the probabilities; NULL: they are computed from `log_posterior`.
 * `decision` is the class index or -1; NULL: the class with the largest posterior. A row of weight 0 is judged, but
 * not stored. */
static crd_status evaluation_add_row(crd_evaluation *evaluation, const double *log_posterior, const double *given,
                                     const int32_t *decision, crd_text truth, double weight, crd_row_score *credit,
                                     crd_error *error) {
    const crd_row_score none = {sizeof none, -1, 0, NAN, 0, 0, INFINITY};
    if (credit != NULL) crd_i_copy_out(&none, sizeof none, credit);
    crd_status status = evaluation_check(evaluation, log_posterior, given, error);
    if (status != CRD_OK) return status;
    if (decision != NULL && !(*decision >= -1 && *decision < (int64_t)evaluation->class_count))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the decision is not a class");
    if (!(weight >= 0 && weight <= MOST_WEIGHT))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not between 0 and 2^63");
    if (!evaluation_make_room(evaluation)) return crd_i_fail_memory(error);
    /* A class that occurs only in rows of weight 0 is not listed. */
    int32_t code =
        weight > 0 ? evaluation_find_truth(evaluation, truth) : crd_i_dictionary_find(evaluation->classes, truth);
    if (code < 0 && weight > 0) return crd_i_fail_memory(error);

    crd_row_score judged = crd_i_judge(log_posterior, evaluation->class_count, code);
    if (decision != NULL) evaluation_decide(&judged, *decision, code);
    size_t place = evaluation->is_unranked ? 0 : evaluation->row_count;
    double *probabilities = evaluation->probabilities + place * evaluation->class_count;
    for (size_t k = 0; k < evaluation->class_count; k++)
        probabilities[k] = given != NULL ? given[k] : evaluation_probability(log_posterior[k]);
    if (judged.decision >= 0) judged.probability = probabilities[judged.decision];
    const bool is_class = code >= 0 && (size_t)code < evaluation->class_count;
    crd_i_judged row = rank_truth(evaluation, log_posterior, code);
    judged.truth_probability = is_class ? probabilities[code] : 0;
    judged.loss = row.loss;
    if (weight > 0) {
        row.decision = judged.decision;
        row.weight = weight;
        row.credit = judged.credit;
        row.probability = judged.decision >= 0 ? judged.probability : 0;
        row.squares = brier_of(evaluation, probabilities, code);
        evaluation->rows[evaluation->row_count++] = row;
        evaluation->is_weighted = evaluation->is_weighted || weight != 1;
    }
    if (credit != NULL) crd_i_copy_out(&judged, sizeof judged, credit);
    return CRD_OK;
}

crd_status crd_i_evaluation_add_probabilities(crd_evaluation *evaluation, const double *log_posterior,
                                              const double *given, crd_text truth, double weight, crd_row_score *credit,
                                              crd_error *error) {
    return evaluation_add_row(evaluation, log_posterior, given, NULL, truth, weight, credit, error);
}

crd_status crd_i_evaluation_add_decided(crd_evaluation *evaluation, const double *log_posterior,
                                        const double *probabilities, int32_t decision, crd_text truth, double weight,
                                        crd_row_score *credit, crd_error *error) {
    return evaluation_add_row(evaluation, log_posterior, probabilities, &decision, truth, weight, credit, error);
}

/* ---- Merging ---- */

/* Maps the classes of another evaluation, followed by the classes that only its rows have, to codes of this
 * evaluation. */
typedef struct class_places {
    int32_t *places;
    crd_i_dictionary *others; /* other classes of this evaluation, then the new ones */
} class_places;

/* Fills the map. Returns CRD_ERROR_ARGUMENT if a class that can be predicted there is missing here. */
static crd_status evaluation_find_places(const crd_evaluation *evaluation, const crd_evaluation *other,
                                         class_places *class, crd_error *error) {
    const size_t others = crd_i_dictionary_size(other->others);
    char quoted[CRD_I_QUOTED_ROOM];
    class->places = crd_i_alloc(evaluation->context, other->class_count + others, sizeof *class->places);
    class->others = crd_i_dictionary_clone(evaluation->others);
    if (class->places == NULL || class->others == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < other->class_count; k++) {
        const crd_text name = crd_i_dictionary_text(other->classes, k);
        class->places[k] = crd_i_dictionary_find(evaluation->classes, name);
        if (class->places[k] < 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the class '%s' is not among the classes to predict",
                              crd_i_quote(name, quoted));
    }
    for (size_t i = 0; i < others; i++) {
        const crd_text name = crd_i_dictionary_text(other->others, i);
        int32_t code = crd_i_dictionary_find(evaluation->classes, name);
        if (code < 0) {
            code = crd_i_dictionary_add(class->others, name);
            if (code < 0 || code > INT32_MAX / 2) return crd_i_fail_memory(error);
            code += (int32_t)evaluation->class_count;
        }
        class->places[other->class_count + i] = code;
    }
    return CRD_OK;
}

/* Appends the rows of the other evaluation. The caller has reserved the memory. */
static void append_rows(crd_evaluation *evaluation, const crd_evaluation *other, const int32_t *places) {
    const size_t count = other->row_count, first = evaluation->row_count;
    for (size_t i = 0; i < count; i++) {
        crd_i_judged row = other->rows[i];
        row.truth = places[row.truth];
        if (row.decision >= 0) row.decision = places[row.decision];
        evaluation->rows[first + i] = row;
    }
    for (size_t i = 0; !evaluation->is_unranked && i < count; i++) {
        double *probabilities = evaluation->probabilities + (first + i) * evaluation->class_count;
        for (size_t k = 0; k < evaluation->class_count; k++) probabilities[k] = 0;
        for (size_t k = 0; k < other->class_count; k++)
            probabilities[places[k]] = other->probabilities[i * other->class_count + k];
    }
    evaluation->row_count += count;
    evaluation->is_weighted = evaluation->is_weighted || other->is_weighted;
}

/* Everything that can fail is done before the first row is appended, so a failed merge changes nothing. */
crd_status crd_evaluation_merge(crd_evaluation *evaluation, const crd_evaluation *other, crd_error *error) {
    class_places class = {NULL, NULL};
    const size_t own = evaluation->row_count, classes = evaluation->class_count;
    crd_status status = evaluation_find_places(evaluation, other, &class, error);
    if (status != CRD_OK) goto done;
    const bool fits = other->row_count <= SIZE_MAX - own && own + other->row_count <= SIZE_MAX / classes;
    const size_t rows = fits ? own + other->row_count : 0;
    const bool is_unranked = evaluation->is_unranked || other->is_unranked || are_too_many(evaluation, rows);
    if (!fits ||
        !crd_i_reserve(evaluation->context, &evaluation->rows, &evaluation->rows_capacity, rows,
                       sizeof *evaluation->rows) ||
        (!is_unranked && !crd_i_reserve(evaluation->context, &evaluation->probabilities,
                                        &evaluation->probabilities_capacity, rows * classes, sizeof(double)))) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    if (is_unranked) give_up_ranks(evaluation);
    append_rows(evaluation, other, class.places);
    crd_i_dictionary_destroy(evaluation->others);
    evaluation->others = class.others;
    class.others = NULL;

done:
    crd_free(evaluation->context, class.places);
    crd_i_dictionary_destroy(class.others);
    return status;
}

/* ======== 2. Byte format ========
 *
 * The format is described in evaluation.h. */

enum { VERSION = 1, HEAD_LENGTH = 8, CHECKSUM_LENGTH = 4, TAG_LENGTH = 4 };

/* ROW_LENGTH: bytes of a row without its probabilities. FOLDS: the maximum number of folds of a split. */
enum { ROW_LENGTH = 5 * 4 + 5 * 8, FOLDS = 1000000 };

static const char tag_of_rows[TAG_LENGTH] = {'E', 'V', 'A', 'L'};

/* ---- Tag, version and checksum ---- */

void crd_i_evaluation_bytes_begin(crd_i_encoder *encoder, crd_context *context, const char tag[4]) {
    *encoder = (crd_i_encoder){.buffer.context = context};
    crd_i_encode_bytes(encoder, tag, TAG_LENGTH);
    crd_i_encode_u32(encoder, VERSION);
}

crd_status crd_i_evaluation_bytes_end(crd_i_encoder *encoder, unsigned char **bytes, size_t *length, crd_error *error) {
    *bytes = NULL;
    *length = 0;
    if (!encoder->failed) crd_i_encode_u32(encoder, crd_i_checksum(encoder->buffer.bytes, encoder->buffer.length));
    if (encoder->failed) {
        crd_i_buffer_clear(&encoder->buffer);
        return crd_i_fail_memory(error);
    }
    *bytes = encoder->buffer.bytes;
    *length = encoder->buffer.length;
    *encoder = (crd_i_encoder){.failed = false};
    return CRD_OK;
}

crd_status crd_i_evaluation_bytes_damaged(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the bytes of an evaluation are damaged, or are not an evaluation");
}

crd_status crd_i_evaluation_bytes_open(const unsigned char *bytes, size_t length, const char tag[4], crd_i_cursor *out,
                                       crd_error *error) {
    *out = (crd_i_cursor){NULL, NULL, true};
    if (length < HEAD_LENGTH + CHECKSUM_LENGTH || memcmp(bytes, tag, TAG_LENGTH) != 0)
        return crd_i_evaluation_bytes_damaged(error);
    const unsigned char *end = bytes + length - CHECKSUM_LENGTH;
    crd_i_cursor stated = {end, bytes + length, false}, content = {bytes + TAG_LENGTH, end, false};
    if (crd_i_decode_u32(&stated) != crd_i_checksum(bytes, length - CHECKSUM_LENGTH))
        return crd_i_evaluation_bytes_damaged(error);
    const uint32_t version = crd_i_decode_u32(&content);
    if (version != VERSION)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW,
                          "the evaluation has version %u, and this library reads version %d: use the same library for "
                          "all parts",
                          (unsigned)version, VERSION);
    *out = content;
    return CRD_OK;
}

crd_status crd_i_evaluation_bytes_close(const crd_i_cursor *cursor, crd_status status, crd_error *error) {
    if (status != CRD_OK) return status;
    return cursor->failed || crd_i_cursor_left(cursor) > 0 ? crd_i_evaluation_bytes_damaged(error) : CRD_OK;
}

/* ---- Doubles, flags and names ---- */

void crd_i_encode_double(crd_i_encoder *encoder, double value) {
    crd_i_encode_u64(encoder, crd_i_bits_of(value));
}

double crd_i_decode_double(crd_i_cursor *cursor) {
    return crd_i_double_of(crd_i_decode_u64(cursor));
}

bool crd_i_decode_flag(crd_i_cursor *cursor) {
    const uint8_t flag = crd_i_decode_u8(cursor);
    cursor->failed = cursor->failed || flag > 1;
    return flag == 1;
}

void crd_i_encode_names(crd_i_encoder *encoder, const crd_i_dictionary *names) {
    const size_t count = crd_i_dictionary_size(names);
    crd_i_encode_u64(encoder, count);
    for (size_t i = 0; i < count; i++) crd_i_encode_text(encoder, crd_i_dictionary_text(names, i));
}

crd_status crd_i_decode_names(crd_context *context, crd_i_cursor *cursor, crd_i_dictionary **out, crd_error *error) {
    const uint64_t count = crd_i_decode_u64(cursor);
    crd_status status = CRD_OK;
    *out = NULL;
    if (count > INT32_MAX / 2 || !crd_i_cursor_holds(cursor, count, 4)) return crd_i_evaluation_bytes_damaged(error);
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    if (names == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        const crd_text name = crd_i_decode_text(cursor);
        const int32_t code = cursor->failed ? -1 : crd_i_dictionary_add(names, name);
        if (cursor->failed || (code >= 0 && (size_t)code != i)) status = crd_i_evaluation_bytes_damaged(error);
        else if (code < 0) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) *out = names;
    else crd_i_dictionary_destroy(names);
    return status;
}

/* ---- Rows ---- */

static void evaluation_bytes_write_row(const crd_i_judged *row, crd_i_encoder *encoder) {
    crd_i_encode_u32(encoder, (uint32_t)row->truth);
    crd_i_encode_u32(encoder, (uint32_t)row->decision);
    crd_i_encode_u32(encoder, row->above);
    crd_i_encode_u32(encoder, row->beside);
    crd_i_encode_u32(encoder, row->fold);
    crd_i_encode_double(encoder, row->weight);
    crd_i_encode_double(encoder, row->credit);
    crd_i_encode_double(encoder, row->loss);
    crd_i_encode_double(encoder, row->probability);
    crd_i_encode_double(encoder, row->squares);
}

void crd_i_evaluation_write(const crd_evaluation *evaluation, crd_i_encoder *encoder) {
    const size_t count = evaluation->is_unranked ? 0 : evaluation->row_count * evaluation->class_count;
    crd_i_encode_names(encoder, evaluation->classes);
    crd_i_encode_names(encoder, evaluation->others);
    crd_i_encode_u8(encoder, evaluation->is_unranked);
    crd_i_encode_u64(encoder, evaluation->row_count);
    for (size_t i = 0; i < evaluation->row_count; i++) evaluation_bytes_write_row(&evaluation->rows[i], encoder);
    for (size_t i = 0; i < count; i++) crd_i_encode_double(encoder, evaluation->probabilities[i]);
}

/* Returns whether a double is between 0 and `most`. NaN is not. */
static bool evaluation_bytes_is_within(double value, double most) {
    return value >= 0 && value <= most;
}

/* Returns whether a row is valid: whether its fields are in the ranges that scores rely on. */
static bool evaluation_bytes_is_possible(const crd_i_judged *row, size_t classes, size_t others) {
    return row->truth >= 0 && (size_t)row->truth < classes + others && row->decision >= -1 &&
           row->decision < (int64_t)classes && (row->fold <= FOLDS || row->fold == CRD_NO_FOLD) &&
           row->above <= classes && row->beside <= classes && evaluation_bytes_is_within(row->weight, MOST_WEIGHT) &&
           row->weight > 0 && evaluation_bytes_is_within(row->credit, 1) &&
           evaluation_bytes_is_within(row->loss, INFINITY) && evaluation_bytes_is_within(row->probability, 1) &&
           evaluation_bytes_is_within(row->squares, (double)classes + 1);
}

static crd_i_judged evaluation_bytes_read_row(crd_i_cursor *cursor) {
    crd_i_judged row = {.truth = (int32_t)crd_i_decode_u32(cursor)};
    row.decision = (int32_t)crd_i_decode_u32(cursor);
    row.above = crd_i_decode_u32(cursor);
    row.beside = crd_i_decode_u32(cursor);
    row.fold = crd_i_decode_u32(cursor);
    row.weight = crd_i_decode_double(cursor);
    row.credit = crd_i_decode_double(cursor);
    row.loss = crd_i_decode_double(cursor);
    row.probability = crd_i_decode_double(cursor);
    row.squares = crd_i_decode_double(cursor);
    return row;
}

/* Decodes rows and probabilities, which must all be valid. */
static crd_status evaluation_bytes_read_rows(crd_evaluation *evaluation, crd_i_cursor *cursor, crd_error *error) {
    const bool is_unranked = crd_i_decode_flag(cursor);
    const uint64_t rows = crd_i_decode_u64(cursor);
    const size_t others = crd_i_dictionary_size(evaluation->others);
    if (cursor->failed || !crd_i_cursor_holds(cursor, rows, ROW_LENGTH)) return crd_i_evaluation_bytes_damaged(error);
    if (!crd_i_reserve(evaluation->context, &evaluation->rows, &evaluation->rows_capacity, (size_t)rows,
                       sizeof *evaluation->rows))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < rows; i++) {
        evaluation->rows[i] = evaluation_bytes_read_row(cursor);
        if (!evaluation_bytes_is_possible(&evaluation->rows[i], evaluation->class_count, others))
            return crd_i_evaluation_bytes_damaged(error);
        evaluation->is_weighted = evaluation->is_weighted || evaluation->rows[i].weight != 1;
    }
    evaluation->row_count = (size_t)rows;
    evaluation->is_unranked = is_unranked;
    if (evaluation->is_unranked || rows == 0) return CRD_OK;
    if (rows > SIZE_MAX / evaluation->class_count ||
        !crd_i_cursor_holds(cursor, rows * evaluation->class_count, sizeof(double)))
        return crd_i_evaluation_bytes_damaged(error);
    const size_t count = (size_t)rows * evaluation->class_count;
    if (!crd_i_reserve(evaluation->context, &evaluation->probabilities, &evaluation->probabilities_capacity, count,
                       sizeof(double)))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        evaluation->probabilities[i] = crd_i_decode_double(cursor);
        if (!evaluation_bytes_is_within(evaluation->probabilities[i], 1)) return crd_i_evaluation_bytes_damaged(error);
    }
    return CRD_OK;
}

/* Returns CRD_ERROR_DAMAGED if there are no classes, or if a name occurs among the classes and among the other
 * classes. */
static crd_status evaluation_bytes_check_classes(crd_evaluation *read, crd_error *error) {
    read->class_count = crd_i_dictionary_size(read->classes);
    bool is_damaged = read->class_count == 0;
    for (size_t i = 0; !is_damaged && i < crd_i_dictionary_size(read->others); i++)
        is_damaged = crd_i_dictionary_find(read->classes, crd_i_dictionary_text(read->others, i)) >= 0;
    return is_damaged ? crd_i_evaluation_bytes_damaged(error) : CRD_OK;
}

crd_status crd_i_evaluation_read(crd_context *context, crd_i_cursor *cursor, crd_evaluation **out, crd_error *error) {
    *out = NULL;
    crd_evaluation *read = crd_i_alloc_zeroed(context, 1, sizeof *read);
    if (read == NULL) return crd_i_fail_memory(error);
    read->context = context;
    read->fold = CRD_NO_FOLD;
    crd_status status = crd_i_decode_names(context, cursor, &read->classes, error);
    if (status == CRD_OK) status = crd_i_decode_names(context, cursor, &read->others, error);
    if (status == CRD_OK) status = evaluation_bytes_check_classes(read, error);
    if (status == CRD_OK) status = evaluation_bytes_read_rows(read, cursor, error);
    if (status == CRD_OK) *out = read;
    else crd_evaluation_destroy(read);
    return status;
}

crd_status crd_evaluation_encode(const crd_evaluation *evaluation, unsigned char **bytes, size_t *length,
                                 crd_error *error) {
    crd_i_encoder encoder;
    crd_i_evaluation_bytes_begin(&encoder, evaluation->context, tag_of_rows);
    crd_i_evaluation_write(evaluation, &encoder);
    return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
}

crd_status crd_evaluation_decode(crd_context *context, const unsigned char *bytes, size_t length, crd_evaluation **out,
                                 crd_error *error) {
    crd_i_cursor cursor;
    *out = NULL;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_rows, &cursor, error);
    if (status == CRD_OK) status = crd_i_evaluation_read(context, &cursor, out, error);
    status = crd_i_evaluation_bytes_close(&cursor, status, error);
    if (status != CRD_OK) {
        crd_evaluation_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ======== 3. Label warning ========
 *
 * Warns about labels that a model cannot predict. */

/* Maximum number of labels, and of classes, that a warning names. */
enum { MOST_NAMED = 5 };

typedef struct unknown_labels {
    size_t count;
    uint64_t rows;
    bool has_similar;
} unknown_labels;

/* Returns whether the model can predict a class, and sets *rows to the number of its rows. */
static bool can_be_predicted(const crd_scores *scores, size_t index, uint64_t *rows) {
    const crd_class_scores class = scores->classes[index];
    *rows = class.support;
    return class.can_be_predicted != 0;
}

/* Returns the first predictable class that differs from the label only in spelling; CRD_NONE if there is none. */
static size_t label_warning_find_similar(const crd_scores *scores, size_t label) {
    uint64_t rows;
    for (size_t k = 0; k < scores->class_count && can_be_predicted(scores, k, &rows); k++)
        if (crd_i_names_are_similar(scores->classes[k].name, scores->classes[label].name)) return k;
    return CRD_NONE;
}

static bool label_warning_add_text(crd_i_buffer *buffer, const char *text) {
    return crd_i_buffer_append(buffer, text, strlen(text));
}

/* Appends ", 'name'", or ", ..." after MOST_NAMED names. Returns false if memory runs out. */
static bool label_warning_add_name(crd_i_buffer *buffer, size_t place, crd_text name) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (place > MOST_NAMED) return true;
    if (place == MOST_NAMED) return label_warning_add_text(buffer, ", ...");
    return label_warning_add_text(buffer, place == 0 ? "'" : ", '") &&
           label_warning_add_text(buffer, crd_i_quote(name, quoted)) && label_warning_add_text(buffer, "'");
}

/* Adds "'NO' (the model has 'no'), 'YES' (the model has 'yes')". */
static bool add_labels(crd_i_buffer *buffer, const crd_scores *scores, unknown_labels *labels) {
    bool done = true;
    uint64_t rows;
    for (size_t k = 0, place = 0; done && k < scores->class_count; k++) {
        if (can_be_predicted(scores, k, &rows)) continue;
        const size_t similar = place < MOST_NAMED ? label_warning_find_similar(scores, k) : CRD_NONE;
        done = label_warning_add_name(buffer, place++, scores->classes[k].name);
        if (similar == CRD_NONE) continue;
        labels->has_similar = true;
        done = done && label_warning_add_text(buffer, " (the model has ") &&
               label_warning_add_name(buffer, 0, scores->classes[similar].name) && label_warning_add_text(buffer, ")");
    }
    return done;
}

static bool label_warning_add_classes(crd_i_buffer *buffer, const crd_scores *scores) {
    bool done = label_warning_add_text(buffer, "; the model has ");
    uint64_t rows;
    for (size_t k = 0; done && k < scores->class_count && can_be_predicted(scores, k, &rows); k++)
        done = label_warning_add_name(buffer, k, scores->classes[k].name);
    return done;
}

crd_status crd_scores_label_warning(crd_context *context, const crd_scores *scores, char **out, crd_error *error) {
    crd_i_buffer buffer = {.context = context};
    unknown_labels labels = {0, 0, false};
    char begin[128];
    uint64_t rows;
    *out = NULL;
    for (size_t k = 0; k < scores->class_count; k++) {
        if (can_be_predicted(scores, k, &rows)) continue;
        labels.count++;
        labels.rows += rows;
    }
    if (labels.count == 0) return CRD_OK;
    snprintf(begin, sizeof begin, "%zu label%s not %s of the model, and %s %llu row%s as wrong: ", labels.count,
             labels.count == 1 ? " is" : "s are", labels.count == 1 ? "a class" : "classes",
             labels.count == 1 ? "its" : "their", (unsigned long long)labels.rows,
             labels.rows == 1 ? " counts" : "s count");
    bool done = label_warning_add_text(&buffer, begin) && add_labels(&buffer, scores, &labels);
    if (done && !labels.has_similar) done = label_warning_add_classes(&buffer, scores);
    if (done && crd_i_buffer_append(&buffer, "", 1)) {
        *out = (char *)buffer.bytes;
        return CRD_OK;
    }
    crd_i_buffer_clear(&buffer);
    return crd_i_fail_memory(error);
}

/* ======== 4. Score sums ======== */

/* Range of the exact sums in 64-bit limbs. It includes every sum of products of two nonnegative doubles, if one
 * of them is a weight. So adding a value needs no memory. */
enum { WINDOW_BASE = -34, WINDOW_WIDTH = 54 };

/* Adds a row to all sums. Returns false if memory runs out. */
static bool score_sums_add_row(crd_i_score_sums *score_sums, const crd_evaluation *evaluation, size_t number) {
    const crd_i_judged *row = &evaluation->rows[number];
    crd_i_sums *sums = &score_sums->sums;
    bool done = crd_i_sums_add(sums, CRD_I_SUM_WEIGHT, row->weight) &&
                crd_i_sums_add_product(sums, CRD_I_SUM_CREDIT, row->weight, row->credit) &&
                crd_i_sums_add_product(sums, CRD_I_SUM_BRIER, row->weight, row->squares) &&
                crd_i_sums_add_product(sums, CRD_I_SUM_BRIER_SQUARES, row->weight, row->squares * row->squares);
    if (row->loss < INFINITY)
        done = done && crd_i_sums_add_product(sums, CRD_I_SUM_LOSS, row->weight, row->loss) &&
               crd_i_sums_add_product(sums, CRD_I_SUM_LOSS_SQUARES, row->weight, row->loss * row->loss);
    else if ((size_t)row->truth < evaluation->class_count) score_sums->zero_rows[row->truth]++;
    if (row->decision < 0) {
        score_sums->undecided++;
        return done;
    }
    size_t bin = (size_t)(row->probability * CRD_CALIBRATION_BINS);
    if (bin >= CRD_CALIBRATION_BINS) bin = CRD_CALIBRATION_BINS - 1;
    score_sums->bins[bin]++;
    return done && crd_i_sums_add(sums, CRD_I_SUM_DECIDED, row->weight) &&
           crd_i_sums_add(sums, CRD_I_SUM_BIN_WEIGHT + bin, row->weight) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BIN_PROBABILITY + bin, row->weight, row->probability) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BIN_CREDIT + bin, row->weight, row->credit);
}

bool crd_i_score_sums_add(crd_i_score_sums *score_sums, const crd_i_row_selection *selection) {
    const crd_evaluation *evaluation = selection->evaluation;
    const crd_i_score_sums none = {.context = evaluation->context};
    *score_sums = none;
    crd_i_sums_init(&score_sums->sums, score_sums->context);
    score_sums->zero_rows =
        crd_i_alloc_zeroed(score_sums->context, evaluation->class_count, sizeof *score_sums->zero_rows);
    bool done = score_sums->zero_rows != NULL && crd_i_sums_extend(&score_sums->sums, CRD_I_SUM_COUNT) &&
                crd_i_sums_set_window(&score_sums->sums, WINDOW_BASE, WINDOW_WIDTH);
    for (size_t i = 0; done && i < selection->count; i++)
        done = score_sums_add_row(score_sums, evaluation, crd_i_selected(selection, i));
    return done;
}

void crd_i_score_sums_clear(crd_i_score_sums *score_sums) {
    crd_i_sums_clear(&score_sums->sums);
    crd_free(score_sums->context, score_sums->zero_rows);
}

double crd_i_score_sums_mean(const crd_i_score_sums *score_sums, size_t sum, size_t weight) {
    double all = crd_i_sums_value(&score_sums->sums, weight);
    return all == 0 ? NAN : crd_i_sums_value(&score_sums->sums, sum) / all;
}
