/* SPDX-License-Identifier: MIT */
/* hmm_content.c - the content of a sequence model. See hmm_internal.h. */
#include "sequence/hmm_internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "model/model_parts.h"
#include "model/schema_view.h"

#include <stdio.h>
#include <string.h>

const crd_i_hmm_content *crd_i_hmm_content_of(const crd_model *model) {
    return model->kind == &crd_i_sequence_kind ? model->content : NULL;
}

/* ---- Components ---- */

crd_text crd_i_component_name(crd_text state, size_t component, size_t components, char *buffer) {
    if (state.length > 0) memcpy(buffer, state.bytes, state.length);
    int more = components == 1 ? 0 : snprintf(buffer + state.length, CRD_I_COMPONENT_ROOM, "/%zu", component + 1);
    const crd_text name = {buffer, state.length + (size_t)more};
    return name;
}

/* Declares the classes of a hidden state. Hidden states and their densities exist even if no row is likely to have
 * them. */
static crd_status declare_hidden(crd_i_hmm_content *content, crd_text state, crd_error *error) {
    crd_model *emissions = content->emissions;
    size_t target = emissions->schema->target;
    char *buffer = crd_i_alloc(content->context, state.length + CRD_I_COMPONENT_ROOM, 1);
    crd_status status = buffer == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t m = 0; status == CRD_OK && m < content->components; m++) {
        crd_text name = crd_i_component_name(state, m, content->components, buffer);
        if (!crd_i_model_is_declared(emissions, target, name))
            status = crd_i_model_declare_value(emissions, target, name, error);
    }
    crd_free(content->context, buffer);
    return status;
}

/* ---- The content ---- */

static bool hmm_content_copy_text(crd_context *context, crd_text *text) {
    if (text->bytes == NULL) return true;
    *text = crd_i_text_copy(context, *text);
    return text->bytes != NULL;
}

