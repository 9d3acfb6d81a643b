/* SPDX-License-Identifier: MIT */
/* terminal.c - see terminal.h. */
#include "core/terminal.h"

#include "core/system.h"

#include <credence/all.h>

#include <stdlib.h>

enum { NARROWEST = 20, WIDEST = 10000 };

static bool is_passed_on;

void terminal_pass_on(void) {
    is_passed_on = true;
}

bool terminal_is(int descriptor) {
    return !is_passed_on && system_is_terminal(descriptor);
}

size_t terminal_width(int descriptor) {
    const char *columns = getenv("COLUMNS");
    double stated = 0;
    if (columns != NULL && crd_number_parse(crd_text_of(columns), &stated) == CRD_NUMBER_FINITE &&
        stated >= NARROWEST && stated <= WIDEST)
        return (size_t)stated;
    const size_t width = terminal_is(descriptor) ? system_columns(descriptor) : 0;
    return width >= NARROWEST ? width : 0;
}
