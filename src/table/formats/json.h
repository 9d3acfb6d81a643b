/* SPDX-License-Identifier: MIT */
/* json.h - a strict JSON tokenizer (RFC 8259) for bytes in memory.
 *
 * It is handwritten because rows are parsed with it: it allocates nothing, decodes texts in place, and keeps this
 * layer free of other libraries. Callers interpret the values and decide which tokens are allowed. */
#ifndef CRD_TABLE_FORMATS_JSON_H
#define CRD_TABLE_FORMATS_JSON_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum crd_i_json_token {
    CRD_I_JSON_END, /* end of the bytes */
    CRD_I_JSON_OPEN_OBJECT,
    CRD_I_JSON_CLOSE_OBJECT,
    CRD_I_JSON_OPEN_ARRAY,
    CRD_I_JSON_CLOSE_ARRAY,
    CRD_I_JSON_COLON,
    CRD_I_JSON_COMMA,
    CRD_I_JSON_TEXT,
    CRD_I_JSON_NUMBER,
    CRD_I_JSON_TRUE,
    CRD_I_JSON_FALSE,
    CRD_I_JSON_NULL,
    CRD_I_JSON_FAULT /* `fault` is the error message */
} crd_i_json_token;

typedef struct crd_i_json {
    char *cursor, *end;
    const char *line_start; /* start of the line that contains `at` */
    uint64_t line;          /* from 1, or from the caller's first line */
    const char *token;      /* start of the latest token */
    crd_text text;          /* a text without quotes, decoded; or a number as written */
    const char *fault;
} crd_i_json;

/* Starts tokenizing. Modifies the bytes if texts contain escapes. */
crd_i_json crd_i_json_begin(char *bytes, size_t length, uint64_t line);
crd_i_json_token crd_i_json_next(crd_i_json *json);

/* Fails with CRD_ERROR_SYNTAX at the latest token, with line and byte. The message is the fault, or "found ... where
 * `wanted` must be". */
crd_status crd_i_json_fail(const crd_i_json *json, crd_i_json_token json_token, const char *wanted, crd_error *error);

#endif
