/* SPDX-License-Identifier: MIT */
/* json_tree.c - see json_tree.h. */
#include "table/formats/json_tree.h"

#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

enum { MOST_MEMBERS = 64, DEEPEST = 16 };

typedef struct tree_parser {
    crd_i_json json;
    crd_i_json_tree tree;
} tree_parser;

static crd_status json_tree_fail(const tree_parser *p, crd_status status, const char *description, crd_text text,
                                 crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, description, crd_i_quote(text, quoted));
    crd_i_error_place(error, NULL, p->json.line, 0);
    return status;
}

static crd_status check_key(const tree_parser *p, size_t object, crd_text key, crd_error *error) {
    const crd_i_json_node *node = &p->tree.nodes[object];
    if (node->count == MOST_MEMBERS)
        return json_tree_fail(p, CRD_ERROR_SYNTAX, "an object has too many members: '%s' exceeds the maximum", key,
                              error);
    if (node->count > 0)
        for (const crd_i_json_node *json_node = node + 1; json_node != NULL;
             json_node = json_node->next == 0 ? NULL : &p->tree.nodes[json_node->next])
            if (crd_text_equal(json_node->key, key))
                return json_tree_fail(p, CRD_ERROR_SYNTAX, "'%s' occurs twice in one object", key, error);
    return CRD_OK;
}

static crd_status json_tree_read_value(tree_parser *p, crd_i_json_token token, crd_text key, unsigned depth,
                                       crd_error *error);

/* What stands between brackets, the opening one being read. */
static crd_status read_container(tree_parser *p, size_t index, bool is_object, unsigned depth, crd_error *error) {
    const crd_i_json_token close = is_object ? CRD_I_JSON_CLOSE_OBJECT : CRD_I_JSON_CLOSE_ARRAY;
    crd_i_json_token token = crd_i_json_next(&p->json);
    crd_status status = CRD_OK;
    if (depth == DEEPEST)
        return json_tree_fail(p, CRD_ERROR_SYNTAX, "brackets are nested too deeply%s", crd_text_of(""), error);
    for (size_t before = 0; token != close || before != 0;) {
        crd_text key = {NULL, 0};
        if (is_object) {
            if (token != CRD_I_JSON_TEXT) return crd_i_json_fail(&p->json, token, "a key in quotes", error);
            key = p->json.text;
            status = check_key(p, index, key, error);
            if (status != CRD_OK) return status;
            token = crd_i_json_next(&p->json);
            if (token != CRD_I_JSON_COLON) return crd_i_json_fail(&p->json, token, "a colon", error);
            token = crd_i_json_next(&p->json);
        }
        const size_t place = p->tree.count;
        status = json_tree_read_value(p, token, key, depth + 1, error);
        if (status != CRD_OK) return status;
        if (before != 0) p->tree.nodes[before].next = place;
        before = place;
        p->tree.nodes[index].count++;
        token = crd_i_json_next(&p->json);
        if (token == close) return CRD_OK;
        if (token != CRD_I_JSON_COMMA) return crd_i_json_fail(&p->json, token, "a comma or the end", error);
        token = crd_i_json_next(&p->json);
        if (token == close) return crd_i_json_fail(&p->json, token, "a value", error);
    }
    return CRD_OK;
}

static crd_status json_tree_read_value(tree_parser *p, crd_i_json_token token, crd_text key, unsigned depth,
                                       crd_error *error) {
    crd_i_json_tree *tree = &p->tree;
    const bool is_container = token == CRD_I_JSON_OPEN_OBJECT || token == CRD_I_JSON_OPEN_ARRAY;
    const bool is_value = is_container || token == CRD_I_JSON_TEXT || token == CRD_I_JSON_NUMBER ||
                          token == CRD_I_JSON_TRUE || token == CRD_I_JSON_FALSE || token == CRD_I_JSON_NULL;
    if (!is_value) return crd_i_json_fail(&p->json, token, "a value", error);
    if (tree->count >= UINT32_MAX ||
        !crd_i_reserve(tree->context, &tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes))
        return crd_i_fail_memory(error);
    const size_t index = tree->count++;
    const crd_i_json_node node = {.type = token, .line = p->json.line, .key = key, .text = p->json.text};
    tree->nodes[index] = node;
    if (is_container) return read_container(p, index, token == CRD_I_JSON_OPEN_OBJECT, depth, error);
    if (token != CRD_I_JSON_NUMBER) return CRD_OK;
    if (crd_number_parse(p->json.text, &tree->nodes[index].number) == CRD_NUMBER_FINITE) return CRD_OK;
    return json_tree_fail(p, CRD_ERROR_NUMBER, "'%s' is out of the range of numbers", p->json.text, error);
}

crd_status crd_i_json_tree_read(crd_context *context, char *bytes, size_t length, crd_i_json_tree *out,
                                crd_error *error) {
    tree_parser p = {crd_i_json_begin(bytes, length, 1), {.context = context}};
    const crd_i_json_tree none = {.context = context};
    crd_text nothing = {NULL, 0};
    crd_status status = json_tree_read_value(&p, crd_i_json_next(&p.json), nothing, 0, error);
    if (status == CRD_OK) {
        const crd_i_json_token token = crd_i_json_next(&p.json);
        if (token != CRD_I_JSON_END) status = crd_i_json_fail(&p.json, token, "the end of the file", error);
    }
    *out = p.tree;
    if (status == CRD_OK) return CRD_OK;
    crd_i_json_tree_clear(out);
    *out = none;
    return status;
}

void crd_i_json_tree_clear(crd_i_json_tree *tree) {
    crd_free(tree->context, tree->nodes);
    tree->nodes = NULL;
    tree->count = tree->capacity = 0;
}

const crd_i_json_node *crd_i_json_tree_first(const crd_i_json_node *node) {
    return node->count == 0 ? NULL : node + 1;
}

const crd_i_json_node *crd_i_json_tree_next(const crd_i_json_tree *tree, const crd_i_json_node *node) {
    return node->next == 0 ? NULL : &tree->nodes[node->next];
}

const crd_i_json_node *crd_i_json_tree_member(const crd_i_json_tree *tree, const crd_i_json_node *node,
                                              const char *key) {
    const crd_text wanted = crd_text_of(key);
    for (const crd_i_json_node *json_node = crd_i_json_tree_first(node); json_node != NULL;
         json_node = crd_i_json_tree_next(tree, json_node))
        if (crd_text_equal(json_node->key, wanted)) return json_node;
    return NULL;
}
