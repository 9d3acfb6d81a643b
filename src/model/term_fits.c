/* SPDX-License-Identifier: MIT */
/* term_fits.c - see term_fits.h. */
#include "model/term_fits.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static bool term_fits_append(crd_i_buffer *buffer, const char *text) {
    return crd_i_buffer_append(buffer, text, strlen(text));
}

/* Returns the key of a fit: the column, its family and each text setting, one per line. NULL: out of memory. */
static char *term_fits_make_key(crd_context *context, crd_text name, const crd_i_family *family,
                                const crd_settings *settings) {
    static const char *const names[] = {"term-smoothing", "tf",         "complement-weights", "min-documents",
                                        "max-documents",  "stop-words", "vocabulary"};
    crd_i_buffer key = {.context = context};
    bool done = term_fits_append(&key, "terms ") && crd_i_buffer_append(&key, name.bytes, name.length) &&
                term_fits_append(&key, "\nfamily ") && term_fits_append(&key, family->name);
    for (size_t i = 0; done && i < sizeof names / sizeof *names; i++)
        done = term_fits_append(&key, "\n") && term_fits_append(&key, names[i]) && term_fits_append(&key, " ") &&
               term_fits_append(&key, crd_settings_get(settings, names[i]));
    if (done && crd_i_buffer_append(&key, "", 1)) return (char *)key.bytes;
    crd_i_buffer_clear(&key);
    return NULL;
}

static bool term_fits_find(const crd_i_fit_cache *in, const char *key, crd_i_tallied *attribute) {
    const crd_i_fit *fit = crd_i_fit_cache_find_key(in, key);
    if (fit == NULL) return false;
    attribute->fitted = fit->numbers;
    attribute->fitted_count = fit->count;
    return true;
}

crd_status crd_i_term_fits_find(const crd_model *model, crd_text name, const crd_i_family *family,
                                const crd_settings *settings, crd_i_tallied *attribute, crd_i_fit_cache *fitted,
                                crd_error *error) {
    if (family->fit == NULL) return CRD_OK;
    char *key = term_fits_make_key(model->context, name, family, settings);
    if (key == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    if (!term_fits_find(&model->fitted, key, attribute) && !term_fits_find(fitted, key, attribute)) {
        double *numbers = NULL;
        size_t count;
        status = family->fit(model->context, attribute, settings, &numbers, &count, error);
        if (status == CRD_OK && count > 0 && !crd_i_fit_cache_put_key(fitted, key, numbers, count))
            status = crd_i_fail_memory(error);
        if (status == CRD_OK && count > 0) term_fits_find(fitted, key, attribute);
        crd_free(model->context, numbers);
    }
    crd_free(model->context, key);
    return status;
}

bool crd_i_term_fits_apply(const crd_model *model) {
    for (size_t i = 0; i < model->schema->count; i++)
        if (model->variables[i].tally != NULL && model->variables[i].tally->type->kind == CRD_KIND_TEXT) return true;
    return false;
}
