/* SPDX-License-Identifier: MIT */
/* counted_fixture.h - the context of a test program, and the fixture that creates it and checks that nothing leaks. */
#ifndef COUNTED_FIXTURE_H
#define COUNTED_FIXTURE_H

#include "failing_allocations.h"

static crd_context *context;
static allocations counted;

static int set_up(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    context = NULL;
    return counted.live != 0;
}

#endif
