/* SPDX-License-Identifier: MIT */
/* former_settings.c - sets settings by the names and values that model files of version 0.1 contain.
 *
 * A former setting has another name, other words, or is two settings today. A file that has one is read like any other
 * file, and is written with today's names. */
#include "base/error.h"
#include "base/text.h"
#include "settings/settings_internal.h"

#include <credence/number.h>
#include <stdio.h>
#include <string.h>

/* A former setting. `value` NULL: any value. `begins` is true if a number may follow the value after a colon. */
typedef struct former_setting {
    const char *name, *value;
    const char *new_name, *new_value; /* new_value NULL: the former value, or its number if `begins` is true */
    bool begins;
} former_setting;

/* The first row that fits is used. */
static const former_setting former_settings[] = {
    {"share-variance", NULL, "pool-variance", NULL, false},
    {"min-deviation", NULL, "min-sd", NULL, false},
    {"method", "a1de", "method", "aode", false},
    {"method", "pairs", "method", "pairwise", false},
    {"method", "committee", "method", "stacking", false},
    {"normal", "shared", "covariance", "tied", true},
    {"normal", "diagonal", "covariance", "diag", false},
    {"normal", "mixture", "joint-mixture", "auto", false},
    {"normal", "mixture", "joint-mixture", NULL, true},
    {"normal", NULL, "covariance", NULL, false},
    {"exponents", NULL, "attribute-weights", NULL, false},
    {"calibration", "scaling", "calibration", "platt", false},
    {"structure", "hill-climb", "search", NULL, false},
    {"structure", "tabu", "search", NULL, false},
    {"structure", "pc", "search", NULL, false},
    {"structure", "exact", "search", NULL, false},
    {"structure", "chow-liu", "search", NULL, false},
    {"structure", "tan", "search", NULL, false},
    {"structure", "kdb", "search", "kdb", true},
    {"structure", NULL, "arcs", NULL, false},
    {"hidden", NULL, "latent-nodes", NULL, false},
    {"test", NULL, "ci-test", NULL, false},
    {"required", NULL, "required-arcs", NULL, false},
    {"most-parents", NULL, "max-parents", NULL, false},
    {"ends", "counted", "end-probabilities", "yes", false},
    {"components", NULL, "state-mixture", NULL, false},
    {"length", NULL, "length-normalization", NULL, false},
    {"complement-weights", "normalised", "complement-weights", "normalized", false},
    {"min-documents", NULL, "min-df", NULL, false},
    {"max-documents", NULL, "max-df", NULL, false},
    {"vocabulary", NULL, "max-terms", NULL, false},
    {"tokens", "blanks", "tokens", "whitespace", false},
};

/* Returns whether the value of a row fits, and sets *number to the text after its colon, or to an empty text. */
static bool former_value_fits(const former_setting *row, crd_text value, crd_text *number) {
    const size_t length = row->value == NULL ? 0 : strlen(row->value);
    *number = (crd_text){value.bytes + value.length, 0};
    if (row->value == NULL || crd_text_equal(value, crd_text_of(row->value)))
        return row->new_value != NULL || !row->begins;
    if (!row->begins || value.length < length + 2 || memcmp(value.bytes, row->value, length) != 0 ||
        value.bytes[length] != ':')
        return false;
    *number = (crd_text){value.bytes + length + 1, value.length - length - 1};
    return true;
}

static crd_status former_set(crd_settings *settings, const former_setting *row, crd_text value, crd_text number,
                             crd_error *error) {
    char text[CRD_NUMBER_ROOM + 32];
    if (row->new_value == NULL) return crd_settings_set(settings, row->new_name, row->begins ? number : value, error);
    if (number.length > CRD_NUMBER_ROOM) number.length = CRD_NUMBER_ROOM; /* too long for a number: rejected */
    snprintf(text, sizeof text, "%s%s%.*s", row->new_value, number.length > 0 ? ":" : "", (int)number.length,
             number.bytes);
    return crd_settings_set(settings, row->new_name, crd_text_of(text), error);
}

/* Sets the estimator and the number of its starts, from em:N or gradient:N. */
static crd_status former_set_estimator(crd_settings *settings, crd_text value, size_t colon, crd_error *error) {
    const crd_text word = {value.bytes, colon}, starts = {value.bytes + colon + 1, value.length - colon - 1};
    crd_status status = crd_settings_set(settings, "estimator", word, error);
    return status == CRD_OK ? crd_settings_set(settings, "em-starts", starts, error) : status;
}

/* Sets the number of starts of a sequence model from its restarts, which did not include the first start. */
static crd_status former_set_restarts(crd_settings *settings, crd_text value, crd_error *error) {
    char text[CRD_NUMBER_ROOM];
    double restarts;
    if (crd_text_equal(value, crd_text_of("auto"))) return CRD_OK;
    if (crd_number_parse(value, &restarts) != CRD_NUMBER_FINITE)
        return crd_settings_set(settings, "em-starts", value, error);
    crd_number_format(restarts + 1, text);
    return crd_settings_set(settings, "em-starts", crd_text_of(text), error);
}

crd_status crd_i_settings_set_former(crd_settings *settings, crd_text name, crd_text value, bool *is_former,
                                     crd_error *error) {
    *is_former = true;
    const bool is_sequence = settings->method == CRD_I_METHOD_SEQUENCE;
    const char *colon = value.length == 0 ? NULL : memchr(value.bytes, ':', value.length);
    if (crd_text_equal(name, crd_text_of("estimator")) && colon != NULL)
        return former_set_estimator(settings, value, (size_t)(colon - value.bytes), error);
    if (crd_text_equal(name, crd_text_of("restarts")) && is_sequence)
        return former_set_restarts(settings, value, error);
    if (crd_text_equal(name, crd_text_of("forbidden")))
        return crd_settings_set(settings, is_sequence ? "forbidden-transitions" : "forbidden-arcs", value, error);
    for (size_t i = 0; i < sizeof former_settings / sizeof *former_settings; i++) {
        crd_text number;
        if (crd_text_equal(name, crd_text_of(former_settings[i].name)) &&
            former_value_fits(&former_settings[i], value, &number))
            return former_set(settings, &former_settings[i], value, number, error);
    }
    *is_former = false;
    return CRD_OK;
}

const char *crd_i_former_setting_name(crd_text name) {
    for (size_t i = 0; i < sizeof former_settings / sizeof *former_settings; i++)
        if (crd_text_equal(name, crd_text_of(former_settings[i].name)) && former_settings[i].value == NULL)
            return former_settings[i].new_name;
    return NULL;
}

void crd_i_former_setting_replace(const char **name, const char **value) {
    const crd_text text = crd_text_of(*value);
    for (size_t i = 0; i < sizeof former_settings / sizeof *former_settings; i++) {
        const former_setting *row = &former_settings[i];
        crd_text number;
        if (strcmp(*name, row->name) != 0 || !former_value_fits(row, text, &number) || number.length > 0) continue;
        *name = row->new_name;
        if (row->new_value != NULL) *value = row->new_value;
        return;
    }
}
