/* SPDX-License-Identifier: MIT */
/* failing_memory.h - for tests with one context: its memory runs out after as many allocations as the test says. */
#ifndef CRD_TESTS_FAILING_MEMORY_H
#define CRD_TESTS_FAILING_MEMORY_H

#include "base/context.h"

#include <stdlib.h>

static crd_context *context;
static long allocations_left = -1; /* before one is refused; negative: none is */

static void *resize(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return realloc(block, bytes);
}

static int set_up(void **state) {
    (void)state;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    return crd_context_create(&options, &context) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return 0;
}

#endif
