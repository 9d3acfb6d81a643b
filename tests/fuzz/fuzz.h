/* SPDX-License-Identifier: MIT */
/* fuzz.h - what fuzz targets share: a context that keeps accounts, and a way to stop when a promise is broken.
 *
 * A target is one file with fuzz_seeds and LLVMFuzzerTestOneInput, which the build renames to fuzz_<name>_seeds and
 * fuzz_<name>_input. replay.c feeds all targets their seeds and blind mutations of them for a few seconds in every test run;
 * libFuzzer runs them for longer by hand (scripts/fuzz). */
#ifndef CRD_TESTS_FUZZ_H
#define CRD_TESTS_FUZZ_H

#include <credence/all.h>

#include <stdatomic.h>
#include <stdbool.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Calls `emit` with each input worth starting from. */
typedef void (*fuzz_emit)(void *user, const void *bytes, size_t length);
void fuzz_seeds(fuzz_emit emit, void *user);

/* Stops the run, so that the input is kept, when a promise is broken. */
#define FUZZ_CHECK(promise) ((promise) ? (void)0 : fuzz_broken(#promise, __FILE__, __LINE__))
_Noreturn void fuzz_broken(const char *promise, const char *file, int line);

/* A context whose allocations are counted, by any thread, and of which one can be made to fail. */
typedef struct fuzz_accounts {
    atomic_size_t live;    /* blocks not yet freed */
    atomic_size_t largest; /* bytes of the largest request */
    atomic_ullong ullong;  /* allocations so far */
    uint64_t refuse;       /* the number of the allocation that fails; 0: none does */
} fuzz_accounts;

crd_context *fuzz_context(fuzz_accounts *accounts, uint64_t refuse);
/* Destroys the context and checks that every block came back. */
void fuzz_context_end(crd_context *context, fuzz_accounts *accounts);

/* A running digest of results, to compare two ways of coming by them. */
typedef struct fuzz_digest {
    uint64_t state;
} fuzz_digest;
void fuzz_digest_bytes(fuzz_digest *digest, const void *bytes, size_t length);
void fuzz_digest_text(fuzz_digest *digest, crd_text text);
void fuzz_digest_value(fuzz_digest *digest, crd_value value);

#endif
