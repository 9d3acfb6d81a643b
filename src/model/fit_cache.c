/* SPDX-License-Identifier: MIT */
/* fit_cache.c - see model_internal.h. */
#include "model/model_internal.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/exact/ieee754.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void crd_i_fit_cache_clear(crd_i_fit_cache *fitted) {
    for (size_t i = 0; i < fitted->count; i++) {
        crd_free(fitted->context, fitted->fits[i].key);
        crd_free(fitted->context, fitted->fits[i].numbers);
    }
    crd_free(fitted->context, fitted->fits);
    fitted->fits = NULL;
    fitted->count = fitted->capacity = 0;
}

/* Returns the key of a fit: its description, then one line per setting with the setting's canonical text. It contains
 * the settings that a model file contains, so that later additions to the settings leave old keys unchanged. NULL: out
 * of memory. */
static char *fit_cache_make_key(crd_context *context, const char *description, const crd_settings *settings) {
    crd_i_buffer out = {.context = context};

    bool done = crd_i_buffer_append(&out, description, strlen(description));
    for (size_t i = 0; done && i < CRD_I_SETTING_COUNT; i++) {
        const char *name = crd_setting_at(i)->name, *text = settings->texts[i];
        if (i >= CRD_I_SETTINGS_ALWAYS_STATED && strcmp(text, crd_setting_at(i)->default_value) == 0) continue;
        done = crd_i_buffer_append(&out, "\n", 1) && crd_i_buffer_append(&out, name, strlen(name)) &&
               crd_i_buffer_append(&out, " ", 1) && crd_i_buffer_append(&out, text, strlen(text));
    }
    if (!done || !crd_i_buffer_append(&out, "", 1)) {
        crd_i_buffer_clear(&out);
        return NULL;
    }
    return (char *)out.bytes;
}

/* Returns the index of a key, or where to insert it. */
static size_t fit_cache_find_place(const crd_i_fit_cache *fitted, const char *key) {
    size_t i = 0;
    while (i < fitted->count && strcmp(fitted->fits[i].key, key) < 0) i++;
    return i;
}

const crd_i_fit *crd_i_fit_cache_find_key(const crd_i_fit_cache *fitted, const char *key) {
    size_t place = fit_cache_find_place(fitted, key);
    bool is_found = place < fitted->count && strcmp(fitted->fits[place].key, key) == 0;
    return is_found ? &fitted->fits[place] : NULL;
}

const crd_i_fit *crd_i_fit_cache_find(const crd_i_fit_cache *fitted, const char *description,
                                      const crd_settings *settings) {
    if (fitted->count == 0) return NULL;
    char *key = fit_cache_make_key(fitted->context, description, settings);
    if (key == NULL) return NULL; /* then it is fitted again */
    const crd_i_fit *found_fit = crd_i_fit_cache_find_key(fitted, key);
    crd_free(fitted->context, key);
    return found_fit;
}

/* Inserts a fit, unless the key exists. Takes over the key, even on failure. */
static bool fit_cache_put(crd_i_fit_cache *fitted, char *key, const double *numbers, size_t count) {
    crd_context *context = fitted->context;
    crd_i_fit added = {key, crd_i_alloc(context, count, sizeof *numbers), count};
    bool done = key != NULL && added.numbers != NULL &&
                crd_i_reserve(context, &fitted->fits, &fitted->capacity, fitted->count + 1, sizeof *fitted->fits);
    size_t place = done ? fit_cache_find_place(fitted, key) : 0;
    if (!done || (place < fitted->count && strcmp(fitted->fits[place].key, key) == 0)) {
        crd_free(context, key);
        crd_free(context, added.numbers);
        return done;
    }
    for (size_t i = 0; i < count; i++) added.numbers[i] = numbers[i];
    for (size_t i = fitted->count++; i > place; i--) fitted->fits[i] = fitted->fits[i - 1];
    fitted->fits[place] = added;
    return true;
}

bool crd_i_fit_cache_put(crd_i_fit_cache *fitted, const char *description, const crd_settings *settings,
                         const double *numbers, size_t count) {
    return fit_cache_put(fitted, fit_cache_make_key(fitted->context, description, settings), numbers, count);
}

