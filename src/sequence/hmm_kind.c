/* SPDX-License-Identifier: MIT */
/* hmm_kind.c - sequence models as a model kind: cloned, written, read and merged.
 *
 * The content of a labeled model is a sum of counts, so models are added and subtracted exactly. A model fitted by
 * Baum-Welch cannot be merged: the states of two runs do not correspond, and expected counts depend on all other
 * rows.
 *
 * Contents:
 *   1. Copies
 *   2. Use as a classifier
 *   3. Merging
 *   4. Model files */
#include "sequence/hmm_internal.h"
#include "sequence/stated_hmm.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/section.h"
#include "math/exact/ieee754.h"
#include "model/model_parts.h"
#include "model/model_sections.h"
#include "model/schema_view.h"

#include <math.h>
#include <string.h>

static const char tag[] = {'S', 'E', 'Q', 'U'};

enum { NESTING = 1 };

/* ======== 1. Copies ======== */

static crd_status clone_content(crd_context *context, const crd_i_hmm_content *hmm, crd_i_hmm_content **out,
                                crd_error *error) {
    crd_model *emissions = NULL;
    crd_i_ngram_counts *transitions = NULL;
    *out = NULL;
    crd_status status = crd_i_model_clone(hmm->emissions, &emissions, error);
    if (status == CRD_OK) status = crd_i_ngram_counts_clone(context, hmm->transitions, &transitions, error);
    if (status != CRD_OK) {
        crd_model_destroy(emissions);
        return status;
    }
    status = crd_i_hmm_content_create(context, emissions, transitions, hmm->components, hmm->is_hidden, &hmm->source,
                                      out, error);
    if (status == CRD_OK) {
        (*out)->is_fitted = hmm->is_fitted;
        (*out)->is_stated = hmm->is_stated;
    }
    return status;
}

static crd_status hmm_kind_clone(crd_context *context, const void *content, void **out, crd_error *error) {
    crd_i_hmm_content *copy;
    crd_status status = clone_content(context, content, &copy, error);
    *out = copy;
    return status;
}

static void hmm_kind_destroy(crd_context *context, void *content) {
    (void)context;
    crd_i_hmm_content_destroy(content);
}

/* ======== 2. Use as a classifier ======== */

static crd_status hmm_kind_refuse(const crd_model *model, const char *description, crd_error *error) {
    (void)model;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model is a sequence model, whose rows depend on each other: it cannot %s", description);
}

static crd_status hmm_kind_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                  crd_error *error) {
    (void)classifier, (void)view;
    return hmm_kind_refuse(model, "classify a single row", error);
}

static const crd_model *hmm_kind_rows(const crd_model *model) {
    return crd_i_hmm_content_of(model)->emissions;
}

/* ======== 3. Merging ======== */

crd_status crd_i_sequence_model_check_counted(const crd_model *model, const char *description, crd_error *error) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    if (content == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model is not a hidden Markov model of sequences");
    if (!content->is_fitted) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model's %s were fitted to all of its sequences together, so it cannot %s: train a model of "
                      "all sequences instead",
                      content->is_hidden ? "hidden states" : "expected counts", description);
}

static bool hmm_kind_same_text(crd_text a, crd_text b) {
    return (a.bytes == NULL) == (b.bytes == NULL) && crd_text_equal(a, b);
}

static bool has_time_format(const crd_sequence_options *source) {
    return source->time_format.bytes != NULL;
}

static crd_status check_sources(const crd_sequence_options *a, const crd_sequence_options *b, crd_error *error) {
    if (hmm_kind_same_text(a->sequence, b->sequence) && hmm_kind_same_text(a->time, b->time) &&
        a->blank_lines == b->blank_lines && a->step == b->step) {
        if (!has_time_format(a) || !has_time_format(b) || crd_text_equal(a->time_format, b->time_format)) return CRD_OK;
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                          "the times of the models have different formats: %.*s and %.*s", (int)a->time_format.length,
                          a->time_format.bytes, (int)b->time_format.length, b->time_format.bytes);
    }
    return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                      "the models define their sequences differently: by other columns, empty lines or steps");
}

/* Exchanges two models, except for the ids of parts and shards. */
static void hmm_kind_swap(crd_model *a, crd_model *b) {
    const crd_model kept = *a;
    *a = *b;
    *b = kept;
    b->parts = a->parts;
    b->shards = a->shards;
    a->parts = kept.parts;
    a->shards = kept.shards;
}

