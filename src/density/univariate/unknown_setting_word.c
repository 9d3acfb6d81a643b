/* SPDX-License-Identifier: MIT */
/* unknown_setting_word.c - finds out why the value of a setting was rejected: it may contain a word that a later
 * version supports. Such a word is an unknown family name, or a word that is not in the setting's syntax.
 *
 * A word consists of lowercase letters, digits and hyphens and begins with a letter. It is the whole value, or a colon
 * follows it. The known words of a setting are the words of its syntax string. */
#include "density/univariate/family.h"
#include "settings/list_items.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static bool setting_word_is_letter(char byte) {
    return byte >= 'a' && byte <= 'z';
}

/* Returns the word at the beginning of `text`; its length is 0 if there is none. */
static crd_text word_of(crd_text text) {
    crd_text word = {text.bytes, 0};
    if (text.length == 0 || !setting_word_is_letter(text.bytes[0])) return word;
    while (word.length < text.length) {
        char byte = text.bytes[word.length];
        if (!setting_word_is_letter(byte) && !(byte >= '0' && byte <= '9') && byte != '-') break;
        word.length++;
    }
    if (word.length < text.length && text.bytes[word.length] != ':') word.length = 0;
    return word;
}

/* Returns whether one of the alternatives of a syntax string begins with the word. */
static bool setting_word_knows(const char *syntax, crd_text word) {
    for (const char *form = syntax; form != NULL;) {
        if (strncmp(form, word.bytes, word.length) == 0 && memchr("|:[", form[word.length], 4) != NULL) return true;
        form = strchr(form, '|');
        if (form != NULL) form++;
    }
    return false;
}

/* Finds the first unknown family name in a value of the setting `family`. Sets *is_unknown and `quoted`. A value that
 * cannot be split into items is not an error here. */
static crd_status find_family(crd_context *context, crd_text value, char quoted[CRD_I_QUOTED_ROOM], bool *is_unknown,
                              crd_error *error) {
    crd_i_buffer item = {.context = context};
    crd_status status = CRD_OK;
    for (bool more = true; status == CRD_OK && more && !*is_unknown;) {
        status = crd_i_item_next(&value, &item, &more, error);
        crd_text name = {(const char *)item.bytes, item.length};
        for (size_t i = item.length; i > 0 && name.length == item.length; i--) {
            if (item.bytes[i - 1] != '=') continue;
            name.bytes += i;
            name.length -= i;
        }
        crd_text word = item.length == 0 ? name : word_of(name);
        if (status != CRD_OK || word.length == 0 || word.length < name.length) continue;
        *is_unknown = crd_i_family_named(word) == NULL;
        crd_i_quote(word, quoted);
    }
    crd_i_buffer_clear(&item);
    return status == CRD_ERROR_SETTING ? CRD_OK : status;
}

crd_status crd_i_settings_unknown_word(crd_context *context, const crd_setting *setting, crd_text value,
                                       char quoted[CRD_I_QUOTED_ROOM], bool *is_unknown, crd_error *error) {
    *is_unknown = false;
    if (strcmp(setting->name, "family") == 0) return find_family(context, value, quoted, is_unknown, error);
    crd_text word = word_of(value);
    *is_unknown = word.length > 0 && !setting_word_knows(setting->syntax, word);
    if (*is_unknown) crd_i_quote(word, quoted);
    return CRD_OK;
}