bool crd_i_fit_cache_put_key(crd_i_fit_cache *fitted, const char *key, const double *numbers, size_t count) {
    return fit_cache_put(fitted, (char *)crd_i_text_copy(fitted->context, crd_text_of(key)).bytes, numbers, count);
}

bool crd_i_fit_cache_join(crd_i_fit_cache *fitted, const crd_i_fit_cache *cache) {
    for (size_t i = 0; i < cache->count; i++) {
        const crd_i_fit *fit = &cache->fits[i];
        char *key = (char *)crd_i_text_copy(fitted->context, crd_text_of(fit->key)).bytes;
        if (!fit_cache_put(fitted, key, fit->numbers, fit->count)) return false;
    }
    return true;
}

/* ---- Files ---- */

void crd_i_fit_cache_write(const crd_i_fit_cache *fitted, crd_i_encoder *encoder) {
    crd_i_encode_u32(encoder, (uint32_t)fitted->count);
    for (size_t i = 0; i < fitted->count; i++) {
        const crd_i_fit *fit = &fitted->fits[i];
        crd_i_encode_text(encoder, crd_text_of(fit->key));
        crd_i_encode_u64(encoder, fit->count);
        for (size_t j = 0; j < fit->count; j++) crd_i_encode_u64(encoder, crd_i_bits_of(fit->numbers[j]));
    }
}

/* ---- Keys of version 0.1 ---- */

/* Cuts the next line from *text. */
static crd_text fit_cache_take_line(crd_text *text) {
    const char *end = text->length == 0 ? NULL : memchr(text->bytes, '\n', text->length);
    const size_t length = end == NULL ? text->length : (size_t)(end - text->bytes), taken = length + (end != NULL);
    const crd_text line = {text->bytes, length};
    text->bytes += taken;
    text->length -= taken;
    return line;
}

/* Splits a line "NAME VALUE". */
static crd_text fit_cache_take_name(crd_text *line) {
    const char *end = line->length == 0 ? NULL : memchr(line->bytes, ' ', line->length);
    const crd_text name = {line->bytes, end == NULL ? line->length : (size_t)(end - line->bytes)};
    const size_t taken = name.length + (end != NULL);
    line->bytes += taken;
    line->length -= taken;
    return name;
}

/* Sets the settings that the lines of a key list. Sets *is_former to whether a line was of version 0.1. */
static crd_status fit_cache_set_lines(crd_settings *settings, crd_text lines, bool *is_former, crd_error *error) {
    crd_status status = CRD_OK;
    while (status == CRD_OK && lines.length > 0) {
        crd_text value = fit_cache_take_line(&lines);
        const crd_text name = fit_cache_take_name(&value);
        bool is_line_former;
        char text[64];
        status = crd_i_settings_set_former(settings, name, value, &is_line_former, error);
        *is_former = *is_former || is_line_former;
        if (status != CRD_OK || is_line_former) continue;
        snprintf(text, sizeof text, "%.*s", (int)(name.length < sizeof text ? name.length : sizeof text - 1),
                 name.bytes);
        status = crd_settings_set(settings, text, value, error);
    }
    return status;
}

/* Writes the key of the fitted parameters of a text column with today's names. The lines are in a fixed order. */
static bool fit_cache_rename_terms(crd_text key, crd_i_buffer *out) {
    const crd_text column = fit_cache_take_line(&key);
    bool done = crd_i_buffer_append(out, column.bytes, column.length);
    while (done && key.length > 0) {
        crd_text value = fit_cache_take_line(&key);
        const crd_text name = fit_cache_take_name(&value);
        const char *renamed = crd_i_former_setting_name(name);
        if (crd_text_equal(value, crd_text_of("normalised"))) value = crd_text_of("normalized");
        done = crd_i_buffer_append(out, "\n", 1) &&
               (renamed == NULL ? crd_i_buffer_append(out, name.bytes, name.length)
                                : crd_i_buffer_append(out, renamed, strlen(renamed))) &&
               crd_i_buffer_append(out, " ", 1) && crd_i_buffer_append(out, value.bytes, value.length);
    }
    return done && crd_i_buffer_append(out, "", 1);
}

