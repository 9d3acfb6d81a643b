/* SPDX-License-Identifier: MIT */
/* prior_setting.c - parses and formats user-specified priors: a CSV list of CLASS=P, each split at its last '='. P may
 * be a fraction such as 9/14, or a percentage. The canonical text contains the resulting double. If the sum is below 1,
 * one class that is not named gets the remainder; classifier.c finds it.
 *
 * Contents:
 *   1. Lists
 *   2. Priors */
#include "settings/settings_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>
#include <string.h>

/* ======== 1. Lists ======== */

crd_status crd_i_item_next(crd_text *view, crd_i_buffer *item, bool *more, crd_error *error) {
    item->length = 0;
    if (view->bytes == NULL) view->bytes = ""; /* an empty text may have NULL bytes, to which nothing can be added */
    crd_text text = *view;
    size_t index = 0;
    while (index < text.length && (text.bytes[index] == ' ' || text.bytes[index] == '\t')) index++;
    if (index < text.length && text.bytes[index] == '"') {
        for (index++;; index++) {
            if (index >= text.length) return crd_i_fail(error, CRD_ERROR_SETTING, "a quote is not closed");
            if (text.bytes[index] == '"' && (index + 1 >= text.length || text.bytes[index + 1] != '"')) break;
            if (text.bytes[index] == '"') index++;
            if (!crd_i_buffer_append(item, text.bytes + index, 1)) return crd_i_fail_memory(error);
        }
        index++;
        while (index < text.length && (text.bytes[index] == ' ' || text.bytes[index] == '\t')) index++;
        if (index < text.length && text.bytes[index] != ',')
            return crd_i_fail(error, CRD_ERROR_SETTING, "a closing quote is not followed by a comma");
    } else {
        crd_text plain = {text.bytes + index, 0};
        while (index < text.length && text.bytes[index] != ',') index++, plain.length++;
        plain = crd_i_text_trim(plain);
        if (!crd_i_buffer_append(item, plain.bytes, plain.length)) return crd_i_fail_memory(error);
    }
    *more = index < text.length;
    if (*more) index++;
    view->bytes += index;
    view->length -= index;
    return CRD_OK;
}

static bool list_items_needs_quotes(crd_text name) {
    if (name.length > 0 && (memchr(" \t\"", name.bytes[0], 3) != NULL)) return true;
    for (size_t i = 0; i < name.length; i++)
        if (name.bytes[i] == ',' || name.bytes[i] == '"' || name.bytes[i] == '\n' || name.bytes[i] == '\r') return true;
    return false;
}

static bool list_items_append_name(crd_i_buffer *buffer, crd_text name, bool quoted) {
    if (!quoted) return crd_i_buffer_append(buffer, name.bytes, name.length);
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '"' && !crd_i_buffer_append(buffer, "\"", 1)) return false;
        if (!crd_i_buffer_append(buffer, name.bytes + i, 1)) return false;
    }
    return true;
}

bool crd_i_item_append_name(crd_i_buffer *buffer, bool is_first, crd_text name) {
    /* A comma follows the name directly, and spaces before it would be trimmed. */
    bool ends_blank = crd_i_text_trim(name).length < name.length;
    bool quoted = list_items_needs_quotes(name) || ends_blank ||
                  (name.length > 0 && memchr(name.bytes, ';', name.length) != NULL);
    return (is_first || crd_i_buffer_append(buffer, ",", 1)) && (!quoted || crd_i_buffer_append(buffer, "\"", 1)) &&
           list_items_append_name(buffer, name, quoted) && (!quoted || crd_i_buffer_append(buffer, "\"", 1));
}

bool crd_i_item_append(crd_i_buffer *buffer, bool is_first, crd_text name, const char *value) {
    bool quoted = list_items_needs_quotes(name);
    return (is_first || crd_i_buffer_append(buffer, ",", 1)) && (!quoted || crd_i_buffer_append(buffer, "\"", 1)) &&
           list_items_append_name(buffer, name, quoted) && crd_i_buffer_append(buffer, "=", 1) &&
           crd_i_buffer_append(buffer, value, strlen(value)) && (!quoted || crd_i_buffer_append(buffer, "\"", 1));
}

/* ======== 2. Priors ======== */

/* Parses a probability: 0.25, 1/4 or 25%. false: it is not a number from 0 to 1. */
static bool parse_probability(crd_text text, double *out) {
    crd_text above = {text.bytes, 0};
    double numerator, denominator = 1;
    while (above.length < text.length && text.bytes[above.length] != '/' && text.bytes[above.length] != '%')
        above.length++;
    if (crd_number_parse(above, &numerator) != CRD_NUMBER_FINITE) return false;
    if (above.length < text.length) {
        crd_text below = {text.bytes + above.length + 1, text.length - above.length - 1};
        if (text.bytes[above.length] == '%') denominator = below.length == 0 ? 100 : 0;
        else if (crd_number_parse(below, &denominator) != CRD_NUMBER_FINITE) return false;
        if (denominator == 0) return false;
    }
    *out = numerator / denominator + 0.0; /* -0 becomes 0 */
    return *out >= 0 && *out <= 1;
}

