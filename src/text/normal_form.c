/* SPDX-License-Identifier: MIT */
/* normal_form.c - see normal_form.h.
 *
 * If no character of the part combines with the character before it, folding and composition work character by
 * character, with a cache of results. Otherwise the library normalizes the whole part. */
#include "text/normal_form.h"

#include "base/error.h"
#include "text/unicode.h"

#include <string.h>

/* Looks a non-ASCII character up in the cache, and computes its entry if necessary. A new entry replaces the entry in
 * its slot. */
static crd_status find_character(crd_i_normal_forms *forms, uint32_t character, const char *bytes, size_t length,
                                 const crd_i_known_character **out, crd_error *error) {
    crd_i_known_character *known = &forms->known[character % CRD_I_KNOWN_CHARACTERS];
    *out = known;
    if (known->character == character) return CRD_OK;
    if (!crd_i_unicode_is_there()) {
        crd_i_fail(error, CRD_ERROR_SYNTAX,
                   "a text has non-ASCII characters, which this build cannot process without libunistring");
        return CRD_ERROR_SYNTAX;
    }
    crd_i_known_character known_character = {.combines = crd_i_unicode_combines(character)};
    size_t written = sizeof known_character.bytes;
    crd_status status =
        crd_i_unicode_normalise((crd_text){bytes, length}, forms->fold_case, known_character.bytes, &written, error);
    if (status != CRD_OK) return status;
    known_character.character = character;
    known_character.length = (uint8_t)written;
    *known = known_character;
    return CRD_OK;
}

static size_t normal_form_encode(uint32_t character, char destination[4]) {
    if (character < 0x800) {
        destination[0] = (char)(0xc0 | character >> 6);
        destination[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    size_t length = character < 0x10000 ? 3 : 4;
    destination[0] = (char)((length == 3 ? 0xe0 : 0xf0) | character >> 6 * (length - 1));
    for (size_t i = 1; i < length; i++) destination[i] = (char)(0x80 | (character >> 6 * (length - 1 - i) & 0x3f));
    return length;
}

crd_status crd_i_normal_combines(crd_i_normal_forms *forms, uint32_t character, bool *combines, crd_error *error) {
    char bytes[4];
    const crd_i_known_character *known = NULL;
    *combines = false;
    if (character < 0x80 || character == UINT32_MAX) return CRD_OK;
    crd_status status = find_character(forms, character, bytes, normal_form_encode(character, bytes), &known, error);
    if (status == CRD_OK) *combines = known->combines;
    return status;
}

/* Returns the length in bytes of the first `most` characters. */
static size_t normal_form_cut(const char *bytes, size_t length, size_t most) {
    size_t index = 0;
    if (length <= most) return length;
    for (; index < length; index++)
        if ((bytes[index] & 0xc0) != 0x80 && most-- == 0) break;
    return index;
}

/* Normalizes the whole part with the library. A long run of combining marks on one character is truncated before the
 * library sorts the marks. */
static crd_status normalise_marked(const crd_i_normal_forms *forms, crd_text part, size_t most, char *destination,
                                   size_t *length, crd_error *error) {
    char buffer[CRD_I_TOKEN_ROOM * 3];
    part.length = normal_form_cut(part.bytes, part.length, 2 * most);
    *length = sizeof buffer;
    crd_status status = crd_i_unicode_normalise(part, forms->fold_case, buffer, length, error);
    if (status != CRD_OK) return status;
    *length = normal_form_cut(buffer, *length, most);
    memcpy(destination, buffer, *length);
    return CRD_OK;
}

crd_status crd_i_normal_form(crd_i_normal_forms *forms, crd_text part, size_t most, char *destination, size_t *length,
                             crd_error *error) {
    const unsigned char *bytes = (const unsigned char *)part.bytes;
    size_t written = 0, characters = 0, step;
    *length = 0;
    for (size_t index = 0; index < part.length && characters < most; index += step) {
        uint32_t character = crd_i_unicode_decode(bytes + index, part.length - index, &step);
        if (character < 0x80) {
            bool is_upper = forms->fold_case && character >= 'A' && character <= 'Z';
            destination[written++] = (char)(is_upper ? character | 0x20 : character);
            characters++;
            continue;
        }
        const crd_i_known_character *known;
        crd_status status = find_character(forms, character, part.bytes + index, step, &known, error);
        if (status != CRD_OK) return status;
        if (known->combines) return normalise_marked(forms, part, most, destination, length, error);
        size_t taken = normal_form_cut(known->bytes, known->length, most - characters);
        memcpy(destination + written, known->bytes, taken);
        written += taken;
        for (size_t i = 0; i < taken; i++) characters += (known->bytes[i] & 0xc0) != 0x80;
    }
    *length = written;
    return CRD_OK;
}
