/* SPDX-License-Identifier: MIT */
/* json.c - a strict JSON tokenizer (RFC 8259) for bytes in memory, and a parser that builds a tree. See json.h.
 *
 * Contents:
 *   1. Tokenizer
 *   2. Tree */
#include "table/formats/json.h"

#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>
#include <string.h>

/* ======== 1. Tokenizer ======== */

crd_i_json crd_i_json_begin(char *bytes, size_t length, uint64_t line) {
    crd_i_json json = {.cursor = bytes, .end = bytes + length, .line_start = bytes, .line = line, .token = bytes};
    return json;
}

static crd_i_json_token json_fault(crd_i_json *json, const char *cursor, const char *description) {
    json->token = cursor;
    json->fault = description;
    return CRD_I_JSON_FAULT;
}

/* ---- Texts ---- */

/* Reads the four digits of an escape such as \u00e9. false: they are missing. */
static bool read_unit(const char *cursor, const char *end, uint32_t *unit) {
    *unit = 0;
    if (end - cursor < 4) return false;
    for (size_t i = 0; i < 4; i++) {
        char c = cursor[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16) return false;
        *unit = *unit * 16 + digit;
    }
    return true;
}

static char *json_write_utf8(char *destination, uint32_t point) {
    if (point < 0x80) {
        *destination++ = (char)point;
    } else if (point < 0x800) {
        *destination++ = (char)(0xC0 | point >> 6);
        *destination++ = (char)(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        *destination++ = (char)(0xE0 | point >> 12);
        *destination++ = (char)(0x80 | (point >> 6 & 0x3F));
        *destination++ = (char)(0x80 | (point & 0x3F));
    } else {
        *destination++ = (char)(0xF0 | point >> 18);
        *destination++ = (char)(0x80 | (point >> 12 & 0x3F));
        *destination++ = (char)(0x80 | (point >> 6 & 0x3F));
        *destination++ = (char)(0x80 | (point & 0x3F));
    }
    return destination;
}

/* Reads the code point of one escape or of a surrogate pair, after "\u". Returns NULL, or an error message. */
static const char *read_point(const char **cursor, const char *end, uint32_t *point) {
    static const char LONE[] = "half of a surrogate pair";
    uint32_t low;
    if (!read_unit(*cursor, end, point)) return "expected four hexadecimal digits after \\u";
    *cursor += 4;
    if (*point == 0) return "a NUL character";
    if (*point >= 0xDC00 && *point <= 0xDFFF) return LONE;
    if (*point < 0xD800 || *point > 0xDBFF) return NULL;
    if (end - *cursor < 6 || (*cursor)[0] != '\\' || (*cursor)[1] != 'u' || !read_unit(*cursor + 2, end, &low))
        return LONE;
    if (low < 0xDC00 || low > 0xDFFF) return LONE;
    *cursor += 6;
    *point = 0x10000 + ((*point - 0xD800) << 10) + (low - 0xDC00);
    return NULL;
}

/* Reads an escape after its backslash, and writes its meaning, which is never longer. Returns NULL, or an error
 * message. */
static const char *read_escape(const char **sources, const char *end, char **to) {
    static const char SHORT[] = "\"\\/bfnrt", MEANING[] = "\"\\/\b\f\n\r\t";
    if (*sources == end) return "a text is not closed";
    char letter = *(*sources)++;
    if (letter == 'u') {
        uint32_t point;
        const char *wrong = read_point(sources, end, &point);
        if (wrong == NULL) *to = json_write_utf8(*to, point);
        return wrong;
    }
    const char *known = letter == '\0' ? NULL : strchr(SHORT, letter);
    if (known == NULL) return "an escape that JSON does not have";
    *(*to)++ = MEANING[known - SHORT];
    return NULL;
}

/* Reads a text from its opening quote, and decodes it in place. */
static crd_i_json_token json_read_text(crd_i_json *json) {
    char *begin = json->cursor + 1, *destination = begin;
    const char *start = begin;
    for (;;) {
        if (start == json->end) return json_fault(json, json->cursor, "a text opens here and is never closed");
        unsigned char byte = (unsigned char)*start;
        if (byte == '"') break;
        if (byte < 0x20) {
            return json_fault(json, start,
                              byte == '\n' ? "a text is not closed at the end of the line"
                                           : "a control character, which must be escaped");
        }
        if (byte != '\\') {
            *destination++ = *start++;
            continue;
        }
        const char *escape = start++;
        const char *wrong = read_escape(&start, json->end, &destination);
        if (wrong != NULL) return json_fault(json, escape, wrong);
    }
    json->text.bytes = begin;
    json->text.length = (size_t)(destination - begin);
    json->cursor = begin + (start + 1 - begin);
    return CRD_I_JSON_TEXT;
}

/* ---- Numbers, literals and values ---- */

static bool json_is_digit(const char *cursor, const char *end) {
    return cursor < end && *cursor >= '0' && *cursor <= '9';
}

static bool skip_digits(char **cursor, const char *end) {
    char *begin = *cursor;
    while (json_is_digit(*cursor, end)) (*cursor)++;
    return *cursor > begin;
}

static crd_i_json_token json_read_number(crd_i_json *json) {
    static const char WRONG[] = "a number that is not valid JSON";
    char *begin = json->cursor, *cursor = begin, *end = json->end;
    if (cursor < end && *cursor == '-') cursor++;
    if (cursor < end && *cursor == '0') cursor++;
    else if (!skip_digits(&cursor, end)) return json_fault(json, begin, WRONG);
    if (cursor < end && *cursor == '.') {
        cursor++;
        if (!skip_digits(&cursor, end)) return json_fault(json, begin, WRONG);
    }
    if (cursor < end && (*cursor == 'e' || *cursor == 'E')) {
        cursor++;
        if (cursor < end && (*cursor == '+' || *cursor == '-')) cursor++;
        if (!skip_digits(&cursor, end)) return json_fault(json, begin, WRONG);
    }
    if (json_is_digit(cursor, end)) return json_fault(json, begin, WRONG);
    json->text.bytes = begin;
    json->text.length = (size_t)(cursor - begin);
    json->cursor = cursor;
    return CRD_I_JSON_NUMBER;
}

static bool json_is_letter(const char *cursor, const char *end) {
    return cursor < end && ((*cursor >= 'a' && *cursor <= 'z') || (*cursor >= 'A' && *cursor <= 'Z'));
}

static crd_i_json_token json_read_word(crd_i_json *json) {
    static const struct {
        const char *word;
        crd_i_json_token token;
    } WORDS[] = {{"true", CRD_I_JSON_TRUE}, {"false", CRD_I_JSON_FALSE}, {"null", CRD_I_JSON_NULL}};
    char *end = json->cursor;
    while (json_is_letter(end, json->end)) end++;
    crd_text word = {json->cursor, (size_t)(end - json->cursor)};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (!crd_text_equal(word, crd_text_of(WORDS[i].word))) continue;
        json->text = word;
        json->cursor = end;
        return WORDS[i].token;
    }
    if (word.length == 0) return json_fault(json, json->cursor, "a character that is not valid JSON");
    bool is_float = crd_text_equal(word, crd_text_of("NaN")) || crd_text_equal(word, crd_text_of("Infinity"));
    return json_fault(json, json->cursor,
                      is_float ? "a number that is not valid JSON: use null for a missing number"
                               : "an unknown word: expected true, false or null");
}