static crd_status prior_setting_add_item(crd_text item, crd_i_dictionary *classes, double **probabilities,
                                         size_t *capacity, crd_context *context, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t split = item.length;
    while (split > 0 && item.bytes[split - 1] != '=') split--;
    if (split == 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "'%s' does not have the form CLASS=P", crd_i_quote(item, quoted));
    crd_text name = {item.bytes, split - 1};
    crd_text number = {item.bytes + split, item.length - split};
    double probability;
    if (!parse_probability(number, &probability))
        return crd_i_fail(error, CRD_ERROR_SETTING, "'%s' is not a probability", crd_i_quote(number, quoted));
    size_t count = crd_i_dictionary_size(classes);
    if (crd_i_dictionary_find(classes, name) >= 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "class '%s' is specified twice", crd_i_quote(name, quoted));
    if (!crd_i_reserve(context, probabilities, capacity, count + 1, sizeof **probabilities) ||
        crd_i_dictionary_add(classes, name) < 0)
        return crd_i_fail_memory(error);
    (*probabilities)[count] = probability;
    return CRD_OK;
}

static bool prior_setting_no_numbers(crd_text text, double *value) {
    (void)text;
    *value = 0;
    return false;
}

/* Sorts the classes by bytes, so the order in the text does not matter. */
static crd_status prior_setting_sort(crd_context *context, crd_i_dictionary **classes, double **probabilities,
                                     crd_error *error) {
    size_t count = crd_i_dictionary_size(*classes);
    crd_i_dictionary *sorted = crd_i_dictionary_create(context);
    double *values = crd_i_alloc(context, count, sizeof *values);
    int32_t *codes = crd_i_alloc(context, count, sizeof *codes);
    if (sorted == NULL || values == NULL || codes == NULL) goto fail;
    if (crd_i_dictionary_order(*classes, NULL, prior_setting_no_numbers, codes) == SIZE_MAX) goto fail;
    for (size_t i = 0; i < count; i++) {
        values[i] = (*probabilities)[codes[i]];
        if (crd_i_dictionary_add(sorted, crd_i_dictionary_text(*classes, (size_t)codes[i])) < 0) goto fail;
    }
    crd_free(context, codes);
    crd_i_dictionary_destroy(*classes);
    crd_free(context, *probabilities);
    *classes = sorted;
    *probabilities = values;
    return CRD_OK;

fail:
    crd_i_dictionary_destroy(sorted);
    crd_free(context, values);
    crd_free(context, codes);
    return crd_i_fail_memory(error);
}

crd_status crd_i_prior_parse(crd_context *context, crd_text text, crd_i_dictionary **classes_out,
                             double **probabilities_out, crd_error *error) {
    crd_status status = CRD_ERROR_MEMORY;
    crd_i_dictionary *classes = crd_i_dictionary_create(context);
    double *probabilities = NULL;
    size_t capacity = 0;
    crd_i_buffer item = {context, NULL, 0, 0};
    if (classes == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    bool more = false;
    do {
        status = crd_i_item_next(&text, &item, &more, error);
        if (status != CRD_OK) goto fail;
        crd_text content = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        status = prior_setting_add_item(content, classes, &probabilities, &capacity, context, error);
        if (status != CRD_OK) goto fail;
    } while (more);
    status = prior_setting_sort(context, &classes, &probabilities, error);
    if (status != CRD_OK) goto fail;
    /* The sum is computed in sorted order, so the canonical text is valid if this text is. */
    double sum = 0;
    for (size_t i = 0; i < crd_i_dictionary_size(classes); i++) sum += probabilities[i];
    if (sum > 1 + CRD_I_PRIOR_SLACK) {
        char shown[CRD_NUMBER_ROOM];
        crd_number_format(sum, shown);
        status = crd_i_fail(error, CRD_ERROR_SETTING, "the probabilities sum to %s, not to 1", shown);
        goto fail;
    }
    crd_i_buffer_clear(&item);
    *classes_out = classes;
    *probabilities_out = probabilities;
    return CRD_OK;

fail:
    crd_i_buffer_clear(&item);
    crd_i_dictionary_destroy(classes);
    crd_free(context, probabilities);
    return status;
}

char *crd_i_prior_text(crd_context *context, const crd_i_dictionary *classes, const double *probabilities) {
    crd_i_buffer text = {context, NULL, 0, 0};
    for (size_t i = 0; i < crd_i_dictionary_size(classes); i++) {
        crd_text name = crd_i_dictionary_text(classes, i);
        char number[CRD_NUMBER_ROOM];
        crd_number_format(probabilities[i], number);
        if (!crd_i_item_append(&text, i == 0, name, number)) {
            crd_i_buffer_clear(&text);
            return NULL;
        }
    }
    if (!crd_i_buffer_append(&text, "", 1)) {
        crd_i_buffer_clear(&text);
        return NULL;
    }
    return (char *)text.bytes;
}
