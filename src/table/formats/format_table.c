/* SPDX-License-Identifier: MIT */
/* format_table.c - see row_batches.h. */
#include "table/read/row_batches.h"

#include "base/error.h"

#include <string.h>

const crd_i_format *const crd_i_formats[] = {
    &crd_i_format_arff,
    &crd_i_format_json_lines,
    &crd_i_format_delimited,
    NULL,
};

/* Maximum number of bytes to search for a byte that is not whitespace. */
enum { MOST_BLANKS = 65536 };

static bool format_table_is_gap(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Finds the first byte that is not whitespace. SIZE_MAX: none within the limit. Requests no more bytes than needed,
 * because they may come from a person at a terminal. */
static crd_status find_first_byte(crd_i_slow_parse *records, size_t *out, crd_error *error) {
    *out = SIZE_MAX;
    for (size_t i = 0; i < MOST_BLANKS; i++) {
        crd_status status = crd_i_slow_parse_peek(records, i + 1, error);
        if (status != CRD_OK) return status;
        if (i >= records->end - records->kept) return CRD_OK;
        if (format_table_is_gap(crd_i_slow_parse_bytes(records)[i])) continue;
        *out = i;
        return CRD_OK;
    }
    return CRD_OK;
}

static crd_status format_table_recognize(crd_i_slow_parse *records, const crd_i_format *format, size_t first,
                                         bool *is_it, crd_error *error) {
    *is_it = format->opens == NULL;
    if (*is_it || first == SIZE_MAX) return CRD_OK;
    char byte = crd_i_slow_parse_bytes(records)[first];
    if (byte == '\0' || strchr(format->opens, byte) == NULL) return CRD_OK;
    crd_status status = crd_i_slow_parse_peek(records, first + format->reach, error);
    if (status != CRD_OK) return status;
    size_t length = records->end - records->kept - first;
    crd_text beginning = {crd_i_slow_parse_bytes(records) + first, length < format->reach ? length : format->reach};
    bool is_token = records->has_tagged_text && beginning.length > 1 && strchr("\t\r\n", beginning.bytes[1]) != NULL &&
                    beginning.bytes[1] != '\0';
    *is_it = !is_token && format->recognize(beginning);
    return CRD_OK;
}

crd_status crd_i_format_find(crd_i_slow_parse *records, crd_format wanted, const crd_i_format **out, crd_error *error) {
    *out = NULL;
    if (wanted != CRD_FORMAT_AUTO) {
        for (size_t i = 0; crd_i_formats[i] != NULL; i++) {
            if (crd_i_formats[i]->code == wanted) *out = crd_i_formats[i];
        }
        return *out != NULL ? CRD_OK : crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown table format");
    }
    size_t first;
    crd_status status = find_first_byte(records, &first, error);
    for (size_t i = 0; status == CRD_OK && *out == NULL; i++) {
        bool is_it;
        status = format_table_recognize(records, crd_i_formats[i], first, &is_it, error);
        if (status == CRD_OK && is_it) *out = crd_i_formats[i];
    }
    return status;
}
