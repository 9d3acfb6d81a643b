/* SPDX-License-Identifier: MIT */
/* json_tree.h - a JSON text in memory as a tree, for files whose members may come in any order: small ones, which people
 * write. */
#ifndef CRD_TABLE_FORMATS_JSON_TREE_H
#define CRD_TABLE_FORMATS_JSON_TREE_H

#include "base/context.h"
#include "table/formats/json.h"

/* Nodes stand in the order of the text: the first of a container's is behind it. */
typedef struct crd_i_json_node {
    crd_i_json_token type; /* OPEN_OBJECT, OPEN_ARRAY, TEXT, NUMBER, TRUE, FALSE or NULL */
    uint32_t count;        /* of what a container has */
    uint64_t line;
    crd_text key;  /* of a member of an object */
    crd_text text; /* of a text, and of a number as it stands */
    double number; /* which is finite */
    size_t next;   /* in the same container; 0: it is the last */
} crd_i_json_node;

typedef struct crd_i_json_tree {
    crd_context *context;
    crd_i_json_node *nodes; /* the first is the root */
    size_t count, capacity;
} crd_i_json_tree;

/* Texts stay in the bytes, which are written to. Keys of an object are different from each other, and no more than 64;
 * containers are nested 16 deep at most. CRD_ERROR_SYNTAX and CRD_ERROR_NUMBER with the line. On failure the tree is
 * empty. */
CRD_MUST_USE crd_status crd_i_json_tree_read(crd_context *context, char *bytes, size_t length, crd_i_json_tree *out,
                                             crd_error *error);
void crd_i_json_tree_clear(crd_i_json_tree *tree); /* all zero is fine */

/* The first of a container's; NULL: it is empty. The next one of the same container; NULL: it is the last. */
const crd_i_json_node *crd_i_json_tree_first(const crd_i_json_node *of);
const crd_i_json_node *crd_i_json_tree_next(const crd_i_json_tree *tree, const crd_i_json_node *of);
/* The member of an object with that key; NULL: there is none. */
const crd_i_json_node *crd_i_json_tree_member(const crd_i_json_tree *tree, const crd_i_json_node *of, const char *key);

#endif
