/* report.c - see report.h. */
#include "report.h"

#include "lists.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

static bool quiet;

void report_be_quiet(void) {
    quiet = true;
}

bool report_is_quiet(void) {
    return quiet;
}

/* One write a message, so that lines of commands side by side do not mix. */
static void say(const char *opening, const char *format, va_list values) {
    string line = {0};
    string_format(&line, "%s", opening);
    string_format_list(&line, format, values);
    string_add_char(&line, '\n');
    fwrite(line.bytes, 1, line.length, stderr);
    string_free(&line);
}

void report_note(const char *format, ...) {
    if (quiet) return;
    va_list values;
    va_start(values, format);
    say("credence: ", format, values);
    va_end(values);
}

void report_warning(const char *format, ...) {
    if (quiet) return;
    va_list values;
    va_start(values, format);
    say("credence: warning: ", format, values);
    va_end(values);
}

void report_hint(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("credence: hint: ", format, values);
    va_end(values);
}

int report_failed(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("credence: ", format, values);
    va_end(values);
    return ENDED_FAILED;
}

int report_usage(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("credence: ", format, values);
    va_end(values);
    return ENDED_USAGE;
}

static const char *syntax_of_setting(const char *name) {
    size_t count = 0;
    const crd_setting *table = crd_setting_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) return table[i].syntax;
    }
    return NULL;
}

/* The library knows no options; here its statuses meet them. */
static void hint_at_option(const crd_error *error) {
    string subject = {0};
    list_add_typed(&subject, crd_text_of(error->subject));
    const char *column = error->subject[0] == '\0' ? "COLUMN" : string_text(&subject);
    const char *syntax = syntax_of_setting(error->subject);
    switch (error->status) {
    case CRD_ERROR_KIND: report_hint("give --category %s", column); break;
    case CRD_ERROR_NUMBER:
        report_hint("--category %s takes its cells as names, --ignore %s leaves it out, --missing lists what to take "
                    "as missing",
                    column, column);
        break;
    case CRD_ERROR_LIMIT:
        if (error->subject[0] != '\0') report_hint("leave the column out with --ignore %s", column);
        break;
    case CRD_ERROR_SETTINGS_DIFFER:
        if (syntax != NULL) report_hint("say which is to hold with --%s %s", error->subject, syntax);
        break;
    default: break;
    }
    string_free(&subject);
}

int report_error_in(const crd_error *error, const char *path) {
    if (error->status == CRD_ERROR_CANCELLED) {
        report_failed("interrupted");
        return session_interrupted_exit();
    }
    string place = {0};
    if (error->place[0] != '\0') path = error->place;
    if (path[0] != '\0') {
        string_format(&place, "%s:", strcmp(path, "-") == 0 ? "standard input" : path);
        if (error->line > 0) string_format(&place, "%llu:", (unsigned long long)error->line);
        string_add_char(&place, ' ');
    }
    const char *message = error->message[0] == '\0' ? crd_status_name(error->status) : error->message;
    report_failed("%s%s", string_text(&place), message);
    string_free(&place);
    hint_at_option(error);
    return ENDED_FAILED;
}

int report_error(const crd_error *error) {
    return report_error_in(error, "");
}
