/* SPDX-License-Identifier: MIT */
/* word_list.c - see word_list.h. */
#include "core/word_list.h"

#include "base/os.h"

#include <stdio.h>

static bool is_between(int byte) {
    return byte == EOF || byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

bool word_list_read(const char *path, string *out) {
    FILE *file = crd_i_os_stream(path, "r");
    if (file == NULL) return false;
    bool is_inside = false;
    int byte;
    do {
        byte = getc(file);
        if (is_between(byte)) {
            if (is_inside) string_add_char(out, '"');
            is_inside = false;
            continue;
        }
        if (!is_inside && out->length > 0) string_add_char(out, ',');
        if (!is_inside) string_add_char(out, '"');
        is_inside = true;
        if (byte == '"') string_add_char(out, '"');
        string_add_char(out, (char)byte);
    } while (byte != EOF);
    bool is_read = ferror(file) == 0;
    fclose(file);
    return is_read;
}
