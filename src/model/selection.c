/* SPDX-License-Identifier: MIT */
/* selection.c - see model_internal.h. */
#include "model/model_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "math/exact/ieee754.h"

#include <math.h>
#include <string.h>

void crd_i_selection_destroy(crd_selection *selection) {
    if (selection == NULL) return;
    crd_free(selection->context, selection->candidates);
    crd_free(selection->context, selection->texts);
    crd_free(selection->context, selection);
}

/* ---- Encoding ---- */

/* Writes a number. All NaNs get the same bits. */
static void selection_write_number(crd_i_encoder *encoder, double value) {
    static const uint64_t ONE_NAN = (uint64_t)0x7ff8 << 48;
    crd_i_encode_u64(encoder, isnan(value) ? ONE_NAN : crd_i_bits_of(value));
}

static double selection_read_number(crd_i_cursor *cursor) {
    return crd_i_double_of(crd_i_decode_u64(cursor));
}

enum { RECOMMENDATION_NUMBERS = 9, RESULT_NUMBERS = 7 };

static void list_recommendation(crd_recommendation *r, double *numbers[RECOMMENDATION_NUMBERS]) {
    double *const listed[RECOMMENDATION_NUMBERS] = {
        &r->difference, &r->difference_error, &r->baseline_accuracy, &r->baseline_log_loss, &r->gain,
        &r->gain_error, &r->budget,           &r->sufficient_budget, &r->larger_budget};
    memcpy(numbers, listed, sizeof listed);
}

static void list_result(crd_comparison_result *result, double *numbers[RESULT_NUMBERS]) {
    double *const listed[RESULT_NUMBERS] = {&result->accuracy,  &result->log_loss, &result->log_loss_error,
                                            &result->brier,     &result->auc,      &result->ece,
                                            &result->parameters};
    memcpy(numbers, listed, sizeof listed);
}

static void write_candidate(const crd_selection_candidate *candidate, crd_i_encoder *encoder) {
    crd_comparison_result result = candidate->result;
    double *numbers[RESULT_NUMBERS];
    uint32_t settings = 0;
    while (settings < CRD_SELECTION_SETTINGS && candidate->settings[settings].name != NULL) settings++;
    crd_i_encode_text(encoder, crd_text_of(result.name));
    crd_i_encode_u32(encoder, settings);
    for (uint32_t i = 0; i < settings; i++) {
        crd_i_encode_text(encoder, crd_text_of(candidate->settings[i].name));
        crd_i_encode_text(encoder, crd_text_of(candidate->settings[i].value));
    }
    crd_i_encode_u32(encoder, (uint32_t)result.status);
    crd_i_encode_text(encoder, crd_text_of(result.message));
    list_result(&result, numbers);
    for (size_t i = 0; i < RESULT_NUMBERS; i++) selection_write_number(encoder, *numbers[i]);
}

void crd_i_selection_write(const crd_selection *selection, crd_i_encoder *encoder) {
    crd_recommendation r = selection->recommendation;
    double *numbers[RECOMMENDATION_NUMBERS];
    crd_i_encode_u32(encoder, (uint32_t)selection->count);
    crd_i_encode_u32(encoder, (uint32_t)r.reason);
    crd_i_encode_u32(encoder, (uint32_t)r.candidate);
    crd_i_encode_u32(encoder, (uint32_t)r.best);
    crd_i_encode_u64(encoder, r.rows);
    crd_i_encode_u64(encoder, r.left_out);
    crd_i_encode_u64(encoder, r.more);
    list_recommendation(&r, numbers);
    for (size_t i = 0; i < RECOMMENDATION_NUMBERS; i++) selection_write_number(encoder, *numbers[i]);
    for (size_t i = 0; i < selection->count; i++) write_candidate(&selection->candidates[i], encoder);
}

/* Reads a text, and appends it to *buffer as a string. The terminator needs no more memory than the text's length field
 * did. */
static const char *selection_take_text(crd_i_cursor *cursor, char **buffer) {
    crd_text text = crd_i_decode_text(cursor);
    if (text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL) cursor->failed = true;
    if (cursor->failed) return "";
    char *taken = *buffer;
    if (text.length > 0) memcpy(taken, text.bytes, text.length);
    taken[text.length] = '\0';
    *buffer = taken + text.length + 1;
    return taken;
}

/* Reads the name of a candidate. In files of version 0.1 some words of it differ; today's are at most three bytes longer,
 * which fit into the memory of the text's length field. */
static const char *selection_take_name(crd_i_cursor *cursor, char **buffer) {
    static const char *const former[][2] = {{"scaled", "platt"}, {"exponents", "weighted"}, {"shared", "tied"},
                                            {"a1de", "aode"},    {"pairs", "pairwise"},     {"committee", "stacking"}};
    char *name = *buffer;
    size_t room = 3;
    selection_take_text(cursor, buffer);
    if (cursor->failed) return "";
    for (char *word = name; *word != '\0';) {
        const size_t length = strcspn(word, ",");
        size_t used = length;
        for (size_t i = 0; i < sizeof former / sizeof *former; i++) {
            const size_t new_length = strlen(former[i][1]);
            if (length != strlen(former[i][0]) || memcmp(word, former[i][0], length) != 0) continue;
            if (new_length > length + room) break;
            room = room + length - new_length;
            used = new_length;
            memmove(word + used, word + length, strlen(word + length) + 1);
            memcpy(word, former[i][1], used);
            break;
        }
        word += used + strspn(word + used, ", ");
    }
    *buffer = name + strlen(name) + 1;
    return name;
}

