/* report.c - see report.h. */
#include "report.h"

#include "invocation.h"
#include "lists.h"
#include "options.h"
#include "progress.h"

#include <stdio.h>
#include <string.h>

static bool quiet;

/* What hints may name. */
static const option *offered;
static bool settings_offered;
static const char *settled_by; /* NULL: options still say what the columns are */

void report_be_quiet(void) {
    quiet = true;
}

bool report_is_quiet(void) {
    return quiet;
}

void report_offer(const option *table, bool takes_settings) {
    offered = table;
    settings_offered = takes_settings;
}

void report_columns_settled_by(const char *what) {
    settled_by = what;
}

/* One write a message, so that lines of commands side by side do not mix. */
static void say(const char *opening, const char *format, va_list values) {
    string line = {0};
    string_format(&line, "%s", opening);
    string_format_list(&line, format, values);
    string_add_char(&line, '\n');
    progress_erase();
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

bool report_offers(const char *name) {
    static const char *const of_columns[] = {"number", "category", "ignore", "schema"};
    for (size_t i = 0; settled_by != NULL && i < sizeof of_columns / sizeof of_columns[0]; i++) {
        if (strcmp(of_columns[i], name) == 0) return false;
    }
    for (const option *o = offered; o != NULL && o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) return true;
    }
    return settings_offered && syntax_of_setting(name) != NULL;
}

/* A cell that does not fit a column of numbers. */
static void hint_at_cell(const char *column, const char *shown) {
    if (report_offers("category")) {
        report_hint("--category %s takes its cells as names, --ignore %s leaves it out, --missing lists what to take "
                    "as missing",
                    column, column);
        return;
    }
    report_hint("%s '%s' as a number: mend the cell%s", settled_by == NULL ? "the command takes" : settled_by, shown,
                report_offers("missing") ? ", or list in --missing what is to be taken as missing" : "");
    if (settled_by != NULL) report_hint("if '%s' holds names, train on it with --category %s", shown, column);
}

/* The library knows no options; here its statuses meet them. */
static void hint_at_option(const crd_error *error) {
    string subject = {0}, shown = {0};
    list_add_typed(&subject, crd_text_of(error->subject));
    string_add_shown(&shown, crd_text_of(error->subject));
    const char *column = error->subject[0] == '\0' ? "COLUMN" : string_text(&subject);
    const char *syntax = syntax_of_setting(error->subject);
    switch (error->status) {
    case CRD_ERROR_KIND:
        /* A kind that a model would have to have has no place. */
        if (report_offers("category")) report_hint("give --category %s", column);
        else if (error->place[0] != '\0') report_hint("a file, unlike a pipe, can be read a second time");
        break;
    case CRD_ERROR_NUMBER: hint_at_cell(column, string_text(&shown)); break;
    case CRD_ERROR_LIMIT:
        if (error->subject[0] == '\0') break;
        if (report_offers("ignore")) report_hint("leave the column out with --ignore %s", column);
        else if (report_offers("max-categories")) report_hint("--max-categories allows more");
        break;
    case CRD_ERROR_SETTINGS_DIFFER:
        if (report_offers(error->subject)) report_hint("say which is to hold with --%s %s", error->subject, syntax);
        break;
    case CRD_ERROR_SETTING:
        /* A prior that does not fit the classes, and a tally that was not kept; what else is wrong says what would be
         * right. */
        if (strcmp(error->subject, "tally") == 0 && !report_offers("tally"))
            report_hint("train again with this --family, or with --tally all for any");
        if (strcmp(error->subject, "prior") == 0 && report_offers("prior"))
            report_hint("--prior states it for these classes, or takes it from the rows: --prior frequency");
        break;
    default: break;
    }
    string_free(&subject);
    string_free(&shown);
}

static int report_error_at(const crd_error *error, const char *path, uint64_t column) {
    if (error->status == CRD_ERROR_CANCELLED) {
        report_failed("interrupted");
        return invocation_interrupted_exit();
    }
    string place = {0};
    if (error->place[0] != '\0') path = error->place;
    if (path[0] != '\0') {
        string_format(&place, "%s:", strcmp(path, "-") == 0 ? "standard input" : path);
        if (error->line > 0) string_format(&place, "%llu:", (unsigned long long)error->line);
        if (error->line > 0 && column > 0) string_format(&place, "%llu:", (unsigned long long)column);
        string_add_char(&place, ' ');
    }
    const char *message = error->message[0] == '\0' ? crd_status_name(error->status) : error->message;
    report_failed("%s%s", string_text(&place), message);
    string_free(&place);
    hint_at_option(error);
    return ENDED_FAILED;
}

int report_error_in(const crd_error *error, const char *path) {
    return report_error_at(error, path, 0);
}

int report_error_in_network(const crd_error *error) {
    return report_error_at(error, "", error->field);
}

int report_error(const crd_error *error) {
    return report_error_in(error, "");
}

int report_no_such(const char *name, const char *what, crd_text typed, const crd_text *names, size_t count) {
    string text = {0}, near = {0};
    size_t near_count = 0;
    string_add_shown(&text, typed);
    report_failed("--%s: there is no %s '%s'", name, what, string_text(&text));
    string_clear(&text);
    for (size_t i = 0; i < count; i++) {
        string_add_listed(&text, i, names[i]);
        list_add_near(&near, &near_count, typed, names[i]);
    }
    if (near.length > 0) report_hint("did you mean %s?", string_text(&near));
    else report_hint("the %s%s are %s", what, strcmp(what, "class") == 0 ? "es" : "s", string_text(&text));
    string_free(&text);
    string_free(&near);
    return ENDED_FAILED;
}
