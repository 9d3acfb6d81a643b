/* SPDX-License-Identifier: MIT */
/* stated_hmm.c - creates a sequence model from specified parameters. See stated_hmm.h. */
#include "sequence/stated_hmm.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "sequence/hmm_internal.h"
#include "sequence/pseudo_rows.h"
#include "settings/settings_internal.h"

#include <credence/hmm.h>

#include <stdio.h>
#include <string.h>

/* Count of the start and of each context. As a power of two it represents the specified probabilities exactly, and it
 * is so large that pseudo-counts added by later settings have little effect. */
static const double COUNT = 0x1p20;

/* ---- Settings ---- */

static crd_status set_buffer(crd_settings *settings, const char *name, crd_i_buffer *text, crd_error *error) {
    const crd_text value = {(const char *)text->bytes, text->length};
    return text->length == 0 ? CRD_OK : crd_settings_set(settings, name, value, error);
}

static crd_status stated_hmm_set_number(crd_settings *settings, const char *name, size_t number, crd_error *error) {
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    return crd_settings_set(settings, name, crd_text_of(text), error);
}

/* Lists the columns with a family other than the default, and the blocks of joint columns, as settings. */
static bool stated_hmm_list_columns(const crd_i_stated_hmm *stated, crd_i_buffer *families, crd_i_buffer *blocks) {
    bool done = true;
    for (size_t i = 0; done && i < stated->observation_count; i++) {
        const crd_i_stated_observation *observation = &stated->observations[i];
        if (observation->family == NULL) {
            if (blocks->length > 0) done = crd_i_buffer_append(blocks, ";", 1);
            for (size_t c = 0; done && c < observation->name_count; c++)
                done = crd_i_item_append_name(blocks, c == 0, observation->names[c]);
        } else if (observation->family != &crd_i_family_gaussian && observation->family != &crd_i_family_categorical) {
            done = crd_i_item_append(families, families->length == 0, observation->names[0], observation->family->name);
        }
    }
    return done;
}

