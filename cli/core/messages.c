/* SPDX-License-Identifier: MIT */
/* messages.c - see messages.h. */
#include "core/messages.h"

#include "base/os.h"
#include "core/terminal.h"

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

/* Prints a message in a single write, so messages of parallel commands do not mix. Escapes control characters, which a
 * file name can contain. On a terminal a long message is broken at words; elsewhere it is one line, for other
 * programs. */
static void messages_say(const char *opening, const char *format, va_list values) {
    enum { INDENT = 2 };
    string line = {0}, text = {0}, shown = {0};
    string_format_list(&text, format, values);
    string_format(&shown, "%s", opening);
    string_add_shown(&shown, (crd_text){string_text(&text), text.length});
    string_add_wrapped(&line, string_text(&shown), terminal_is(CRD_I_STDERR) ? terminal_width(CRD_I_STDERR) : 0,
                       INDENT);
    string_add_char(&line, '\n');
    string_free(&shown);
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
    messages_say("credence: ", format, values);
    va_end(values);
}

void message_warning(const char *format, ...) {
    if (quiet) return;
    va_list values;
    va_start(values, format);
    messages_say("credence: warning: ", format, values);
    va_end(values);
}

void message_hint(const char *format, ...) {
    va_list values;
    va_start(values, format);
    messages_say("credence: hint: ", format, values);
    va_end(values);
}

int message_failed(const char *format, ...) {
    va_list values;
    va_start(values, format);
    messages_say("credence: ", format, values);
    va_end(values);
    return ENDED_FAILED;
}

int message_usage(const char *format, ...) {
    va_list values;
    va_start(values, format);
    messages_say("credence: ", format, values);
    va_end(values);
    return ENDED_USAGE;
}
