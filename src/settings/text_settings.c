/* SPDX-License-Identifier: MIT */
/* text_settings.c - settings for texts: parses values that are not fixed words, and checks that tokenization settings
 * do not change after training.
 *
 * Contents:
 *   1. Tokenization
 *   2. Terms of a text
 *   3. Stop words
 *   4. Mail messages */
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "settings/settings_internal.h"
#include "text/tokens.h"

#include <credence/credence.h>
#include <string.h>

/* ======== 1. Tokenization ======== */

static const crd_i_setting_index counting[] = {CRD_I_SETTING_TOKENS, CRD_I_SETTING_LETTER_CASE,    CRD_I_SETTING_STEM,
                                               CRD_I_SETTING_NGRAMS, CRD_I_SETTING_SPARSE_BIGRAMS, CRD_I_SETTING_HASH};

bool crd_i_ngrams_parse(crd_i_token_rules *rules, crd_text text) {
    bool is_range = text.length == 3 && text.bytes[1] == '-';
    if (!is_range && text.length != 1) return false;
    unsigned least = (unsigned)(unsigned char)text.bytes[0] - '0';
    unsigned most = (unsigned)(unsigned char)text.bytes[text.length - 1] - '0';
    if (least < 1 || most > CRD_I_MOST_NGRAM || least > most) return false;
    rules->least_ngram = least;
    rules->most_ngram = most;
    return true;
}

/* Parses the language of the stemmer. Languages that this build does not support are rejected. A build without Snowball
 * accepts any name made of letters, because a model file may contain it, and fails when texts are to be counted. */
crd_status crd_i_stem_parse(crd_settings *settings, crd_text text, crd_error *error) {
    bool fits = text.length > 0 && text.length < sizeof settings->token_rules.stemmer;
    for (size_t i = 0; fits && i < text.length; i++)
        fits = (text.bytes[i] >= 'a' && text.bytes[i] <= 'z') || text.bytes[i] == '_';
    char name[sizeof settings->token_rules.stemmer] = "";
    if (fits) memcpy(name, text.bytes, text.length);
    if (!fits || (crd_i_stemmer_language(0) != NULL && !crd_i_stemmer_knows(name))) {
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SETTING, "stem does not accept '%s'; it accepts none", crd_i_quote(text, quoted));
        for (size_t i = 0; crd_i_stemmer_language(i) != NULL; i++)
            crd_i_error_item(error, i + 1, crd_text_of(crd_i_stemmer_language(i)));
        return CRD_ERROR_SETTING;
    }
    memcpy(settings->token_rules.stemmer, name, sizeof name);
    return CRD_OK;
}

crd_i_token_rules crd_i_settings_token_rules(const crd_settings *settings) {
    return settings->token_rules;
}