static crd_status copy_source(crd_i_hmm_content *content, const crd_sequence_options *source, crd_error *error) {
    const crd_sequence_options none = CRD_SEQUENCE_OPTIONS_INIT;
    crd_sequence_options *options = &content->source;
    *options = none;
    if (source == NULL) return CRD_OK;
    crd_i_column_format format;
    if (source->time_format.bytes != NULL && crd_i_column_format_find_time(source->time_format, &format))
        options->time_format = crd_i_column_format_time_name(format); /* a static text */
    options->blank_lines = source->blank_lines != 0;
    options->step = source->step;
    options->sequence = source->sequence;
    if (!hmm_content_copy_text(content->context, &options->sequence)) {
        *options = none;
        return crd_i_fail_memory(error);
    }
    options->time = source->time;
    return hmm_content_copy_text(content->context, &options->time) ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_hmm_content_create(crd_context *context, crd_model *emissions, crd_i_ngram_counts *transitions,
                                    size_t components, bool is_hidden, const crd_sequence_options *source,
                                    crd_i_hmm_content **out, crd_error *error) {
    *out = NULL;
    crd_i_hmm_content *content = crd_i_alloc_zeroed(context, 1, sizeof *content);
    if (content == NULL) {
        crd_model_destroy(emissions);
        crd_i_ngram_counts_destroy(transitions);
        return crd_i_fail_memory(error);
    }
    content->context = context;
    content->emissions = emissions;
    content->transitions = transitions;
    content->components = components;
    content->is_hidden = content->is_fitted = is_hidden;
    crd_status status = copy_source(content, source, error);
    for (size_t i = 0; status == CRD_OK && is_hidden && i < crd_i_dictionary_size(transitions->states); i++)
        status = declare_hidden(content, crd_i_dictionary_text(transitions->states, i), error);
    if (status != CRD_OK) {
        crd_i_hmm_content_destroy(content);
        return status;
    }
    *out = content;
    return CRD_OK;
}

void crd_i_hmm_content_destroy(crd_i_hmm_content *content) {
    if (content == NULL) return;
    crd_model_destroy(content->emissions);
    crd_i_ngram_counts_destroy(content->transitions);
    crd_free(content->context, (void *)content->source.sequence.bytes);
    crd_free(content->context, (void *)content->source.time.bytes);
    crd_free(content->context, content);
}

/* ---- States ---- */

/* Lists all possible states: those that were counted, then those that are only declared. */
static crd_i_dictionary *all_states(const crd_i_hmm_content *content) {
    const crd_i_schema *schema = content->emissions->schema;
    const crd_i_dictionary *declared = content->components > 1 ? NULL : schema->columns[schema->target].values;
    crd_i_dictionary *all = crd_i_dictionary_clone(content->transitions->states);
    for (size_t i = 0; all != NULL && declared != NULL && i < crd_i_dictionary_size(declared); i++) {
        if (crd_i_dictionary_add(all, crd_i_dictionary_text(declared, i)) >= 0) continue;
        crd_i_dictionary_destroy(all);
        all = NULL;
    }
    return all;
}

/* Marks the states that exist: hidden, counted or declared. */
static void find_live(const crd_i_hmm_content *content, const crd_i_dictionary *all, const double *visits,
                      bool *is_live) {
    const crd_i_schema *schema = content->emissions->schema;
    const crd_i_dictionary *declared = content->components > 1 ? NULL : schema->columns[schema->target].values;
    size_t counted = crd_i_dictionary_size(content->transitions->states);
    for (size_t i = 0; i < crd_i_dictionary_size(all); i++)
        is_live[i] = content->is_hidden || (i < counted && visits[i] > 0) ||
                     (declared != NULL && crd_i_dictionary_find(declared, crd_i_dictionary_text(all, i)) >= 0);
}

crd_status crd_i_hmm_content_states(const crd_i_hmm_content *content, crd_i_dictionary **out, uint32_t **ranks,
                                    crd_error *error) {
    crd_context *context = content->context;
    crd_i_dictionary *all = all_states(content);
    size_t count = all == NULL ? 0 : crd_i_dictionary_size(all), live = SIZE_MAX;
    bool *is_live = crd_i_alloc(context, count, sizeof *is_live);
    int32_t *codes = crd_i_alloc(context, count, sizeof *codes);
    double *visits = crd_i_alloc(context, count, sizeof *visits);
    *ranks = crd_i_alloc(context, count, sizeof **ranks);
    *out = crd_i_dictionary_create(context);
    bool done = all != NULL && is_live != NULL && codes != NULL && visits != NULL && *ranks != NULL && *out != NULL;
    if (done) {
        crd_i_ngram_counts_visits(content->transitions, visits);
        find_live(content, all, visits, is_live);
        live = crd_i_dictionary_order(all, is_live, crd_i_schema_view_number, codes);
        done = live != SIZE_MAX;
    }
    for (size_t i = 0; done && i < count; i++) (*ranks)[i] = UINT32_MAX;
    for (size_t i = 0; done && i < live; i++) {
        (*ranks)[codes[i]] = (uint32_t)i;
        done = crd_i_dictionary_add(*out, crd_i_dictionary_text(all, (size_t)codes[i])) >= 0;
    }
    crd_i_dictionary_destroy(all);
    crd_free(context, is_live);
    crd_free(context, codes);
    crd_free(context, visits);
    if (done) return CRD_OK;
    crd_i_dictionary_destroy(*out);
    crd_free(context, *ranks);
    *out = NULL;
    *ranks = NULL;
    return crd_i_fail_memory(error);
}

/* ---- The model ---- */

/* Rejects settings that are fitted to the posteriors of single rows, because they have no meaning in a sequence. */
static crd_status hmm_content_check_settings(const crd_settings *settings, crd_error *error) {
    if (!settings->attribute_weights_fitted && settings->calibration == CRD_I_CALIBRATION_NONE) return CRD_OK;
    const char *description = settings->attribute_weights_fitted ? "attribute-weights" : "calibration";
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the setting %s is not available for the method sequence: it applies to the posteriors of single rows",
               description);
    crd_i_error_subject(error, crd_text_of(description));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_emission_settings(crd_context *context, const crd_settings *settings, crd_settings **out,
                                   crd_error *error) {
    *out = NULL;
    crd_status status = settings == NULL ? CRD_OK : hmm_content_check_settings(settings, error);
    if (status != CRD_OK) return status;
    status = settings == NULL ? crd_settings_create(context, out, error)
                              : crd_i_settings_copy(context, settings, out, error);
    /* Settings that concern class posteriors rather than densities are reset. */
    static const char *const names[] = {"method", "prior"};
    for (size_t i = 0; status == CRD_OK && i < sizeof names / sizeof *names; i++) {
        size_t index = 0;
        while (strcmp(crd_setting_at(index)->name, names[i]) != 0) index++;
        status = crd_settings_set(*out, names[i], crd_text_of(crd_setting_at(index)->default_value), error);
    }
    /* The covariance that `auto` fits includes an exponent, chosen to make posteriors of single rows accurate. The
     * result is not a density. */
    if (status == CRD_OK && (*out)->covariance == CRD_I_COVARIANCE_AUTO)
        status = crd_settings_set(*out, "covariance", crd_text_of("full:0"), error);
    if (status == CRD_OK) return CRD_OK;
    crd_settings_destroy(*out);
    *out = NULL;
    return status;
}

/* Creates the schema of a sequence model: the observations, and the target unless states are hidden. NULL: out of
 * memory. */
static crd_i_schema *hmm_content_make_schema(const crd_i_hmm_content *content) {
    const crd_model *rows = content->emissions;
    crd_i_schema *schema = crd_i_schema_clone(rows->schema);
    if (schema == NULL) return NULL;
    for (size_t i = 0; i < schema->count; i++) schema->columns[i].type = crd_i_model_column_type(rows, i);
    crd_i_schema_column *target = &schema->columns[schema->target];
    if (content->components > 1) {
        crd_i_dictionary_destroy(target->values);
        target->values = NULL;
    }
    if (!content->is_hidden) return schema;
    /* Hidden states are not a column of files, whose columns are matched by position if they have no header. */
    if (target->position + 1 == schema->width) schema->width--;
    crd_i_schema_drop_last(schema);
    schema->target = SIZE_MAX;
    if (crd_i_schema_stand_in(schema)) return schema;
    crd_i_schema_destroy(schema);
    return NULL;
}

crd_status crd_i_sequence_model_create(crd_i_hmm_content *content, const crd_settings *settings, crd_model **out,
                                       crd_error *error) {
    *out = NULL;
    char order[8];
    crd_context *context = content->context;
    crd_settings *own_settings = NULL, *plain = NULL;
    snprintf(order, sizeof order, "%zu", content->transitions->order);
    crd_i_schema *schema = hmm_content_make_schema(content);
    crd_status status = schema == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(context, &own_settings, error)
                                  : crd_i_settings_copy(context, settings, &own_settings, error);
    if (status == CRD_OK) status = crd_settings_create(context, &plain, error);
    if (status == CRD_OK) status = crd_settings_set(own_settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK && own_settings->order > content->transitions->order)
        status = crd_settings_set(own_settings, "order", crd_text_of(order), error);
    if (status == CRD_OK) {
        status = crd_i_model_create_bare(context, schema, own_settings, out, error);
        schema = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(own_settings);
    if (status != CRD_OK) {
        crd_settings_destroy(plain);
        crd_i_hmm_content_destroy(content);
        return status;
    }
    crd_settings_destroy(content->emissions->settings);
    content->emissions->settings = plain;
    (*out)->kind = &crd_i_sequence_kind;
    (*out)->content = content;
    return CRD_OK;
}