crd_status crd_i_sequence_model_combine(crd_model *model, const crd_i_hmm_content *other, int sign, crd_error *error) {
    crd_i_hmm_content *content;
    crd_model *changed = NULL;
    crd_status status = clone_content(model->context, crd_i_hmm_content_of(model), &content, error);
    if (status != CRD_OK) return status;
    if (sign > 0 && !has_time_format(&content->source))
        content->source.time_format = other->source.time_format; /* a static text */
    status = crd_i_model_combine(content->emissions, other->emissions, sign, error);
    /* Training declares the column types that the rows have shown. */
    if (status == CRD_OK && sign > 0) crd_i_model_declare_types(content->emissions);
    if (status == CRD_OK) status = crd_i_ngram_counts_combine(content->transitions, other->transitions, sign, error);
    if (status == CRD_OK) status = crd_i_sequence_model_create(content, model->settings, &changed, error);
    else crd_i_hmm_content_destroy(content);
    if (status == CRD_OK) hmm_kind_swap(model, changed);
    crd_model_destroy(changed);
    return status;
}

static crd_status hmm_kind_combine(crd_model *model, const crd_model *other, int sign, crd_error *error) {
    crd_status status =
        check_sources(&crd_i_hmm_content_of(model)->source, &crd_i_hmm_content_of(other)->source, error);
    return status == CRD_OK ? crd_i_sequence_model_combine(model, crd_i_hmm_content_of(other), sign, error) : status;
}

static crd_status hmm_kind_change_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign,
                                      crd_error *error) {
    crd_status status =
        crd_i_sequence_model_check_counted(model, sign < 0 ? "forget sequences" : "learn sequences", error);
    return status == CRD_OK ? crd_i_sequence_learn_reader(model, reader, facts, sign, error) : status;
}

/* ======== 4. Model files ======== */

enum {
    IS_HIDDEN = 1,
    IS_FITTED = 2,
    HAS_BLANK_LINES = 4,
    HAS_SEQUENCE = 8,
    HAS_TIME = 16,
    IS_STATED = 32,
    HAS_TIME_FORMAT = 64,
    ALL_FLAGS = 127
};
enum { VERSION_TIME_FORMAT = 2 };
enum { LEAST_TEXT = 4 };

static uint32_t flags_of(const crd_i_hmm_content *content) {
    return (content->is_hidden ? IS_HIDDEN : 0u) | (content->is_fitted ? IS_FITTED : 0u) |
           (content->source.blank_lines ? HAS_BLANK_LINES : 0u) |
           (content->source.sequence.bytes != NULL ? HAS_SEQUENCE : 0u) |
           (content->source.time.bytes != NULL ? HAS_TIME : 0u) | (content->is_stated ? IS_STATED : 0u) |
           (has_time_format(&content->source) ? HAS_TIME_FORMAT : 0u);
}

/* Lists the states that occur in n-grams or are hidden, in order. The ranks of other states are not used in any
 * n-gram. */