/* Creates settings without smoothing, under which densities are as specified. */
static crd_status stated_hmm_make_settings(const crd_i_stated_hmm *stated, crd_settings **out, crd_error *error) {
    static const char *const plain[][2] = {{"smoothing", "none"},
                                           {"transitions", "none"},
                                           {"covariance", "full:0"},
                                           {"unseen-words", "none"},
                                           {"method", "sequence"}};
    crd_i_buffer families = {.context = stated->context}, blocks = {.context = stated->context};
    crd_status status = crd_settings_create(stated->context, out, error);
    for (size_t i = 0; status == CRD_OK && i < sizeof plain / sizeof *plain; i++)
        status = crd_settings_set(*out, plain[i][0], crd_text_of(plain[i][1]), error);
    if (status == CRD_OK) status = stated_hmm_set_number(*out, "order", stated->order, error);
    if (status == CRD_OK) status = stated_hmm_set_number(*out, "state-mixture", stated->components, error);
    if (status == CRD_OK && stated->has_ends)
        status = crd_settings_set(*out, "end-probabilities", crd_text_of("yes"), error);
    if (status == CRD_OK && !stated_hmm_list_columns(stated, &families, &blocks)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = set_buffer(*out, "family", &families, error);
    if (status == CRD_OK) status = set_buffer(*out, "joint", &blocks, error);
    crd_i_buffer_clear(&families);
    crd_i_buffer_clear(&blocks);
    if (status != CRD_OK) {
        crd_settings_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- Emissions ---- */

/* Returns the position of a column in a file without a header, from its name: c1, c2, ... */
static size_t position_of(crd_text name, size_t otherwise) {
    size_t position = 0;
    if (name.length < 2 || name.length > 8 || name.bytes[0] != 'c' || name.bytes[1] == '0') return otherwise;
    for (size_t i = 1; i < name.length; i++) {
        if (name.bytes[i] < '0' || name.bytes[i] > '9') return otherwise;
        position = position * 10 + (size_t)(name.bytes[i] - '0');
    }
    return position - 1;
}

static bool stated_hmm_add_column(const crd_i_stated_hmm *stated, crd_i_schema *schema, crd_text name,
                                  crd_column_type type) {
    const size_t position = stated->has_header ? schema->count : position_of(name, schema->count);
    if (position + 1 > schema->width) schema->width = position + 1;
    return crd_i_schema_add(schema, name, type, position);
}

/* Creates the schema: the columns of all observations, then the target. */
static crd_status stated_hmm_make_schema(const crd_i_stated_hmm *stated, crd_i_schema **out, crd_error *error) {
    crd_i_schema *schema = *out = crd_i_schema_create(stated->context);
    bool done = schema != NULL;
    for (size_t i = 0; done && i < stated->observation_count; i++) {
        const crd_i_stated_observation *observation = &stated->observations[i];
        const crd_column_type type = observation->value_count > 0 ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC;
        for (size_t c = 0; done && c < observation->name_count; c++)
            done = stated_hmm_add_column(stated, schema, observation->names[c], type);
        for (size_t v = 0; done && v < observation->value_count; v++)
            done = crd_i_schema_declare(schema, schema->count - 1, observation->values[v]);
    }
    done = done && stated_hmm_add_column(stated, schema, stated->target, CRD_TYPE_CATEGORICAL);
    /* In tagged text, `?` and `NA` are words. */
    const crd_text empty = {"", 0};
    if (stated->blank_lines) done = done && crd_i_schema_set_missing(schema, &empty, 1, false);
    if (done) {
        schema->target = schema->count - 1;
        schema->has_header = stated->has_header;
        return CRD_OK;
    }
    crd_i_schema_destroy(schema);
    *out = NULL;
    return crd_i_fail_memory(error);
}

/* Storage for the statistics of the emission classes. */
typedef struct emission_parts {
    crd_context *context;
    size_t classes;
    crd_text *names;  /* names of the classes, in name_bytes */
    char *name_bytes; /* storage of the names */
    double *rows;
    crd_i_column_statistics *columns; /* for each column of the schema */
    double **numbers;                 /* two arrays for each observation; owned */
    crd_i_block_statistics *blocks;
    size_t *block_columns, block_count;
} emission_parts;

static void stated_hmm_clear_parts(emission_parts *parts, size_t observations) {
    for (size_t i = 0; parts->numbers != NULL && i < 2 * observations; i++) crd_free(parts->context, parts->numbers[i]);
    crd_free(parts->context, parts->numbers);
    crd_free(parts->context, parts->names);
    crd_free(parts->context, parts->name_bytes);
    crd_free(parts->context, parts->rows);
    crd_free(parts->context, parts->columns);
    crd_free(parts->context, parts->blocks);
    crd_free(parts->context, parts->block_columns);
}

static bool stated_hmm_open_parts(const crd_i_stated_hmm *stated, size_t columns, emission_parts *parts) {
    crd_context *context = parts->context = stated->context;
    const size_t observations = stated->observation_count;
    parts->classes = stated->states * stated->components;
    parts->names = crd_i_alloc(context, parts->classes, sizeof *parts->names);
    parts->rows = crd_i_alloc(context, parts->classes, sizeof *parts->rows);
    parts->columns = crd_i_alloc_zeroed(context, columns, sizeof *parts->columns);
    parts->numbers = crd_i_alloc_zeroed(context, 2 * observations, sizeof *parts->numbers);
    parts->blocks = crd_i_alloc_zeroed(context, observations, sizeof *parts->blocks);
    parts->block_columns = crd_i_alloc(context, columns, sizeof *parts->block_columns);
    return parts->names != NULL && parts->rows != NULL && parts->columns != NULL && parts->numbers != NULL &&
           parts->blocks != NULL && parts->block_columns != NULL;
}

static bool stated_hmm_name_classes(const crd_i_stated_hmm *stated, emission_parts *parts) {
    const size_t components = stated->components;
    size_t capacity = 0;
    for (size_t k = 0; k < stated->states; k++)
        capacity += (stated->names[k].length + CRD_I_COMPONENT_ROOM) * components;
    char *next = parts->name_bytes = crd_i_alloc(stated->context, capacity, 1);
    if (next == NULL) return false;
    for (size_t c = 0; c < parts->classes; c++) {
        const crd_text state = stated->names[c / components];
        parts->names[c] = crd_i_component_name(state, c % components, components, next);
        next += state.length + CRD_I_COMPONENT_ROOM;
        parts->rows[c] = COUNT * stated->weights[c];
    }
    return true;
}

/* Computes the number of values of each class for an exponential density, proportional to the rate. So the mean of all
 * values is not far above the smallest class mean, which must not vanish in comparison. */
static void weigh_by_rate(const double *rates, const double *rows, size_t classes, double *cells) {
    double greatest = 0;
    for (size_t c = 0; c < classes; c++) greatest = rates[c] > greatest ? rates[c] : greatest;
    for (size_t c = 0; c < classes; c++) cells[c] = rows[c] * (rates[c] / greatest);
}

/* Converts the parameters of an observation into statistics: deviations to variances, rates to means, probabilities to
 * counts. */
static bool put_observation(const crd_i_stated_observation *observation, size_t place, size_t column,
                            emission_parts *parts) {
    const size_t classes = parts->classes, width = observation->value_count > 0 ? observation->value_count : 1;
    crd_i_column_statistics *statistics = &parts->columns[column];
    double *first = parts->numbers[2 * place] = crd_i_alloc(parts->context, classes * width, sizeof *first);
    double *second = parts->numbers[2 * place + 1] = crd_i_alloc(parts->context, classes, sizeof *second);
    if (first == NULL || second == NULL) return false;
    statistics->cells = parts->rows;
    statistics->firsts = observation->firsts;
    statistics->seconds = observation->seconds;
    if (observation->family == &crd_i_family_categorical) {
        for (size_t i = 0; i < classes * width; i++) first[i] = parts->rows[i / width] * observation->firsts[i];
        statistics->counts = first;
        statistics->values = observation->values;
        statistics->value_count = observation->value_count;
    } else if (observation->family == &crd_i_family_gaussian || observation->family == &crd_i_family_lognormal) {
        for (size_t c = 0; c < classes; c++) second[c] = observation->seconds[c] * observation->seconds[c];
        statistics->seconds = second;
    } else if (observation->family == &crd_i_family_exponential) {
        for (size_t c = 0; c < classes; c++) first[c] = 1 / observation->firsts[c];
        weigh_by_rate(observation->firsts, parts->rows, classes, second);
        statistics->firsts = first;
        statistics->cells = second;
    }
    return true;
}

static bool put_observations(const crd_i_stated_hmm *stated, emission_parts *parts) {
    size_t column = 0;
    for (size_t i = 0; i < stated->observation_count; i++) {
        const crd_i_stated_observation *observation = &stated->observations[i];
        if (observation->family == NULL) {
            const crd_i_block_statistics block = {parts->block_columns + column, observation->name_count, parts->rows,
                                                  observation->firsts, observation->seconds};
            for (size_t c = 0; c < observation->name_count; c++) parts->block_columns[column + c] = column + c;
            parts->blocks[parts->block_count++] = block;
        } else if (!put_observation(observation, i, column, parts)) {
            return false;
        }
        column += observation->name_count;
    }
    return true;
}

/* Creates the emission model from the specified observations. */
static crd_status make_emissions(const crd_i_stated_hmm *stated, const crd_settings *settings, crd_model **out,
                                 crd_error *error) {
    emission_parts parts = {.context = stated->context};
    crd_i_schema *schema = NULL;
    crd_settings *own_settings = NULL;
    crd_status status = stated_hmm_make_schema(stated, &schema, error);
    if (status == CRD_OK) status = crd_i_emission_settings(stated->context, settings, &own_settings, error);
    if (status == CRD_OK && !(stated_hmm_open_parts(stated, schema->count, &parts) &&
                              stated_hmm_name_classes(stated, &parts) && put_observations(stated, &parts)))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        const crd_i_class_statistics all = {parts.classes, parts.names,  parts.rows,
                                            parts.columns, parts.blocks, parts.block_count};
        status = crd_i_model_of_statistics(stated->context, schema, own_settings, &all, out, error);
        schema = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(own_settings);
    stated_hmm_clear_parts(&parts, stated->observation_count);
    return status;
}

/* ---- Transitions ---- */

/* Adds the distribution after a context (NULL: the start) to the n-gram counts. */
static crd_status stated_hmm_add_row(const crd_i_stated_hmm *stated, crd_i_ngram_counts *counts,
                                     const uint32_t *numbers, const crd_i_stated_context *after, const double *next,
                                     crd_error *error) {
    uint32_t symbols[CRD_I_MOST_GRAM];
    const size_t order = stated->order, begins = order - (after == NULL ? 0 : after->length);
    for (size_t i = 0; i < order; i++)
        symbols[i] = i < begins ? (uint32_t)CRD_I_SYMBOL_BEGIN : numbers[after->states[i - begins]];
    for (size_t k = 0; k <= stated->states; k++) {
        if (k == stated->states && (after == NULL || !stated->has_ends)) break;
        symbols[order] = k == stated->states ? (uint32_t)CRD_I_SYMBOL_END : numbers[k];
        if (next[k] > 0 && !crd_i_ngram_counts_add(counts, symbols, COUNT * next[k])) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

static crd_status stated_hmm_make_counts(const crd_i_stated_hmm *stated, crd_i_ngram_counts **out, crd_error *error) {
    uint32_t *numbers = crd_i_alloc(stated->context, stated->states, sizeof *numbers);
    if (numbers == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_ngram_counts_create(stated->context, stated->order, out, error);
    for (size_t k = 0; status == CRD_OK && k < stated->states; k++)
        status = crd_i_ngram_counts_state(*out, stated->names[k], &numbers[k], error);
    if (status == CRD_OK) status = stated_hmm_add_row(stated, *out, numbers, NULL, stated->start, error);
    for (size_t i = 0; status == CRD_OK && i < stated->context_count; i++)
        status = stated_hmm_add_row(stated, *out, numbers, &stated->contexts[i],
                                    stated->next + i * (stated->states + 1), error);
    crd_free(stated->context, numbers);
    return status;
}

/* ---- The model ---- */

/* Creates the sequence model from the specified emissions and transitions. */
static crd_status stated_hmm_make_model(const crd_i_stated_hmm *stated, crd_model **out, crd_error *error) {
    crd_settings *settings = NULL;
    crd_model *emissions = NULL;
    crd_i_ngram_counts *counts = NULL;
    crd_i_hmm_content *content = NULL;
    crd_sequence_options source = CRD_SEQUENCE_OPTIONS_INIT;
    source.sequence = stated->sequence;
    source.time = stated->time;
    source.time_format = stated->time_format;
    source.blank_lines = stated->blank_lines;
    source.step = stated->step;
    *out = NULL;
    crd_status status = stated_hmm_make_settings(stated, &settings, error);
    if (status == CRD_OK) status = make_emissions(stated, settings, &emissions, error);
    if (status == CRD_OK) status = stated_hmm_make_counts(stated, &counts, error);
    if (status == CRD_OK) {
        status = crd_i_hmm_content_create(stated->context, emissions, counts, stated->components, stated->is_hidden,
                                          &source, &content, error);
        emissions = NULL;
        counts = NULL;
    }
    if (status == CRD_OK) {
        content->is_fitted = content->is_stated = true; /* its counts do not represent rows */
        status = crd_i_sequence_model_create(content, settings, out, error);
    }
    crd_i_ngram_counts_destroy(counts);
    crd_model_destroy(emissions);
    crd_settings_destroy(settings);
    return status;
}

crd_status crd_i_stated_hmm_load(crd_context *context, char *bytes, size_t length, crd_model **out, crd_error *error) {
    crd_i_stated_hmm stated;
    *out = NULL;
    crd_status status = crd_i_stated_hmm_read(context, bytes, length, &stated, error);
    if (status == CRD_OK) status = stated_hmm_make_model(&stated, out, error);
    crd_i_stated_hmm_clear(&stated);
    return status;
}

crd_status crd_hmm_read(crd_context *context, const char *text, size_t length, crd_model **out, crd_error *error) {
    *out = NULL;
    char *copy = crd_i_alloc(context, length, 1);
    if (copy == NULL) return crd_i_fail_memory(error);
    if (length > 0) memcpy(copy, text, length);
    crd_status status = crd_i_stated_hmm_load(context, copy, length, out, error);
    crd_free(context, copy);
    return status;
}
