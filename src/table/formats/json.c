/* SPDX-License-Identifier: MIT */
/* json.c - see json.h. */
#include "table/formats/json.h"

#include <string.h>

crd_i_json crd_i_json_begin(char *bytes, size_t length, uint64_t line) {
    crd_i_json json = {.at = bytes, .end = bytes + length, .line_start = bytes, .line = line, .token = bytes};
    return json;
}

static crd_i_json_token fault(crd_i_json *json, const char *at, const char *what) {
    json->token = at;
    json->fault = what;
    return CRD_I_JSON_FAULT;
}

/* ---- Texts ---- */

/* The four digits of an escape such as \u00e9; false where they are not there. */
static bool read_unit(const char *at, const char *end, uint32_t *unit) {
    *unit = 0;
    if (end - at < 4) return false;
    for (size_t i = 0; i < 4; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16) return false;
        *unit = *unit * 16 + digit;
    }
    return true;
}

static char *write_utf8(char *to, uint32_t point) {
    if (point < 0x80) {
        *to++ = (char)point;
    } else if (point < 0x800) {
        *to++ = (char)(0xC0 | point >> 6);
        *to++ = (char)(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        *to++ = (char)(0xE0 | point >> 12);
        *to++ = (char)(0x80 | (point >> 6 & 0x3F));
        *to++ = (char)(0x80 | (point & 0x3F));
    } else {
        *to++ = (char)(0xF0 | point >> 18);
        *to++ = (char)(0x80 | (point >> 12 & 0x3F));
        *to++ = (char)(0x80 | (point >> 6 & 0x3F));
        *to++ = (char)(0x80 | (point & 0x3F));
    }
    return to;
}

/* Behind "\u": the code point of one escape or of a pair, and *at behind it. NULL, or what is wrong. */
static const char *read_point(const char **at, const char *end, uint32_t *point) {
    static const char LONE[] = "half of a surrogate pair";
    uint32_t low;
    if (!read_unit(*at, end, point)) return "four hexadecimal digits must follow \\u";
    *at += 4;
    if (*point == 0) return "a NUL character";
    if (*point >= 0xDC00 && *point <= 0xDFFF) return LONE;
    if (*point < 0xD800 || *point > 0xDBFF) return NULL;
    if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' || !read_unit(*at + 2, end, &low)) return LONE;
    if (low < 0xDC00 || low > 0xDFFF) return LONE;
    *at += 6;
    *point = 0x10000 + ((*point - 0xD800) << 10) + (low - 0xDC00);
    return NULL;
}

/* One escape, *from behind its backslash; what it means to *to, which is never longer. NULL, or what is wrong. */
static const char *read_escape(const char **from, const char *end, char **to) {
    static const char SHORT[] = "\"\\/bfnrt", MEANING[] = "\"\\/\b\f\n\r\t";
    if (*from == end) return "a text is not closed";
    char letter = *(*from)++;
    if (letter == 'u') {
        uint32_t point;
        const char *wrong = read_point(from, end, &point);
        if (wrong == NULL) *to = write_utf8(*to, point);
        return wrong;
    }
    const char *known = letter == '\0' ? NULL : strchr(SHORT, letter);
    if (known == NULL) return "an escape that JSON does not have";
    *(*to)++ = MEANING[known - SHORT];
    return NULL;
}

/* At the opening quote. */
static crd_i_json_token read_text(crd_i_json *json) {
    char *begin = json->at + 1, *to = begin;
    const char *from = begin;
    for (;;) {
        if (from == json->end) return fault(json, json->at, "a text is opened here and never closed");
        unsigned char byte = (unsigned char)*from;
        if (byte == '"') break;
        if (byte < 0x20) {
            return fault(json, from,
                         byte == '\n' ? "a text ends with the line: it is not closed"
                                      : "a control character, which must be written as an escape");
        }
        if (byte != '\\') {
            *to++ = *from++;
            continue;
        }
        const char *escape = from++;
        const char *wrong = read_escape(&from, json->end, &to);
        if (wrong != NULL) return fault(json, escape, wrong);
    }
    json->text.bytes = begin;
    json->text.length = (size_t)(to - begin);
    json->at = begin + (from + 1 - begin);
    return CRD_I_JSON_TEXT;
}

/* ---- Everything else ---- */

static bool is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

static bool skip_digits(char **at, const char *end) {
    char *begin = *at;
    while (is_digit(*at, end)) (*at)++;
    return *at > begin;
}

static crd_i_json_token read_number(crd_i_json *json) {
    static const char WRONG[] = "a number that is not written as JSON has them";
    char *begin = json->at, *at = begin, *end = json->end;
    if (at < end && *at == '-') at++;
    if (at < end && *at == '0') at++;
    else if (!skip_digits(&at, end)) return fault(json, begin, WRONG);
    if (at < end && *at == '.') {
        at++;
        if (!skip_digits(&at, end)) return fault(json, begin, WRONG);
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (!skip_digits(&at, end)) return fault(json, begin, WRONG);
    }
    if (is_digit(at, end)) return fault(json, begin, WRONG);
    json->text.bytes = begin;
    json->text.length = (size_t)(at - begin);
    json->at = at;
    return CRD_I_JSON_NUMBER;
}

static bool is_letter(const char *at, const char *end) {
    return at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'));
}

static crd_i_json_token read_word(crd_i_json *json) {
    static const struct {
        const char *word;
        crd_i_json_token token;
    } WORDS[] = {{"true", CRD_I_JSON_TRUE}, {"false", CRD_I_JSON_FALSE}, {"null", CRD_I_JSON_NULL}};
    char *end = json->at;
    while (is_letter(end, json->end)) end++;
    crd_text word = {json->at, (size_t)(end - json->at)};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (!crd_text_equal(word, crd_text_of(WORDS[i].word))) continue;
        json->text = word;
        json->at = end;
        return WORDS[i].token;
    }
    if (word.length == 0) return fault(json, json->at, "a character that has no place in JSON");
    bool is_float = crd_text_equal(word, crd_text_of("NaN")) || crd_text_equal(word, crd_text_of("Infinity"));
    return fault(json, json->at,
                 is_float ? "a number that JSON does not have: a missing one is null"
                          : "a word that is none of true, false and null");
}