static crd_status list_counted(const crd_i_ngram_counts *counts, bool is_hidden, int32_t **codes, uint32_t **ranks,
                               size_t *live, crd_error *error) {
    size_t count = crd_i_dictionary_size(counts->states);
    bool *is_live = crd_i_alloc(counts->context, count, sizeof *is_live);
    double *visits = crd_i_alloc(counts->context, count, sizeof *visits);
    *codes = crd_i_alloc(counts->context, count, sizeof **codes);
    *ranks = crd_i_alloc_zeroed(counts->context, count, sizeof **ranks);
    bool done = is_live != NULL && visits != NULL && *codes != NULL && *ranks != NULL;
    if (done) {
        crd_i_ngram_counts_visits(counts, visits);
        for (size_t i = 0; i < count; i++) is_live[i] = is_hidden || visits[i] > 0;
        *live = crd_i_dictionary_order(counts->states, is_live, crd_i_schema_view_number, *codes);
        done = *live != SIZE_MAX;
    }
    for (size_t i = 0; done && i < *live; i++) (*ranks)[(*codes)[i]] = (uint32_t)i;
    crd_free(counts->context, is_live);
    crd_free(counts->context, visits);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Writes the states and n-gram counts, in a canonical order. */
static void hmm_kind_write_counts(const crd_i_hmm_content *content, crd_i_encoder *encoder) {
    const crd_i_ngram_counts *counts = content->transitions;
    int32_t *codes;
    uint32_t *ranks;
    crd_i_ngram *ngrams = NULL;
    size_t live = 0, count = 0;
    crd_status status = list_counted(counts, content->is_hidden, &codes, &ranks, &live, NULL);
    if (status == CRD_OK) status = crd_i_ngram_counts_list(counts, ranks, &ngrams, &count, NULL);
    if (status != CRD_OK) encoder->failed = true;
    if (status == CRD_OK) {
        crd_i_encode_u32(encoder, (uint32_t)live);
        for (size_t i = 0; i < live; i++)
            crd_i_encode_text(encoder, crd_i_dictionary_text(counts->states, (size_t)codes[i]));
        crd_i_encode_u64(encoder, count);
    }
    for (size_t i = 0; status == CRD_OK && i < count && !encoder->failed; i++) {
        for (size_t s = 0; s <= counts->order; s++) crd_i_encode_u32(encoder, ngrams[i].symbols[s]);
        crd_i_encode_u64(encoder, crd_i_bits_of(ngrams[i].count));
    }
    crd_free(counts->context, codes);
    crd_free(counts->context, ranks);
    crd_free(counts->context, ngrams);
}

static void hmm_kind_write_sequence(const crd_model *model, crd_i_encoder *encoder) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    size_t begun = crd_i_section_begin(
        encoder, tag, has_time_format(&content->source) ? VERSION_TIME_FORMAT : CRD_I_FILE_VERSION, true);
    crd_i_encode_u32(encoder, flags_of(content));
    if (content->source.sequence.bytes != NULL) crd_i_encode_text(encoder, content->source.sequence);
    if (content->source.time.bytes != NULL) crd_i_encode_text(encoder, content->source.time);
    if (has_time_format(&content->source)) crd_i_encode_text(encoder, content->source.time_format);
    crd_i_encode_u64(encoder, crd_i_bits_of(content->source.step));
    crd_i_model_write_settings(model->settings, encoder);
    crd_i_encode_u32(encoder, (uint32_t)content->components);
    crd_i_encode_u32(encoder, (uint32_t)content->transitions->order);
    hmm_kind_write_counts(content, encoder);
    crd_i_model_write_nested(content->emissions, encoder);
    crd_i_section_end(encoder, begun);
}

static crd_status hmm_kind_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static bool hmm_kind_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

/* Returns whether an n-gram can occur: marks are all the same and before all states, and the end follows a state. */
static bool hmm_kind_is_possible(const uint32_t *symbols, size_t order, size_t states) {
    uint32_t mark = symbols[0] < states ? CRD_I_SYMBOL_BEGIN : symbols[0], last = symbols[order];
    bool fits = mark == CRD_I_SYMBOL_BEGIN || mark == CRD_I_SYMBOL_UNKNOWN;
    for (size_t i = 0; fits && i < order; i++) {
        bool is_state = symbols[i] < states;
        fits = is_state || (symbols[i] == mark && (i == 0 || symbols[i - 1] == mark));
    }
    return fits && (last < states || (last == CRD_I_SYMBOL_END && symbols[order - 1] < states));
}

static bool hmm_kind_is_count(double count, bool is_whole) {
    return count > 0 && count <= 0x1p63 && (!is_whole || count == floor(count));
}

