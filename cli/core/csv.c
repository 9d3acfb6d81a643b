/* SPDX-License-Identifier: MIT */
/* csv.c - see csv.h. */
#include "core/csv.h"

#include <math.h>

bool csv_means_missing(crd_text text) {
    return crd_schema_is_usual_missing(text);
}

static bool csv_is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static bool csv_needs_quotes(crd_text text) {
    if (csv_is_blank(text.bytes[0]) || csv_is_blank(text.bytes[text.length - 1])) return true;
    for (size_t i = 0; i < text.length; i++) {
        /* Many readers end the text at a NUL. */
        char byte = text.bytes[i];
        if (byte == ',' || byte == '"' || byte == '\r' || byte == '\n' || byte == '\0') return true;
    }
    return false;
}

static void csv_add_field(string *line, crd_text text, bool quoted) {
    if (text.length == 0) return;
    if (!quoted && !csv_needs_quotes(text)) {
        string_add(line, text.bytes, text.length);
        return;
    }
    string_add_char(line, '"');
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '"') string_add_char(line, '"');
        string_add_char(line, text.bytes[i]);
    }
    string_add_char(line, '"');
}

void csv_add_text(string *line, crd_text text) {
    csv_add_field(line, text, csv_means_missing(text));
}

void csv_add_cell(string *line, crd_text text) {
    csv_add_field(line, text, false);
}

void csv_add_number(string *line, double value) {
    if (isfinite(value)) string_add_number(line, value);
}