/* Returns a key of a file with today's names. Keys that are not of version 0.1, or invalid, do not change. NULL: out of
 * memory. */
static char *fit_cache_current_key(crd_context *context, crd_text key) {
    static const char *const former[][2] = {
        {"exponents", "attribute-weights"}, {"pairs", "pairwise"}, {"committee", "stacking"}};
    crd_text lines = key;
    const crd_text first = fit_cache_take_line(&lines);
    if (first.length > 6 && memcmp(first.bytes, "terms ", 6) == 0) {
        crd_i_buffer out = {.context = context};
        if (fit_cache_rename_terms(key, &out)) return (char *)out.bytes;
        crd_i_buffer_clear(&out);
        return NULL;
    }
    char description[64];
    snprintf(description, sizeof description, "%.*s",
             (int)(first.length < sizeof description ? first.length : sizeof description - 1), first.bytes);
    bool is_former = false;
    for (size_t i = 0; i < sizeof former / sizeof *former; i++) {
        if (!crd_text_equal(first, crd_text_of(former[i][0]))) continue;
        snprintf(description, sizeof description, "%s", former[i][1]);
        is_former = true;
    }
    crd_settings *settings;
    crd_status status = crd_settings_create(context, &settings, NULL);
    if (status == CRD_OK) status = fit_cache_set_lines(settings, lines, &is_former, NULL);
    char *current = status == CRD_OK && is_former ? fit_cache_make_key(context, description, settings) : NULL;
    const bool keeps = status == CRD_ERROR_SETTING || (status == CRD_OK && !is_former);
    crd_settings_destroy(settings);
    return keeps ? (char *)crd_i_text_copy(context, key).bytes : current;
}

static crd_status fit_cache_damaged(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the stored fit is invalid");
}

static crd_status fit_cache_read_numbers(crd_i_cursor *cursor, crd_context *context, uint64_t count, double **out,
                                         crd_error *error) {
    double *numbers = crd_i_alloc(context, (size_t)count, sizeof *numbers);
    *out = numbers;
    if (numbers == NULL) return crd_i_fail_memory(error);
    for (uint64_t i = 0; i < count; i++) {
        numbers[i] = crd_i_double_of(crd_i_decode_u64(cursor));
        if (!isfinite(numbers[i])) return fit_cache_damaged(error);
    }
    return CRD_OK;
}

crd_status crd_i_fit_cache_read(crd_i_fit_cache *fitted, crd_i_cursor *cursor, crd_error *error) {
    enum { LEAST_FIT = 4 + 8 };
    crd_context *context = fitted->context;
    uint32_t fits = crd_i_decode_u32(cursor);
    crd_status status = fits > 0 && crd_i_cursor_holds(cursor, fits, LEAST_FIT) ? CRD_OK : fit_cache_damaged(error);
    crd_text previous = {NULL, 0};
    for (uint32_t i = 0; status == CRD_OK && i < fits; i++) {
        crd_text text = crd_i_decode_text(cursor);
        uint64_t count = crd_i_decode_u64(cursor);
        if (cursor->failed || (text.length > 0 && memchr(text.bytes, 0, text.length) != NULL) ||
            !crd_i_cursor_holds(cursor, count, sizeof(uint64_t)))
            return fit_cache_damaged(error);
        char *key = fit_cache_current_key(context, text);
        double *numbers = NULL;
        if (key == NULL) status = crd_i_fail_memory(error);
        else if (i > 0 && crd_i_text_compare(previous, text) >= 0) status = fit_cache_damaged(error);
        previous = text;
        if (status == CRD_OK) status = fit_cache_read_numbers(cursor, context, count, &numbers, error);
        if (status != CRD_OK) crd_free(context, key);
        else if (!fit_cache_put(fitted, key, numbers, (size_t)count)) status = crd_i_fail_memory(error);
        crd_free(context, numbers);
    }
    return status;
}
