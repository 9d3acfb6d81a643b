/* SPDX-License-Identifier: MIT */
/* text.c - see text.h. */
#include "base/text.h"

#include "base/memory.h"

#include <string.h>

crd_text crd_text_of(const char *c_string) {
    crd_text text = {c_string, c_string == NULL ? 0 : strlen(c_string)};
    return text;
}

int crd_text_equal(crd_text a, crd_text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

int crd_i_text_compare(crd_text a, crd_text b) {
    size_t shared = a.length < b.length ? a.length : b.length;
    int order = shared == 0 ? 0 : memcmp(a.bytes, b.bytes, shared);
    if (order != 0) return order;
    return (a.length > b.length) - (a.length < b.length);
}

crd_text crd_i_text_copy(crd_context *context, crd_text text) {
    crd_text copy = {NULL, 0};
    char *bytes = text.length == SIZE_MAX ? NULL : crd_i_alloc(context, text.length + 1, 1);
    if (bytes == NULL) return copy;
    if (text.length > 0) memcpy(bytes, text.bytes, text.length);
    bytes[text.length] = '\0';
    copy.bytes = bytes;
    copy.length = text.length;
    return copy;
}

static bool text_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

crd_text crd_i_text_trim(crd_text text) {
    while (text.length > 0 && text_is_blank(text.bytes[0])) text.bytes++, text.length--;
    while (text.length > 0 && text_is_blank(text.bytes[text.length - 1])) text.length--;
    return text;
}