static void read_candidate(crd_i_cursor *cursor, char **buffer, crd_selection_candidate *candidate) {
    const crd_comparison_result none = CRD_COMPARISON_RESULT_INIT;
    double *numbers[RESULT_NUMBERS];
    candidate->result = none;
    candidate->result.name = selection_take_name(cursor, buffer);
    const uint32_t settings = crd_i_decode_u32(cursor);
    if (settings > CRD_SELECTION_SETTINGS) cursor->failed = true;
    for (uint32_t i = 0; !cursor->failed && i < settings; i++) {
        candidate->settings[i].name = selection_take_text(cursor, buffer);
        candidate->settings[i].value = selection_take_text(cursor, buffer);
        crd_i_former_setting_replace(&candidate->settings[i].name, &candidate->settings[i].value);
    }
    const uint32_t status = crd_i_decode_u32(cursor);
    if (status > CRD_CANDIDATE_FAILED) cursor->failed = true;
    if (!cursor->failed) candidate->result.status = (crd_candidate_status)status;
    candidate->result.message = selection_take_text(cursor, buffer);
    list_result(&candidate->result, numbers);
    for (size_t i = 0; i < RESULT_NUMBERS; i++) *numbers[i] = selection_read_number(cursor);
}

static void read_selection(crd_i_cursor *cursor, char *buffer, crd_selection *selection) {
    crd_recommendation *r = &selection->recommendation;
    const crd_recommendation none = CRD_RECOMMENDATION_INIT;
    double *numbers[RECOMMENDATION_NUMBERS];
    *r = none;
    const uint32_t reason = crd_i_decode_u32(cursor);
    r->candidate = crd_i_decode_u32(cursor);
    r->best = crd_i_decode_u32(cursor);
    if (reason < CRD_RECOMMENDED_BEST || reason > CRD_RECOMMENDED_NONE || r->candidate >= selection->count ||
        r->best >= selection->count)
        cursor->failed = true;
    if (!cursor->failed) r->reason = (crd_recommendation_reason)reason;
    r->rows = crd_i_decode_u64(cursor);
    r->left_out = crd_i_decode_u64(cursor);
    r->more = (size_t)crd_i_decode_u64(cursor);
    list_recommendation(r, numbers);
    for (size_t i = 0; i < RECOMMENDATION_NUMBERS; i++) *numbers[i] = selection_read_number(cursor);
    for (size_t i = 0; !cursor->failed && i < selection->count; i++) {
        read_candidate(cursor, &buffer, &selection->candidates[i]);
        r->tried += selection->candidates[i].result.status == CRD_CANDIDATE_SCORED;
    }
}

crd_status crd_i_selection_read(crd_context *context, crd_i_cursor *cursor, crd_selection **out, crd_error *error) {
    enum { LEAST_CANDIDATE = 4 + 4 + 4 + 4 + RESULT_NUMBERS * 8 };
    *out = NULL;
    const uint32_t count = crd_i_decode_u32(cursor);
    if (count == 0 || !crd_i_cursor_holds(cursor, count, LEAST_CANDIDATE))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "the comparison has missing candidates");
    crd_selection *selection = crd_i_alloc_zeroed(context, 1, sizeof *selection);
    if (selection == NULL) return crd_i_fail_memory(error);
    selection->context = context;
    selection->count = count;
    selection->candidates = crd_i_alloc_zeroed(context, count, sizeof *selection->candidates);
    selection->texts = crd_i_alloc(context, crd_i_cursor_left(cursor), 1);
    crd_status status = CRD_OK;
    if (selection->candidates == NULL || selection->texts == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) read_selection(cursor, selection->texts, selection);
    if (status == CRD_OK && cursor->failed)
        status = crd_i_fail(error, CRD_ERROR_DAMAGED, "the comparison has impossible results");
    if (status == CRD_OK) *out = selection;
    else crd_i_selection_destroy(selection);
    return status;
}

crd_status crd_i_selection_clone(const crd_selection *selection, crd_selection **out, crd_error *error) {
    *out = NULL;
    if (selection == NULL) return CRD_OK;
    crd_i_encoder encoder = {.buffer = {.context = selection->context}};
    crd_i_selection_write(selection, &encoder);
    crd_i_cursor cursor = {encoder.buffer.bytes, encoder.buffer.bytes + encoder.buffer.length, false};
    crd_status status =
        encoder.failed ? crd_i_fail_memory(error) : crd_i_selection_read(selection->context, &cursor, out, error);
    crd_i_buffer_clear(&encoder.buffer);
    return status;
}

/* ---- Access ---- */
