/* SPDX-License-Identifier: MIT */
/* tokenizer.c - builds terms from runs of tokens. See tokens.h.
 *
 * All tokens are in one buffer, with a space between words. So an n-gram is a part of the buffer, and nothing is
 * copied. Each batch begins with the last tokens of the previous batch, as many as n-grams and pairs reach back. */
#include "text/tokens.h"

#include "base/error.h"
#include "base/hash_key.h"
#include "base/memory.h"
#include "text/ascii_words.h"
#include "text/token_scan.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BEHIND = CRD_I_MOST_NGRAM > CRD_I_MOST_SPARSE ? CRD_I_MOST_NGRAM : CRD_I_MOST_SPARSE };
/* A sparse bigram: two words, and two bytes for each step between them. A hashed term: # and hexadecimal digits. */
enum { PAIR_ROOM = 2 * CRD_I_TOKEN_ROOM + 2 * CRD_I_MOST_SPARSE, HASH_ROOM = 10 };

struct crd_i_tokenizer {
    crd_context *context;
    crd_i_token_rules rules;
    crd_i_token_scan scan;
    crd_i_ascii_words_function *find_words; /* if terms are single words, not hashed or stemmed; otherwise NULL */
    size_t end;                             /* how many tokens terms reach back */
    /* how many tokens are read at a time, so that they have at most CRD_I_MOST_TERMS terms */
    size_t batch;
    size_t token_count;
    crd_i_token *tokens;
    size_t term_count, composed;
    char *composed_bytes; /* bytes of sparse bigrams and hashed terms */
    crd_i_term terms[CRD_I_MOST_TERMS];
};

static bool has_bigrams(const crd_i_token_rules *rules) {
    return rules->least_ngram <= 2 && rules->most_ngram >= 2;
}

/* Returns CRD_ERROR_SETTING if the tokens are characters, but a rule needs words. */
static crd_status check_rules(const crd_i_token_rules *rules, crd_error *error) {
    if (rules->unit != CRD_I_TOKENS_CHARACTERS) return CRD_OK;
    const char *name = rules->sparse_bigrams > 0 ? "sparse-bigrams" : "stem";
    if (rules->sparse_bigrams == 0 && rules->stemmer[0] == '\0') return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "%s needs words, and tokens is characters", name);
    crd_i_error_subject(error, crd_text_of(name));
    return CRD_ERROR_SETTING;
}

crd_status crd_i_tokenizer_create(crd_context *context, const crd_i_token_rules *rules, crd_i_tokenizer **out,
                                  crd_error *error) {
    *out = NULL;
    crd_status status = check_rules(rules, error);
    if (status != CRD_OK) return status;
    crd_i_tokenizer *tokenizer = crd_i_alloc(context, 1, sizeof *tokenizer);
    if (tokenizer == NULL) return crd_i_fail_memory(error);
    memset(tokenizer, 0, offsetof(crd_i_tokenizer, terms));
    tokenizer->context = context;
    tokenizer->rules = *rules;
    tokenizer->scan.unit = rules->unit;
    tokenizer->scan.normal.fold_case = rules->fold_case;
    bool is_plain = rules->unit == CRD_I_TOKENS_WORDS && rules->most_ngram == 1 && rules->sparse_bigrams == 0 &&
                    rules->hash_bits == 0 && rules->stemmer[0] == '\0';
    if (is_plain) tokenizer->find_words = crd_i_ascii_words_simd() ? crd_i_ascii_words_simd() : crd_i_ascii_words_plain;
    unsigned pairs = rules->sparse_bigrams - (rules->sparse_bigrams > 0 && has_bigrams(rules) ? 1 : 0);
    size_t each = rules->most_ngram - rules->least_ngram + 1 + pairs;
    tokenizer->end = rules->most_ngram - 1 > rules->sparse_bigrams ? rules->most_ngram - 1 : rules->sparse_bigrams;
    tokenizer->batch = CRD_I_MOST_TERMS / each;
    tokenizer->tokens = crd_i_alloc(context, tokenizer->end + tokenizer->batch, sizeof *tokenizer->tokens);
    size_t capacity = (tokenizer->end + tokenizer->batch) * (CRD_I_TOKEN_ROOM + 1) + CRD_I_TERM_PADDING;
    tokenizer->scan.buffer = crd_i_alloc(context, capacity, 1);
    size_t composed =
        rules->hash_bits > 0 ? HASH_ROOM * CRD_I_MOST_TERMS + PAIR_ROOM : PAIR_ROOM * pairs * tokenizer->batch;
    if (composed > 0) tokenizer->composed_bytes = crd_i_alloc_zeroed(context, composed + CRD_I_TERM_PADDING, 1);
    if (tokenizer->tokens == NULL || tokenizer->scan.buffer == NULL ||
        (composed > 0 && tokenizer->composed_bytes == NULL))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK && rules->stemmer[0] != '\0')
        status = crd_i_stemmer_create(context, rules->stemmer, &tokenizer->scan.stemmer, error);
    if (status != CRD_OK) {
        crd_i_tokenizer_destroy(tokenizer);
        return status;
    }
    *out = tokenizer;
    return CRD_OK;
}

