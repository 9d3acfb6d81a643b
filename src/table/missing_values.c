/* SPDX-License-Identifier: MIT */
/* missing_values.c - see missing_values.h. */
#include "table/missing_values.h"

#include <string.h>

bool crd_i_missing_set(crd_i_missing *missing, crd_context *context, const crd_text *texts, size_t count) {
    crd_i_missing fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.texts = crd_i_dictionary_create(context);
    if (fresh.texts == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        if (crd_i_dictionary_add(fresh.texts, texts[i]) < 0) {
            crd_i_missing_clear(&fresh);
            return false;
        }
        if (texts[i].length == 0) {
            fresh.has_empty = true;
        } else {
            fresh.begins[(unsigned char)texts[i].bytes[0]] = true;
        }
    }
    crd_i_missing_clear(missing);
    *missing = fresh;
    return true;
}

void crd_i_missing_clear(crd_i_missing *missing) {
    crd_i_dictionary_destroy(missing->texts);
    missing->texts = NULL;
}
