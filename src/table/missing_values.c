/* SPDX-License-Identifier: MIT */
/* missing_values.c - see missing_values.h. */
#include "table/missing_values.h"

#include "math/decimal/decimal.h"

#include <string.h>

/* The na_values of pandas, without texts that differ only in letter case; NA and NaN of R; and ?, which many UCI files
 * use. */
#define TEXT(literal)                                                                                                  \
    { literal, sizeof literal - 1 }
static const crd_text USUAL[] = {
    TEXT(""),     TEXT("#N/A"),   TEXT("#N/A N/A"), TEXT("#NA"),  TEXT("-1.#IND"), TEXT("-1.#QNAN"),
    TEXT("-NaN"), TEXT("1.#IND"), TEXT("1.#QNAN"),  TEXT("<NA>"), TEXT("?"),       TEXT("N/A"),
    TEXT("NA"),   TEXT("NaN"),    TEXT("None"),     TEXT("null"),
};
enum { USUAL_COUNT = sizeof USUAL / sizeof *USUAL, LONGEST_USUAL = 8 };

static char missing_values_lower(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static char missing_values_upper(char byte) {
    return byte >= 'a' && byte <= 'z' ? (char)(byte - ('a' - 'A')) : byte;
}

static bool missing_values_is_same(crd_text a, crd_text b) {
    bool is = a.length == b.length;
    for (size_t i = 0; is && i < a.length; i++)
        is = missing_values_lower(a.bytes[i]) == missing_values_lower(b.bytes[i]);
    return is;
}

const crd_text *crd_i_usual_missing(size_t *count) {
    *count = USUAL_COUNT;
    return USUAL;
}

/* Finds the usual text that equals `text` in any letter case. SIZE_MAX: none. */
static size_t find_usual(crd_text text) {
    for (size_t i = 0; i < USUAL_COUNT && text.length <= LONGEST_USUAL; i++)
        if (missing_values_is_same(USUAL[i], text)) return i;
    return SIZE_MAX;
}

bool crd_i_is_usual_missing(crd_text text) {
    return find_usual(text) != SIZE_MAX;
}

crd_text crd_i_missing_spelling(crd_text text) {
    size_t usual = find_usual(text);
    return usual == SIZE_MAX ? text : USUAL[usual];
}

bool crd_i_missing_is_category(crd_text text) {
    const crd_text none = TEXT("None");
    return missing_values_is_same(text, none) && !crd_text_equal(text, none);
}

bool crd_i_missing_add(crd_i_missing *missing, crd_text text) {
    double number;
    if (missing->any_case && !crd_i_missing_is_category(text)) text = crd_i_missing_spelling(text);
    if (crd_i_dictionary_add(missing->texts, text) < 0) return false;
    if (text.length == 0) {
        missing->has_empty = true;
        return true;
    }
    missing->begins[(unsigned char)text.bytes[0]] = true;
    bool is_usual = crd_i_is_usual_missing(text);
    if (!is_usual) missing->has_listed = true;
    if (missing->any_case && is_usual)
        missing->begins[(unsigned char)missing_values_lower(text.bytes[0])] =
            missing->begins[(unsigned char)missing_values_upper(text.bytes[0])] = true;
    if (crd_i_decimal_parse(text, '.', &number) != CRD_NUMBER_NONE ||
        crd_i_decimal_parse(text, ',', &number) != CRD_NUMBER_NONE)
        missing->has_number = true;
    return true;
}

bool crd_i_missing_set(crd_i_missing *missing, crd_context *context, const crd_text *texts, size_t count,
                       bool any_case) {
    crd_i_missing fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.any_case = any_case;
    fresh.texts = crd_i_dictionary_create(context);
    if (fresh.texts == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        if (!crd_i_missing_add(&fresh, texts[i])) {
            crd_i_missing_clear(&fresh);
            return false;
        }
    }
    crd_i_missing_clear(missing);
    *missing = fresh;
    return true;
}

void crd_i_missing_clear(crd_i_missing *missing) {
    crd_i_dictionary_destroy(missing->texts);
    missing->texts = NULL;
}

static bool is_spared(const crd_i_missing *missing, crd_text text) {
    if (!missing->spares_usual || !missing->any_case || crd_text_equal(text, crd_text_of("?"))) return false;
    return crd_i_is_usual_missing(text);
}

bool crd_i_missing_keeps_label(const crd_i_missing *missing, crd_text text) {
    return missing->spares_usual && missing->any_case && crd_text_equal(text, crd_text_of("?"));
}

bool crd_i_missing_find(const crd_i_missing *missing, crd_text text) {
    if (is_spared(missing, text)) return false;
    if (crd_i_dictionary_find(missing->texts, text) >= 0) return true;
    if (!missing->any_case) return false;
    size_t usual = find_usual(text);
    return usual != SIZE_MAX && crd_i_dictionary_find(missing->texts, USUAL[usual]) >= 0;
}

bool crd_i_missing_find_listed(const crd_i_missing *missing, crd_text text) {
    return !crd_i_is_usual_missing(text) && crd_i_dictionary_find(missing->texts, text) >= 0;
}

bool crd_i_missing_find_category(const crd_i_missing *missing, crd_text text) {
    if (is_spared(missing, text)) return false;
    if (crd_i_missing_is_category(text)) return crd_i_dictionary_find(missing->texts, text) >= 0;
    return crd_i_missing_find(missing, text);
}
