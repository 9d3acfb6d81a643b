/* SPDX-License-Identifier: MIT */
/* html.c - see html.h. */
#include "core/html.h"

void html_add(string *out, crd_text text) {
    for (size_t i = 0; i < text.length; i++) {
        switch (text.bytes[i]) {
        case '<': string_add(out, "&lt;", 4); break;
        case '>': string_add(out, "&gt;", 4); break;
        case '&': string_add(out, "&amp;", 5); break;
        case '"': string_add(out, "&quot;", 6); break;
        case '\'': string_add(out, "&#39;", 5); break;
        default: string_add_char(out, text.bytes[i]); break;
        }
    }
}
