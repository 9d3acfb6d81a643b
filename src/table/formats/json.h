/* SPDX-License-Identifier: MIT */
/* json.h - a strict JSON tokenizer (RFC 8259) for bytes in memory.
 *
 * It is handwritten because rows are parsed with it: it allocates nothing, decodes texts in place, and keeps this
 * layer free of other libraries. Callers interpret the values and decide which tokens are allowed. */
#ifndef CRD_TABLE_FORMATS_JSON_H
#define CRD_TABLE_FORMATS_JSON_H

#include "base/context.h"
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

/* ======== Tree ========
 *
 * A JSON text is parsed to a tree, for small handwritten files whose members may come in any order. */

/* Nodes are stored in text order: the first child of a container follows it directly. */
typedef struct crd_i_json_node {
    crd_i_json_token type; /* OPEN_OBJECT, OPEN_ARRAY, TEXT, NUMBER, TRUE, FALSE or NULL */
    uint32_t count;        /* number of children of a container */
    uint64_t line;
    crd_text key;  /* of a member of an object */
    crd_text text; /* a text, or a number as written */
    double number; /* always finite */
    size_t next;   /* next sibling; 0: this is the last */
} crd_i_json_node;

typedef struct crd_i_json_tree {
    crd_context *context;
    crd_i_json_node *nodes; /* the first is the root */
    size_t count, capacity;
} crd_i_json_tree;

/* Parses JSON. Texts stay in `bytes`, which is modified. Keys of an object must be unique, at most 64 per object.
 * Containers can be nested up to 16 deep. CRD_ERROR_SYNTAX and CRD_ERROR_NUMBER include the line. On failure the
 * tree is empty. */
CRD_MUST_USE crd_status crd_i_json_tree_read(crd_context *context, char *bytes, size_t length, crd_i_json_tree *out,
                                             crd_error *error);
void crd_i_json_tree_clear(crd_i_json_tree *tree); /* a zeroed tree is allowed */

/* Return the first child of a container, NULL if it is empty; and the next sibling, NULL if there is none. */
const crd_i_json_node *crd_i_json_tree_first(const crd_i_json_node *node);
const crd_i_json_node *crd_i_json_tree_next(const crd_i_json_tree *tree, const crd_i_json_node *node);
/* Returns the member of an object with this key; NULL: there is none. */
const crd_i_json_node *crd_i_json_tree_member(const crd_i_json_tree *tree, const crd_i_json_node *node,
                                              const char *key);

#endif
