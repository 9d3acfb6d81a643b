/* SPDX-License-Identifier: MIT */
/* fuzz_tokens.c - hostile bytes as a text under any rules: terms lie inside the text, are UTF-8 without NUL, and are those of its
 * bag; and hostile bytes as a bag. */
#include "fuzz.h"

#include "base/text.h"
#include "text/tokens.h"

#include <string.h>

static crd_i_token_rules rules_of(const uint8_t *choices) {
    crd_i_token_rules rules = {(crd_i_token_unit)(choices[0] % 3), choices[0] / 3 % 2 == 0, 1, 1, 0, 0, ""};
    rules.least_ngram = 1 + choices[1] % CRD_I_MOST_NGRAM;
    rules.most_ngram = rules.least_ngram + choices[1] / 8 % (CRD_I_MOST_NGRAM + 1 - rules.least_ngram);
    if (rules.unit == CRD_I_TOKENS_CHARACTERS) return rules;
    rules.sparse_bigrams = choices[2] % (CRD_I_MOST_SPARSE + 1);
    if (choices[2] / 16 % 4 == 1) rules.hash_bits = CRD_I_LEAST_HASH_BITS + choices[2] % 16;
    if (choices[0] / 6 % 4 == 1) strcpy(rules.stemmer, choices[0] / 24 % 2 == 0 ? "english" : "turkish");
    return rules;
}

static size_t read_bag(crd_text bag) {
    crd_i_bag_cursor cursor;
    crd_error error;
    crd_text term;
    uint32_t times;
    size_t all = 0;
    bool more = true;
    crd_status status = crd_i_bag_begin(bag, &cursor, &error);
    while (status == CRD_OK && more) {
        status = crd_i_bag_next(&cursor, &term, &times, &more, &error);
        if (status == CRD_OK && more) all += times;
    }
    return status == CRD_OK ? all : SIZE_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_accounts accounts;
    crd_i_tokenizer *tokenizer = NULL;
    const crd_i_term *terms;
    crd_error error;
    size_t count = 1, all = 0;
    if (size < 3) return 0;
    const crd_text text = {(const char *)data + 3, size - 3};
    const crd_i_token_rules rules = rules_of(data);
    crd_context *context = fuzz_context(&accounts, 0);
    FUZZ_CHECK(crd_i_tokenizer_create(context, &rules, &tokenizer, &error) == CRD_OK);
    FUZZ_CHECK(crd_i_tokenizer_begin(tokenizer, text, &error) == CRD_OK);
    for (; count > 0; all += count) {
        FUZZ_CHECK(crd_i_tokenizer_next(tokenizer, &terms, &count, &error) == CRD_OK && count <= CRD_I_MOST_TERMS);
        for (size_t i = 0; i < count; i++) {
            const crd_text term = {terms[i].bytes, terms[i].length};
            FUZZ_CHECK(term.length > 0 && memchr(term.bytes, '\0', term.length) == NULL && crd_i_utf8_is_valid(term));
            FUZZ_CHECK(terms[i].from < terms[i].to && terms[i].to <= text.length);
        }
    }
    crd_i_buffer bag = {.context = context};
    FUZZ_CHECK(crd_i_bag_encode(tokenizer, text, &bag, &error) == CRD_OK);
    FUZZ_CHECK(read_bag((crd_text){(const char *)bag.bytes, bag.length}) == all);
    read_bag(text);
    crd_i_buffer_clear(&bag);
    crd_i_tokenizer_destroy(tokenizer);
    fuzz_context_end(context, &accounts);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const seeds[] = {
        "\x01\x01\x01 Don't pay 3,141.59 for e\xcc\x81te\xcc\x81, see x.org/a_b",
        "\x02\x09\x01 \xe4\xb8\xad\xe6\x96\x87 abc  \xed\x95\x9c\xea\xb5\xad \xff z",
        "\x06\x11\x02 \xd7\xa6\xd7\x94\"\xd7\x9c STRASSE Stra\xc3\x9f \xe2\x80\x8d\xc2\xa9",
        "\x0c\x38\x17 running away from the blanks",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) emit(user, seeds[i], strlen(seeds[i]));
}
