/* SPDX-License-Identifier: MIT */
/* json_tree.h - parses a JSON text to a tree, for small handwritten files whose members may come in any order. */
#ifndef CRD_TABLE_FORMATS_JSON_TREE_H
#define CRD_TABLE_FORMATS_JSON_TREE_H

#include "base/context.h"
#include "table/formats/json.h"

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