/* Reads the n-gram counts. They must be possible, strictly ascending, and positive; integers unless fitted. */
static crd_status read_ngrams(crd_i_ngram_counts *counts, size_t states, uint64_t count, bool is_whole,
                              crd_i_cursor *cursor, crd_error *error) {
    uint32_t symbols[CRD_I_MOST_GRAM] = {0}, before[CRD_I_MOST_GRAM];
    for (uint64_t i = 0; i < count; i++) {
        memcpy(before, symbols, sizeof before);
        for (size_t s = 0; s <= counts->order; s++) symbols[s] = crd_i_decode_u32(cursor);
        double number = crd_i_double_of(crd_i_decode_u64(cursor));
        size_t same = 0;
        while (same <= counts->order && symbols[same] == before[same]) same++;
        bool ascends = i == 0 || (same <= counts->order && symbols[same] > before[same]);
        if (cursor->failed || !ascends || !hmm_kind_is_possible(symbols, counts->order, states) ||
            !hmm_kind_is_count(number, is_whole))
            return hmm_kind_damaged(error, "a transition count is invalid");
        if (!crd_i_ngram_counts_add(counts, symbols, number)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

static crd_status hmm_kind_read_states(crd_i_ngram_counts *counts, crd_i_cursor *cursor, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor), state;
    if (!crd_i_cursor_holds(cursor, count, LEAST_TEXT) || count > CRD_I_MAX_STATES)
        return hmm_kind_damaged(error, "the list of states is too short");
    for (uint32_t i = 0; i < count; i++) {
        crd_text name = crd_i_decode_text(cursor);
        if (cursor->failed || hmm_kind_has_nul(name))
            return hmm_kind_damaged(error, "a state is too short, or has a NUL byte");
        crd_status status = crd_i_ngram_counts_state(counts, name, &state, error);
        if (status != CRD_OK) return status;
        if (state != i) return hmm_kind_damaged(error, "a state occurs twice");
    }
    return CRD_OK;
}

/* Checks that the states are in the order in which they are written. */
static crd_status hmm_kind_check_states(const crd_i_ngram_counts *counts, bool is_hidden, crd_error *error) {
    int32_t *codes;
    uint32_t *ranks;
    size_t live = 0, count = crd_i_dictionary_size(counts->states);
    crd_status status = list_counted(counts, is_hidden, &codes, &ranks, &live, error);
    bool fits = live == count;
    for (size_t i = 0; status == CRD_OK && fits && i < count; i++) fits = codes[i] == (int32_t)i;
    crd_free(counts->context, codes);
    crd_free(counts->context, ranks);
    return status == CRD_OK && !fits ? hmm_kind_damaged(error, "its states are not in order, or never occur") : status;
}

/* Reads the order, the states and the n-gram counts. */
static crd_status hmm_kind_read_counts(crd_context *context, crd_i_cursor *cursor, uint32_t flags,
                                       crd_i_ngram_counts **out, crd_error *error) {
    uint32_t order = crd_i_decode_u32(cursor);
    *out = NULL;
    if (cursor->failed || order < 1 || order > CRD_I_MOST_ORDER)
        return hmm_kind_damaged(error, "its chain has no order");
    crd_status status = crd_i_ngram_counts_create(context, order, out, error);
    if (status == CRD_OK) status = hmm_kind_read_states(*out, cursor, error);
    uint64_t count = status == CRD_OK ? crd_i_decode_u64(cursor) : 0;
    if (status == CRD_OK && !crd_i_cursor_holds(cursor, count, 4 * (order + 1) + 8))
        status = hmm_kind_damaged(error, "the list of counts is too short");
    if (status == CRD_OK)
        status =
            read_ngrams(*out, crd_i_dictionary_size((*out)->states), count, (flags & IS_FITTED) == 0, cursor, error);
    return status == CRD_OK ? hmm_kind_check_states(*out, (flags & IS_HIDDEN) != 0, error) : status;
}

/* Reads the nested emission model, and checks that it is an ordinary model with default settings. */
static crd_status read_emissions(crd_context *context, crd_i_cursor *cursor, crd_model **out, crd_error *error) {
    uint64_t length = crd_i_decode_u64(cursor);
    *out = NULL;
    if (!crd_i_cursor_holds(cursor, length, 1)) return hmm_kind_damaged(error, "its densities are too short");
    crd_status status = crd_i_model_decode_part(context, cursor->at, (size_t)length, NESTING, out, error);
    cursor->at += length;
    if (status == CRD_ERROR_NOT_A_MODEL) return hmm_kind_damaged(error, "its densities are invalid");
    if (status != CRD_OK) return status;
    const crd_i_schema *schema = (*out)->schema;
    bool fits = (*out)->kind == &crd_i_tallied_kind && !schema->lacks_target && schema->weight.name.bytes == NULL;
    for (size_t i = 0; fits && i < crd_setting_count(); i++)
        fits = crd_i_settings_is_default((*out)->settings, crd_setting_at(i)->name);
    return fits ? CRD_OK : hmm_kind_damaged(error, "its densities do not belong to states");
}

/* Returns whether the name is the name of a component of a state. */
static bool is_component(const crd_i_ngram_counts *counts, size_t components, crd_text name) {
    size_t slash = name.length, number = 0;
    if (components == 1) return crd_i_dictionary_find(counts->states, name) >= 0;
    while (slash > 0 && name.bytes[slash - 1] != '/') slash--;
    if (slash == 0 || name.length - slash > 4) return false;
    for (size_t i = slash; i < name.length; i++) {
        if (name.bytes[i] < '0' || name.bytes[i] > '9' || (i == slash && name.bytes[i] == '0')) return false;
        number = number * 10 + (size_t)(name.bytes[i] - '0');
    }
    const crd_text state = {name.bytes, slash - 1};
    return number >= 1 && number <= components && crd_i_dictionary_find(counts->states, state) >= 0;
}

/* Checks that classes with rows are states. In labeled models, each state must have as many rows as visits. */
static bool classes_fit(const crd_i_hmm_content *content, const double *visits) {
    const crd_model *emissions = content->emissions;
    const crd_i_dictionary *classes = crd_i_model_target(emissions)->values;
    const crd_i_ngram_counts *counts = content->transitions;
    bool fits = true;
    for (size_t i = 0; fits && i < crd_i_dictionary_size(classes); i++) {
        crd_text name = crd_i_dictionary_text(classes, i);
        double met = crd_i_model_class_rows(emissions, i);
        if (met > 0) fits = is_component(counts, content->components, name);
    }
    for (size_t i = 0; fits && !content->is_fitted && i < crd_i_dictionary_size(counts->states); i++) {
        int32_t code = crd_i_dictionary_find(classes, crd_i_dictionary_text(counts->states, i));
        fits = code >= 0 && crd_i_model_class_rows(emissions, (size_t)code) == visits[i];
    }
    return fits;
}

static crd_status check_content(const crd_i_hmm_content *content, crd_error *error) {
    const crd_i_schema *schema = content->emissions->schema;
    double *visits = crd_i_alloc(content->context, crd_i_dictionary_size(content->transitions->states), sizeof *visits);
    if (visits == NULL) return crd_i_fail_memory(error);
    crd_i_ngram_counts_visits(content->transitions, visits);
    bool fits = (!content->is_hidden || content->is_fitted) && (!content->is_stated || content->is_fitted) &&
                (content->components == 1 || content->is_fitted) &&
                (!content->is_hidden || schema->target + 1 == schema->count) && classes_fit(content, visits);
    crd_free(content->context, visits);
    return fits ? CRD_OK : hmm_kind_damaged(error, "its states do not match its densities");
}

typedef struct kind_reader {
    uint32_t flags, components;
    crd_sequence_options source;
    crd_settings *settings;
    crd_i_ngram_counts *counts;
    crd_model *emissions;
} kind_reader;

/* Reads the time format, which only files of version 2 contain. */
static crd_status hmm_kind_read_time_format(crd_i_cursor *cursor, uint32_t version, kind_reader *reader,
                                            crd_error *error) {
    crd_i_column_format format;
    if (((reader->flags & HAS_TIME_FORMAT) != 0) != (version == VERSION_TIME_FORMAT))
        return hmm_kind_damaged(error, "its sequence options are invalid");
    if (version != VERSION_TIME_FORMAT) return CRD_OK;
    const crd_text name = crd_i_decode_text(cursor);
    if (cursor->failed || (reader->flags & HAS_TIME) == 0)
        return hmm_kind_damaged(error, "the format of its times is invalid");
    if (!crd_i_column_format_find_time(name, &format) || crd_i_column_format_time_name(format).bytes == NULL)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW, "the model has a time format that this version does not support");
    reader->source.time_format = crd_i_column_format_time_name(format);
    return CRD_OK;
}

/* Reads all parts of a sequence model, and checks each of them. */
static crd_status hmm_kind_read_parts(crd_context *context, crd_i_cursor *cursor, uint32_t version,
                                      kind_reader *parts_reader, crd_error *error) {
    parts_reader->flags = crd_i_decode_u32(cursor);
    if ((parts_reader->flags & HAS_SEQUENCE) != 0) parts_reader->source.sequence = crd_i_decode_text(cursor);
    if ((parts_reader->flags & HAS_TIME) != 0) parts_reader->source.time = crd_i_decode_text(cursor);
    crd_status status = hmm_kind_read_time_format(cursor, version, parts_reader, error);
    if (status != CRD_OK) return status;
    parts_reader->source.blank_lines = (parts_reader->flags & HAS_BLANK_LINES) != 0;
    parts_reader->source.step = crd_i_double_of(crd_i_decode_u64(cursor));
    bool fits = !cursor->failed && parts_reader->flags <= ALL_FLAGS &&
                !hmm_kind_has_nul(parts_reader->source.sequence) && !hmm_kind_has_nul(parts_reader->source.time) &&
                parts_reader->source.step >= 0 && isfinite(parts_reader->source.step) &&
                !signbit(parts_reader->source.step);
    if (!fits) return hmm_kind_damaged(error, "its sequence options are invalid");
    status = crd_settings_create(context, &parts_reader->settings, error);
    if (status == CRD_OK) status = crd_i_model_read_settings(cursor, parts_reader->settings, error);
    if (status == CRD_OK) parts_reader->components = crd_i_decode_u32(cursor);
    if (status == CRD_OK && (parts_reader->components < 1 || parts_reader->components > CRD_I_MOST_COMPONENTS))
        status = hmm_kind_damaged(error, "its states have no components");
    if (status == CRD_OK)
        status = hmm_kind_read_counts(context, cursor, parts_reader->flags, &parts_reader->counts, error);
    if (status == CRD_OK && (parts_reader->settings->method != CRD_I_METHOD_SEQUENCE ||
                             parts_reader->settings->order > parts_reader->counts->order))
        status = hmm_kind_damaged(error, "its settings are not settings of a sequence model");
    return status == CRD_OK ? read_emissions(context, cursor, &parts_reader->emissions, error) : status;
}

static size_t declared_classes(const crd_model *emissions) {
    const crd_i_dictionary *declared = emissions->schema->columns[emissions->schema->target].values;
    return declared == NULL ? 0 : crd_i_dictionary_size(declared);
}

/* Reads a sequence model, and checks that its parts fit together. */
static crd_status read_sequence(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out,
                                crd_error *error) {
    const crd_sequence_options no_source = CRD_SEQUENCE_OPTIONS_INIT;
    kind_reader parts = {.source = no_source};
    crd_i_hmm_content *content = NULL;
    *out = NULL;
    crd_status status = hmm_kind_read_parts(context, cursor, version, &parts, error);
    size_t declared = status == CRD_OK ? declared_classes(parts.emissions) : 0;
    if (status == CRD_OK) {
        status = crd_i_hmm_content_create(context, parts.emissions, parts.counts, parts.components,
                                          (parts.flags & IS_HIDDEN) != 0, &parts.source, &content, error);
        parts.emissions = NULL;
        parts.counts = NULL;
    }
    if (status == CRD_OK) {
        content->is_fitted = (parts.flags & IS_FITTED) != 0;
        content->is_stated = (parts.flags & IS_STATED) != 0;
        status = declared_classes(content->emissions) == declared
                     ? check_content(content, error)
                     : hmm_kind_damaged(error, "a hidden state is not declared");
    }
    if (status == CRD_OK) status = crd_i_sequence_model_create(content, parts.settings, out, error);
    else crd_i_hmm_content_destroy(content);
    crd_model_destroy(parts.emissions);
    crd_i_ngram_counts_destroy(parts.counts);
    crd_settings_destroy(parts.settings);
    return status;
}

const crd_i_model_kind crd_i_sequence_kind = {.name = "sequence",
                                              .tag = tag,
                                              .newest_version = VERSION_TIME_FORMAT,
                                              .nesting = NESTING,
                                              .write = hmm_kind_write_sequence,
                                              .read = read_sequence,
                                              .is_text = crd_i_stated_hmm_recognize,
                                              .read_text = crd_i_stated_hmm_load,
                                              .clone = hmm_kind_clone,
                                              .destroy = hmm_kind_destroy,
                                              .derive = hmm_kind_derive,
                                              .refuse = hmm_kind_refuse,
                                              .rows = hmm_kind_rows,
                                              .check_combines = crd_i_sequence_model_check_counted,
                                              .combine = hmm_kind_combine,
                                              .change_all = hmm_kind_change_all};
