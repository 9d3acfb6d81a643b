/* SPDX-License-Identifier: MIT */
/* support.c - see fuzz.h. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fuzz_broken(const char *promise, const char *file, int line) {
    fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
    abort();
}

/* No input that a fuzzer tries is worth more than this; an allocation beyond it fails. */
enum { MOST_BYTES = 1 << 28 };

static void *resize(void *user, void *block, size_t bytes) {
    fuzz_accounts *accounts = user;
    if (bytes == 0) {
        if (block != NULL) accounts->live--;
        free(block);
        return NULL;
    }
    uint64_t number = ++accounts->ullong;
    size_t largest = accounts->largest;
    while (bytes > largest && !atomic_compare_exchange_weak(&accounts->largest, &largest, bytes)) continue;
    if (number == accounts->refuse || bytes > MOST_BYTES) return NULL;
    void *moved = realloc(block, bytes);
    if (moved != NULL && block == NULL) accounts->live++;
    return moved;
}

crd_context *fuzz_context(fuzz_accounts *accounts, uint64_t refuse) {
    memset(accounts, 0, sizeof *accounts);
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    options.resize_user = accounts;
    crd_context *context = NULL;
    FUZZ_CHECK(crd_context_create(&options, &context) == CRD_OK);
    accounts->refuse = refuse == 0 ? 0 : accounts->ullong + refuse;
    return context;
}

void fuzz_context_end(crd_context *context, fuzz_accounts *accounts) {
    crd_context_destroy(context);
    FUZZ_CHECK(accounts->live == 0);
}

/* FNV-1a: good enough to tell two results apart, and small. */
void fuzz_digest_bytes(fuzz_digest *digest, const void *bytes, size_t length) {
    const unsigned char *cursor = bytes;
    for (size_t i = 0; i < length; i++) digest->state = (digest->state ^ cursor[i]) * UINT64_C(1099511628211);
}

void fuzz_digest_text(fuzz_digest *digest, crd_text text) {
    fuzz_digest_bytes(digest, &text.length, sizeof text.length);
    fuzz_digest_bytes(digest, text.bytes, text.length);
}

void fuzz_digest_value(fuzz_digest *digest, crd_value value) {
    unsigned char kind = (unsigned char)value.type;
    fuzz_digest_bytes(digest, &kind, 1);
    if (value.type == CRD_TYPE_NUMERIC) fuzz_digest_bytes(digest, &value.number, sizeof value.number);
    if (value.type == CRD_TYPE_CATEGORICAL || value.type == CRD_TYPE_TEXT) fuzz_digest_text(digest, value.text);
}
