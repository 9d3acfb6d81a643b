/* SPDX-License-Identifier: MIT */
/* list_items.c - see list_items.h. */
#include "settings/list_items.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

crd_status crd_i_item_next(crd_text *rest, crd_i_buffer *item, bool *more, crd_error *error) {
    item->length = 0;
    if (rest->bytes == NULL) rest->bytes = ""; /* an empty text may have no bytes, and none can be added to */
    crd_text text = *rest;
    size_t at = 0;
    while (at < text.length && (text.bytes[at] == ' ' || text.bytes[at] == '\t')) at++;
    if (at < text.length && text.bytes[at] == '"') {
        for (at++;; at++) {
            if (at >= text.length) return crd_i_fail(error, CRD_ERROR_SETTING, "a quote is not closed");
            if (text.bytes[at] == '"' && (at + 1 >= text.length || text.bytes[at + 1] != '"')) break;
            if (text.bytes[at] == '"') at++;
            if (!crd_i_buffer_append(item, text.bytes + at, 1)) return crd_i_fail_memory(error);
        }
        at++;
        while (at < text.length && (text.bytes[at] == ' ' || text.bytes[at] == '\t')) at++;
        if (at < text.length && text.bytes[at] != ',')
            return crd_i_fail(error, CRD_ERROR_SETTING, "a closing quote is not followed by a comma");
    } else {
        crd_text plain = {text.bytes + at, 0};
        while (at < text.length && text.bytes[at] != ',') at++, plain.length++;
        plain = crd_i_text_trim(plain);
        if (!crd_i_buffer_append(item, plain.bytes, plain.length)) return crd_i_fail_memory(error);
    }
    *more = at < text.length;
    if (*more) at++;
    rest->bytes += at;
    rest->length -= at;
    return CRD_OK;
}

static bool needs_quotes(crd_text name) {
    if (name.length > 0 && (memchr(" \t\"", name.bytes[0], 3) != NULL)) return true;
    for (size_t i = 0; i < name.length; i++)
        if (name.bytes[i] == ',' || name.bytes[i] == '"' || name.bytes[i] == '\n' || name.bytes[i] == '\r') return true;
    return false;
}

static bool append_name(crd_i_buffer *to, crd_text name, bool quoted) {
    if (!quoted) return crd_i_buffer_append(to, name.bytes, name.length);
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '"' && !crd_i_buffer_append(to, "\"", 1)) return false;
        if (!crd_i_buffer_append(to, name.bytes + i, 1)) return false;
    }
    return true;
}

bool crd_i_item_append_name(crd_i_buffer *to, bool is_first, crd_text name) {
    /* Nothing but a comma follows the name, before which blanks would be trimmed. */
    bool ends_blank = crd_i_text_trim(name).length < name.length;
    bool quoted = needs_quotes(name) || ends_blank || (name.length > 0 && memchr(name.bytes, ';', name.length) != NULL);
    return (is_first || crd_i_buffer_append(to, ",", 1)) && (!quoted || crd_i_buffer_append(to, "\"", 1)) &&
           append_name(to, name, quoted) && (!quoted || crd_i_buffer_append(to, "\"", 1));
}

bool crd_i_item_append(crd_i_buffer *to, bool is_first, crd_text name, const char *value) {
    bool quoted = needs_quotes(name);
    return (is_first || crd_i_buffer_append(to, ",", 1)) && (!quoted || crd_i_buffer_append(to, "\"", 1)) &&
           append_name(to, name, quoted) && crd_i_buffer_append(to, "=", 1) &&
           crd_i_buffer_append(to, value, strlen(value)) && (!quoted || crd_i_buffer_append(to, "\"", 1));
}
