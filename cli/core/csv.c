/* SPDX-License-Identifier: MIT */
/* csv.c - see csv.h. */
#include "core/csv.h"

#include <math.h>

bool csv_means_missing(crd_text text) {
    return crd_schema_is_usual_missing(text);
}

static void add_to_line(void *line, const char *bytes, size_t length) {
    string_add(line, bytes, length);
}

void csv_add_text(string *line, crd_text text) {
    crd_csv_write(text, 0, add_to_line, line);
}

void csv_add_cell(string *line, crd_text text) {
    crd_csv_write(text, 1, add_to_line, line);
}

void csv_add_number(string *line, double value) {
    if (isfinite(value)) string_add_number(line, value);
}