static void skip_gap(crd_i_json *json) {
    for (; json->cursor < json->end; json->cursor++) {
        char byte = *json->cursor;
        if (byte == '\n') {
            json->line++;
            json->line_start = json->cursor + 1;
        } else if (byte != ' ' && byte != '\t' && byte != '\r') {
            return;
        }
    }
}

crd_i_json_token crd_i_json_next(crd_i_json *json) {
    static const char MARKS[] = "{}[]:,";
    skip_gap(json);
    json->token = json->cursor;
    if (json->cursor == json->end) return CRD_I_JSON_END;
    char byte = *json->cursor;
    const char *mark = byte == '\0' ? NULL : strchr(MARKS, byte);
    if (mark != NULL) {
        json->cursor++;
        return (crd_i_json_token)(CRD_I_JSON_OPEN_OBJECT + (mark - MARKS));
    }
    if (byte == '"') return json_read_text(json);
    return byte == '-' || (byte >= '0' && byte <= '9') ? json_read_number(json) : json_read_word(json);
}

/* Returns the name of a token in messages. */
static const char *json_name(crd_i_json_token token) {
    switch (token) {
    case CRD_I_JSON_END: return "the end";
    case CRD_I_JSON_OPEN_OBJECT: return "{";
    case CRD_I_JSON_CLOSE_OBJECT: return "}";
    case CRD_I_JSON_OPEN_ARRAY: return "[";
    case CRD_I_JSON_CLOSE_ARRAY: return "]";
    case CRD_I_JSON_COLON: return "a colon";
    case CRD_I_JSON_COMMA: return "a comma";
    case CRD_I_JSON_TEXT: return "a text";
    case CRD_I_JSON_NUMBER: return "a number";
    case CRD_I_JSON_TRUE: return "true";
    case CRD_I_JSON_FALSE: return "false";
    case CRD_I_JSON_NULL: return "null";
    case CRD_I_JSON_FAULT: break;
    }
    return "a fault";
}

crd_status crd_i_json_fail(const crd_i_json *json, crd_i_json_token json_token, const char *wanted, crd_error *error) {
    size_t byte = (size_t)(json->token - json->line_start) + 1;
    if (json_token == CRD_I_JSON_FAULT) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "%s, at byte %zu", json->fault, byte);
    } else {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "found %s, expected %s, at byte %zu", json_name(json_token), wanted, byte);
    }
    crd_i_error_place(error, NULL, json->line, 0);
    return CRD_ERROR_SYNTAX;
}

/* ======== 2. Tree ======== */

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

/* Reads the items of an array or object, after its opening bracket. */
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
