/* SPDX-License-Identifier: MIT */
/* terminal.c - see terminal.h. */
#include "core/terminal.h"

#include <credence/all.h>

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 20, WIDEST = 10000 };

static bool is_passed_on;

void terminal_pass_on(void) {
    is_passed_on = true;
}

bool terminal_is(int descriptor) {
    return !is_passed_on && isatty(descriptor);
}

size_t terminal_width(int descriptor) {
    const char *columns = getenv("COLUMNS");
    double stated = 0;
    struct winsize size;
    if (columns != NULL && crd_number_parse(crd_text_of(columns), &stated) == CRD_NUMBER_FINITE &&
        stated >= NARROWEST && stated <= WIDEST)
        return (size_t)stated;
    if (terminal_is(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST)
        return size.ws_col;
    return 0;
}
