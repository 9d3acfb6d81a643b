/* SPDX-License-Identifier: MIT */
/* json.h - JSON (RFC 8259) token by token, strictly, out of bytes in memory.
 *
 * Written by hand because rows come through it: it allocates nothing, decodes texts where they stand, and keeps this
 * layer free of other libraries. What values mean, and which may stand where, its callers say. */
#ifndef CRD_TABLE_FORMATS_JSON_H
#define CRD_TABLE_FORMATS_JSON_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum crd_i_json_token {
    CRD_I_JSON_END, /* of the bytes */
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
    CRD_I_JSON_FAULT /* `fault` says what is wrong */
} crd_i_json_token;

typedef struct crd_i_json {
    char *at, *end;
    const char *line_start; /* of the line that `at` is on */
    uint64_t line;          /* from 1, or where the caller began */
    const char *token;      /* where the latest one begins */
    crd_text text;          /* of a text, without quotes and decoded; of a number, as it stands */
    const char *fault;
} crd_i_json;

/* The bytes are written to where texts have escapes. */
crd_i_json crd_i_json_begin(char *bytes, size_t length, uint64_t line);
crd_i_json_token crd_i_json_next(crd_i_json *json);

/* CRD_ERROR_SYNTAX at the latest token: the fault, or "found ... where `wanted` must be"; with line and byte. */
crd_status crd_i_json_fail(const crd_i_json *json, crd_i_json_token found, const char *wanted, crd_error *error);

#endif