void crd_i_tokenizer_destroy(crd_i_tokenizer *tokenizer) {
    if (tokenizer == NULL) return;
    crd_i_stemmer_destroy(tokenizer->scan.stemmer);
    crd_free(tokenizer->context, tokenizer->tokens);
    crd_free(tokenizer->context, tokenizer->scan.buffer);
    crd_free(tokenizer->context, tokenizer->composed_bytes);
    crd_free(tokenizer->context, tokenizer);
}

crd_status crd_i_tokenizer_begin(crd_i_tokenizer *tokenizer, crd_text text, crd_error *error) {
    (void)error;
    tokenizer->scan.text = text;
    tokenizer->scan.index = 0;
    tokenizer->scan.used = 0;
    tokenizer->token_count = 0;
    return CRD_OK;
}

/* ---- Terms of tokens ---- */

/* Returns the hash bucket of a term: FNV-1a with an additional mixing step. The bucket is part of the model, so the
 * hash must be the same on every machine. */
static uint64_t bucket_of(const char *bytes, size_t length, unsigned bits) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return crd_i_hash_scatter(hash) >> (64 - bits);
}

/* Adds a term, or the name of its bucket if terms are hashed. */
static void tokenizer_add_term(crd_i_tokenizer *t, const char *bytes, size_t length, size_t first, size_t limit) {
    if (t->rules.hash_bits > 0) {
        static const char digits[] = "0123456789abcdef";
        uint64_t bucket = bucket_of(bytes, length, t->rules.hash_bits);
        char *cursor = t->composed_bytes + t->composed;
        size_t width = (t->rules.hash_bits + 3) / 4;
        cursor[0] = '#';
        for (size_t i = 0; i < width; i++) cursor[1 + i] = digits[bucket >> 4 * (width - 1 - i) & 15];
        t->composed += HASH_ROOM;
        bytes = cursor;
        length = 1 + width;
    }
    t->terms[t->term_count++] = (crd_i_term){bytes, (uint32_t)length, first, limit};
}

/* Adds a sparse bigram, for example "a * b" for two words with one word between them. */
static void tokenizer_add_pair(crd_i_tokenizer *t, const crd_i_token *first, const crd_i_token *second,
                               size_t distance) {
    char *begin = t->composed_bytes + t->composed, *cursor = begin;
    const char *words = t->scan.buffer;
    memcpy(cursor, words + first->begin, first->end - first->begin);
    cursor += first->end - first->begin;
    for (size_t i = 1; i < distance; i++) memcpy(cursor + 2 * (i - 1), " *", 2);
    cursor += 2 * (distance - 1);
    *cursor++ = ' ';
    memcpy(cursor, words + second->begin, second->end - second->begin);
    cursor += second->end - second->begin;
    /* A hashed bigram needs no memory, because only the number of its bucket is stored. */
    if (t->rules.hash_bits == 0) t->composed += (size_t)(cursor - begin);
    tokenizer_add_term(t, begin, (size_t)(cursor - begin), first->first, second->limit);
}