static void skip_gap(crd_i_json *json) {
    for (; json->at < json->end; json->at++) {
        char byte = *json->at;
        if (byte == '\n') {
            json->line++;
            json->line_start = json->at + 1;
        } else if (byte != ' ' && byte != '\t' && byte != '\r') {
            return;
        }
    }
}

crd_i_json_token crd_i_json_next(crd_i_json *json) {
    static const char MARKS[] = "{}[]:,";
    skip_gap(json);
    json->token = json->at;
    if (json->at == json->end) return CRD_I_JSON_END;
    char byte = *json->at;
    const char *mark = byte == '\0' ? NULL : strchr(MARKS, byte);
    if (mark != NULL) {
        json->at++;
        return (crd_i_json_token)(CRD_I_JSON_OPEN_OBJECT + (mark - MARKS));
    }
    if (byte == '"') return read_text(json);
    return byte == '-' || (byte >= '0' && byte <= '9') ? read_number(json) : read_word(json);
}

/* What a token is called in a message. */
static const char *name_of(crd_i_json_token token) {
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

crd_status crd_i_json_fail(const crd_i_json *json, crd_i_json_token found, const char *wanted, crd_error *error) {
    size_t byte = (size_t)(json->token - json->line_start) + 1;
    if (found == CRD_I_JSON_FAULT) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "%s, at byte %zu", json->fault, byte);
    } else {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "%s where %s must be, at byte %zu", name_of(found), wanted, byte);
    }
    crd_i_error_place(error, NULL, json->line, 0);
    return CRD_ERROR_SYNTAX;
}
