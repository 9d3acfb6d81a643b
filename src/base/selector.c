/* SPDX-License-Identifier: MIT */
/* selector.c - see selector.h. A real name always takes precedence, so you can select items that are named 3, last or
 * a-b. */
#include "base/selector.h"

#include "base/error.h"
#include "base/text.h"

/* Returns the number of bytes of the first UTF-8 character; the text is not empty. An invalid byte counts as one. */
static size_t character_length(crd_text text) {
    size_t length = 1;
    while (length < text.length && ((unsigned char)text.bytes[length] & 0xC0) == 0x80) length++;
    return length;
}

static crd_text text_behind(crd_text text, size_t count) {
    crd_text view = {text.bytes + count, text.length - count};
    return view;
}

/* Matches a glob. On a mismatch only the last star retries, one character further. That is sufficient, because the
 * last star can absorb anything an earlier star could. */
bool crd_i_selector_matches(crd_text pattern, crd_text name) {
    crd_text star_pattern = {NULL, 0}, star_name = {NULL, 0};
    for (;;) {
        if (pattern.length > 0 && pattern.bytes[0] == '*') {
            pattern = text_behind(pattern, 1);
            star_pattern = pattern;
            star_name = name;
        } else if (pattern.length == 0 && name.length == 0) {
            return true;
        } else if (pattern.length > 0 && name.length > 0 && pattern.bytes[0] == '?') {
            pattern = text_behind(pattern, 1);
            name = text_behind(name, character_length(name));
        } else if (pattern.length > 0 && name.length > 0 && pattern.bytes[0] == name.bytes[0]) {
            pattern = text_behind(pattern, 1);
            name = text_behind(name, 1);
        } else {
            if (star_pattern.bytes == NULL || star_name.length == 0) return false;
            star_name = text_behind(star_name, character_length(star_name));
            pattern = star_pattern;
            name = star_name;
        }
    }
}

/* Returns the number that starts at byte `first`; 0: not a number from 1 to `most`. */
static size_t number_of_place(crd_text selector, size_t first, size_t most) {
    size_t number = 0;
    if (selector.length <= first || selector.bytes[first] == '0') return 0;
    for (size_t i = first; i < selector.length; i++) {
        const char digit = selector.bytes[i];
        if (digit < '0' || digit > '9' || number > most) return 0;
        number = 10 * number + (size_t)(digit - '0');
    }
    return number <= most ? number : 0;
}

size_t crd_i_selector_column_number(crd_text selector, size_t count) {
    return selector.length > 1 && selector.bytes[0] == 'c' ? number_of_place(selector, 1, count) : 0;
}

bool crd_i_selector_is_place(crd_text selector, size_t count) {
    return number_of_place(selector, 0, count) > 0 || crd_i_selector_column_number(selector, count) > 0 ||
           crd_text_equal(selector, crd_text_of("first")) || crd_text_equal(selector, crd_text_of("last"));
}

/* Finds a single item by name, "first", "last", or number from 1. SIZE_MAX: not found. */
static size_t find_one(const crd_i_names *names, crd_text selector) {
    size_t named = names->find(names->owner, selector);
    if (named != SIZE_MAX) return named;
    if (crd_text_equal(selector, crd_text_of("first"))) return 0;
    if (crd_text_equal(selector, crd_text_of("last"))) return names->count - 1;
    size_t number = 0;
    for (size_t i = 0; i < selector.length; i++) {
        char digit = selector.bytes[i];
        if (digit < '0' || digit > '9' || number > names->count) return SIZE_MAX;
        number = 10 * number + (size_t)(digit - '0');
    }
    return number >= 1 && number <= names->count ? number - 1 : SIZE_MAX;
}

/* Finds a range. Names may contain hyphens, so it tries each hyphen as the separator. */
static bool find_range(const crd_i_names *names, crd_text selector, size_t *source, size_t *destination) {
    for (size_t i = 1; i + 1 < selector.length; i++) {
        if (selector.bytes[i] != '-') continue;
        crd_text left = {selector.bytes, i};
        *source = find_one(names, left);
        *destination = find_one(names, text_behind(selector, i + 1));
        if (*source != SIZE_MAX && *destination != SIZE_MAX) return true;
    }
    return false;
}

static crd_status fail_select(const crd_i_names *names, crd_text selector, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "unknown %s '%s'; there %s %zu: ", names->description,
               crd_i_quote(selector, shown), names->count == 1 ? "is" : "are", names->count);
    crd_i_error_subject(error, selector);
    for (size_t i = 0; i < names->count; i++) crd_i_error_item(error, i, names->name(names->owner, i));
    return CRD_ERROR_COLUMN;
}

crd_status crd_i_select(const crd_i_names *names, crd_text selector, size_t *result, size_t *count, crd_error *error) {
    *count = 0;
    size_t first = find_one(names, selector), limit = first;
    if (first != SIZE_MAX || find_range(names, selector, &first, &limit)) {
        if (first > limit) {
            char shown[CRD_I_QUOTED_ROOM];
            crd_i_fail(error, CRD_ERROR_COLUMN, "the range '%s' is reversed: %s %zu comes after %s %zu",
                       crd_i_quote(selector, shown), names->description, first + 1, names->description, limit + 1);
            crd_i_error_subject(error, selector);
            return CRD_ERROR_COLUMN;
        }
        for (size_t i = first; i <= limit; i++) result[(*count)++] = i;
        return CRD_OK;
    }
    for (size_t i = 0; i < names->count; i++) {
        if (crd_i_selector_matches(selector, names->name(names->owner, i))) result[(*count)++] = i;
    }
    return *count > 0 ? CRD_OK : fail_select(names, selector, error);
}
