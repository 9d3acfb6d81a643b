/* SPDX-License-Identifier: MIT */
/* text_attribute.c - see text_attribute.h. */
#include "explain/text_attribute.h"

#include "base/error.h"

/* Looks up the density of a text attribute; see text_attribute.h. Fails if the attribute is unknown, is not a text, or
 * has no density. */
crd_status crd_i_text_density(const crd_classifier *classifier, size_t attribute, const crd_i_term_density **out,
                              crd_error *error) {
    *out = NULL;
    if (attribute >= classifier->attribute_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown attribute %zu", attribute);
    const crd_i_attribute *attribute_result = &classifier->attributes[attribute];
    if (attribute_result->kind != CRD_KIND_TEXT || attribute_result->density == NULL) {
        char name[CRD_I_QUOTED_ROOM];
        bool is_text = attribute_result->kind == CRD_KIND_TEXT;
        crd_status status = crd_i_fail(error, is_text ? CRD_ERROR_EMPTY : CRD_ERROR_COLUMN, "attribute '%s' %s",
                                       crd_i_quote(attribute_result->name, name),
                                       is_text ? "has no words: no text was ever present" : "is not a text");
        crd_i_error_subject(error, attribute_result->name);
        return status;
    }
    *out = (const crd_i_term_density *)attribute_result->density;
    return CRD_OK;
}