crd_status crd_i_settings_check_counted(const crd_settings *counted, const crd_settings *stated, crd_error *error) {
    for (size_t i = 0; i < sizeof counting / sizeof *counting; i++) {
        const char *name = crd_setting_at(counting[i])->name;
        const char *was = counted->texts[counting[i]], *is = stated->texts[counting[i]];
        if (strcmp(was, is) == 0) continue;
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "%s cannot be %s: the texts were counted in training with %s, and only their counts are stored",
                   name, is, was);
        crd_i_error_hint(error, "omit this setting, or train again");
        crd_i_error_subject(error, crd_text_of(name));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

/* ======== 2. Terms of a text ========
 *
 * Returns the terms of a text under given settings: see crd_text_terms in credence/credence.h. */

/* Tokenizes the text, and passes each term to `take` until it returns nonzero. */
static crd_status take_terms(crd_context *context, const crd_settings *settings, crd_text text,
                             int (*take)(void *user, const crd_text_term *term), void *user, crd_error *error) {
    const crd_i_token_rules rules = crd_i_settings_token_rules(settings);
    const crd_i_term *terms = NULL;
    crd_i_tokenizer *tokenizer;
    size_t count = 1;
    crd_status status = crd_i_tokenizer_create(context, &rules, &tokenizer, error);
    if (status == CRD_OK) status = crd_i_tokenizer_begin(tokenizer, text, error);
    while (status == CRD_OK && count > 0) {
        status = crd_i_tokenizer_next(tokenizer, &terms, &count, error);
        if (status == CRD_OK && crd_i_context_cancelled(context)) status = crd_i_fail_cancelled(error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            const crd_text_term term = {{terms[i].bytes, terms[i].length}, terms[i].from, terms[i].to};
            if (take(user, &term) != 0) count = 0;
        }
    }
    crd_i_tokenizer_destroy(tokenizer);
    return status;
}

crd_status crd_text_terms(crd_context *context, const crd_settings *settings, crd_text text,
                          int (*take)(void *user, const crd_text_term *term), void *user, crd_error *error) {
    crd_settings *defaults = NULL;
    crd_status status = settings != NULL ? CRD_OK : crd_settings_create(context, &defaults, error);
    if (status == CRD_OK) status = take_terms(context, settings != NULL ? settings : defaults, text, take, user, error);
    crd_settings_destroy(defaults);
    return status;
}

/* ======== 3. Stop words ========
 *
 * The setting `stop-words` is a CSV list of words. The canonical text contains each word once, sorted by bytes. */

static bool stop_words_setting_no_numbers(crd_text text, double *value) {
    (void)text;
    *value = 0;
    return false;
}

crd_status crd_i_stop_words_parse(crd_settings *settings, crd_text text, crd_error *error) {
    crd_i_buffer item = {settings->context, NULL, 0, 0};
    settings->stop_rule = CRD_I_STOP_GIVEN;
    settings->stop_words = crd_i_dictionary_create(settings->context);
    crd_status status = settings->stop_words == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&text, &item, &more, error);
        const crd_text view = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK && view.length == 0)
            status = crd_i_fail(error, CRD_ERROR_SETTING, "stop-words lists an empty word");
        if (status == CRD_OK && crd_i_dictionary_add(settings->stop_words, view) < 0) status = crd_i_fail_memory(error);
    }
    crd_i_buffer_clear(&item);
    return status;
}

char *crd_i_stop_words_text(const crd_settings *settings) {
    size_t count = crd_i_dictionary_size(settings->stop_words);
    crd_i_buffer out = {settings->context, NULL, 0, 0};
    int32_t *codes = crd_i_alloc(settings->context, count, sizeof *codes);
    bool done = codes != NULL &&
                crd_i_dictionary_order(settings->stop_words, NULL, stop_words_setting_no_numbers, codes) != SIZE_MAX;
    for (size_t i = 0; done && i < count; i++)
        done = crd_i_item_append_name(&out, i == 0, crd_i_dictionary_text(settings->stop_words, (size_t)codes[i]));
    crd_free(settings->context, codes);
    if (done && crd_i_buffer_append(&out, "", 1)) return (char *)out.bytes;
    crd_i_buffer_clear(&out);
    return NULL;
}

/* ======== 4. Mail messages ========
 *
 * Words of a message occur in bursts and phrases, so repetitions and neighbors of a word add little information.
 * Therefore occurrences count by their logarithm, and a text of n terms is weighted like the square root of n. The
 * fraction of spam changes from week to week, and stored training messages have other fractions than arriving messages.
 * Therefore the prior is uniform. Messages of a kind that was not in the training set contain many unseen words, and
 * their class is uncertain. */

crd_status crd_settings_set_for_mail(crd_settings *settings, crd_error *error) {
    static const char *const values[][2] = {{"prior", "uniform"},
                                            {"tf", "log"},
                                            {"length-normalization", "root"},
                                            {"term-smoothing", "0.1"},
                                            {"calibration", "known-words"}};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < sizeof values / sizeof *values; i++)
        status = crd_settings_set(settings, values[i][0], crd_text_of(values[i][1]), error);
    return status;
}
