/* SPDX-License-Identifier: MIT */
/* evaluation_bytes.c - encoding and decoding of evaluations. The format is in evaluation_bytes.h. */
#include "evaluate/evaluation_bytes.h"

#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "io/checksum.h"
#include "math/exact/ieee754.h"

#include <math.h>
#include <string.h>

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
    const double MOST_WEIGHT = 0x1p63;
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
