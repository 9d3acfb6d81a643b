/* SPDX-License-Identifier: MIT */
/* list_items.c - see list_items.h. */
#include "settings/list_items.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

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
