/* SPDX-License-Identifier: MIT */
/* text_settings.c - tokenization settings: parses values that are not fixed words, and checks that these settings do
 * not change after training. */
#include "settings/settings_internal.h"

#include "base/error.h"
#include "text/stemmer.h"

#include <string.h>

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
