/* SPDX-License-Identifier: MIT */
/* messages.c - see messages.h. */
#include "core/messages.h"

#include <stdio.h>

static bool quiet;
static void (*before_message)(void);
static bool is_held;
static string held;

void message_be_quiet(void) {
    quiet = true;
}

bool message_is_quiet(void) {
    return quiet;
}

void message_hold(void) {
    is_held = true;
}

void message_release(void) {
    is_held = false;
    fwrite(held.bytes, 1, held.length, stderr);
    string_free(&held);
}

crd_text message_held(void) {
    return (crd_text){held.bytes, held.length};
}

void message_pass_on(crd_text messages) {
    if (before_message != NULL) before_message();
    fwrite(messages.bytes, 1, messages.length, stderr);
}

void message_call_before(void (*callback)(void)) {
    before_message = callback;
}

/* One write a message, so that lines of commands side by side do not mix. What a terminal might take for its own, as
 * the name of a file may hold it, is escaped. */
static void say(const char *opening, const char *format, va_list values) {
    string line = {0}, text = {0};
    string_format_list(&text, format, values);
    string_format(&line, "%s", opening);
    string_add_shown(&line, (crd_text){string_text(&text), text.length});
    string_add_char(&line, '\n');
    if (is_held) {
        string_add(&held, line.bytes, line.length);
    } else {
        if (before_message != NULL) before_message();
        fwrite(line.bytes, 1, line.length, stderr);
    }
    string_free(&text);
    string_free(&line);
}

void message_note(const char *format, ...) {
    if (quiet) return;
    va_list values;
    va_start(values, format);
    say("credence: ", format, values);
    va_end(values);
}

void message_warning(const char *format, ...) {
    if (quiet) return;
    va_list values;
    va_start(values, format);
    say("credence: warning: ", format, values);
    va_end(values);
}

void message_hint(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("credence: hint: ", format, values);
    va_end(values);
}

int message_failed(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("credence: ", format, values);
    va_end(values);
    return ENDED_FAILED;
}

int message_usage(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("credence: ", format, values);
    va_end(values);
    return ENDED_USAGE;
}