/* Adds all terms that end with token `last`. */
static void add_terms(crd_i_tokenizer *t, size_t last) {
    const crd_i_token *end = &t->tokens[last];
    for (size_t n = t->rules.least_ngram; n <= t->rules.most_ngram && n <= last + 1; n++) {
        const crd_i_token *begin = &t->tokens[last + 1 - n];
        const char *bytes = t->scan.buffer + begin->begin;
        size_t length = end->end - begin->begin;
        bool is_gap = t->rules.unit == CRD_I_TOKENS_CHARACTERS && length == 1 && *bytes == ' ';
        if (!is_gap) tokenizer_add_term(t, bytes, length, begin->first, end->limit);
    }
    for (size_t d = has_bigrams(&t->rules) ? 2 : 1; d <= t->rules.sparse_bigrams && d <= last; d++)
        tokenizer_add_pair(t, &t->tokens[last - d], end, d);
}

/* Drops the tokens that no later term can reach back to. */
static void drop_tokens(crd_i_tokenizer *t) {
    size_t kept = t->token_count < t->end ? t->token_count : t->end, first = t->token_count - kept;
    uint32_t begin = kept == 0 ? t->scan.used : t->tokens[first].begin;
    memmove(t->scan.buffer, t->scan.buffer + begin, t->scan.used - begin);
    for (size_t i = 0; i < kept; i++) {
        t->tokens[i] = t->tokens[first + i];
        t->tokens[i].begin -= begin;
        t->tokens[i].end -= begin;
    }
    t->scan.used -= begin;
    t->token_count = kept;
}

/* Reads terms that are single words: ASCII words many at a time, and the words between them one by one. */
static crd_status next_words(crd_i_tokenizer *t, size_t *count, crd_error *error) {
    crd_i_token_scan *scan = &t->scan;
    crd_i_token token;
    size_t fresh = 1;
    scan->used = 0;
    while (*count < CRD_I_MOST_TERMS && scan->index < scan->text.length && fresh > 0) {
        size_t written;
        *count += t->find_words(scan->text, scan->normal.fold_case, &scan->index, scan->buffer + scan->used, &written,
                                t->terms + *count, CRD_I_MOST_TERMS - *count);
        scan->used += (uint32_t)written;
        if (*count == CRD_I_MOST_TERMS || scan->index == scan->text.length) break;
        crd_status status = crd_i_token_scan_next(scan, &token, 1, &fresh, error);
        if (status != CRD_OK) return status;
        if (fresh > 0)
            t->terms[(*count)++] =
                (crd_i_term){scan->buffer + token.begin, token.end - token.begin, token.first, token.limit};
    }
    return CRD_OK;
}

crd_status crd_i_tokenizer_next(crd_i_tokenizer *tokenizer, const crd_i_term **terms, size_t *count, crd_error *error) {
    *terms = tokenizer->terms;
    *count = 0;
    if (tokenizer->find_words != NULL) return next_words(tokenizer, count, error);
    for (size_t fresh = 1; *count == 0 && fresh > 0;) {
        drop_tokens(tokenizer);
        size_t first = tokenizer->token_count;
        crd_status status =
            crd_i_token_scan_next(&tokenizer->scan, tokenizer->tokens + first, tokenizer->batch, &fresh, error);
        if (status != CRD_OK) return status;
        tokenizer->token_count += fresh;
        tokenizer->term_count = tokenizer->composed = 0;
        for (size_t i = first; i < first + fresh; i++) add_terms(tokenizer, i);
        *count = tokenizer->term_count;
    }
    return CRD_OK;
}
