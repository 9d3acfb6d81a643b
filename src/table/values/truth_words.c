/* SPDX-License-Identifier: MIT */
/* truth_words.c - see column_format.h. */
#include "table/values/column_format.h"

#include <string.h>

static void set_word(crd_i_truth_words *words, bool value, crd_text text) {
    memcpy(words->words[value], text.bytes, text.length);
    words->words[value][text.length] = '\0';
}

/* Finds the pair of words. The words of column_format.h are in pairs, whose first word is true. */
static bool find_pair(const crd_i_dictionary *values, crd_i_truth_words *words) {
    if (crd_i_dictionary_size(values) != 2) return false;
    const crd_text texts[2] = {crd_i_dictionary_text(values, 0), crd_i_dictionary_text(values, 1)};
    const size_t result[2] = {crd_i_boolean_word(texts[0]), crd_i_boolean_word(texts[1])};
    if (result[0] == CRD_I_BOOLEAN_WORDS || result[1] == CRD_I_BOOLEAN_WORDS || (result[0] ^ result[1]) != 1)
        return false;
    for (size_t i = 0; i < 2; i++) set_word(words, result[i] % 2 == 0, texts[i]);
    words->is_exact = true;
    return true;
}

static bool find_spelling(const crd_i_dictionary *values, crd_i_truth_words *words) {
    static const char *const SPELLINGS[][2] = {{"false", "true"}, {"FALSE", "TRUE"}, {"False", "True"}};
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof *SPELLINGS; i++) {
        const crd_text no = crd_text_of(SPELLINGS[i][0]), yes = crd_text_of(SPELLINGS[i][1]);
        if (crd_i_dictionary_find(values, no) < 0 && crd_i_dictionary_find(values, yes) < 0) continue;
        set_word(words, false, no);
        set_word(words, true, yes);
        return true;
    }
    return false;
}

crd_i_truth_words crd_i_truth_words_of(const crd_i_dictionary *values) {
    crd_i_truth_words words = {.is_exact = false};
    if (values != NULL && !find_pair(values, &words)) (void)find_spelling(values, &words);
    return words;
}

crd_text crd_i_truth_word(const crd_i_truth_words *words, bool value) {
    if (words == NULL || words->words[value][0] == '\0') return crd_text_of(value ? "true" : "false");
    return crd_text_of(words->words[value]);
}

crd_text crd_i_truth_words_match(const crd_i_truth_words *words, crd_text text) {
    if (words == NULL || !words->is_exact) return text;
    const size_t word = crd_i_boolean_word(text);
    if (word == CRD_I_BOOLEAN_WORDS) return text;
    const crd_text known = crd_i_truth_word(words, word % 2 == 0);
    return crd_i_boolean_word(known) == word ? known : text;
}

int32_t crd_i_find_value(const crd_i_dictionary *values, crd_text text) {
    const int32_t found = crd_i_dictionary_find(values, text);
    if (found >= 0 || crd_i_boolean_word(text) == CRD_I_BOOLEAN_WORDS) return found;
    const crd_i_truth_words words = crd_i_truth_words_of(values);
    return crd_i_dictionary_find(values, crd_i_truth_words_match(&words, text));
}
