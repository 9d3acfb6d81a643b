/* SPDX-License-Identifier: MIT */
/* text_attribute.c - see text_attribute.h. */
#include "explain/text_attribute.h"

#include "base/error.h"

crd_status crd_i_text_density(const crd_classifier *classifier, size_t attribute, const crd_i_term_density **out,
                              crd_error *error) {
    *out = NULL;
    if (attribute >= classifier->attribute_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no attribute %zu", attribute);
    const crd_i_attribute *asked = &classifier->attributes[attribute];
    if (asked->kind != CRD_KIND_TEXT || asked->density == NULL) {
        char name[CRD_I_QUOTED_ROOM];
        bool is_text = asked->kind == CRD_KIND_TEXT;
        crd_status status = crd_i_fail(error, is_text ? CRD_ERROR_EMPTY : CRD_ERROR_COLUMN, "attribute '%s' %s",
                                       crd_i_quote(asked->name, name),
                                       is_text ? "has no words: no text was ever present" : "is no text");
        crd_i_error_subject(error, asked->name);
        return status;
    }
    *out = (const crd_i_term_density *)asked->density;
    return CRD_OK;
}
