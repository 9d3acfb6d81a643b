/* SPDX-License-Identifier: MIT */
/* error_messages.c - see error_messages.h. */
#include "core/error_messages.h"

#include "core/conversion_hint.h"
#include "core/invocation.h"
#include "core/lists.h"
#include "core/messages.h"

#include <string.h>

/* The options that hints may name. */
static const option *offered;
static const char *groups_offered; /* of settings */
static const char *settled_by;     /* opens a sentence; NULL: options can still set the column types */

void message_offer(const option *table, const char *setting_groups) {
    offered = table;
    groups_offered = setting_groups;
}

void message_columns_settled_by(const char *description) {
    settled_by = description;
}

static const char *syntax_of_setting(const char *name) {
    size_t count = 0;
    count = crd_setting_count();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(crd_setting_at(i)->name, name) == 0) return crd_setting_at(i)->syntax;
    }
    return NULL;
}

bool message_offers(const char *name) {
    static const char *const of_columns[] = {"numeric", "categorical", "text", "column-format", "ignore", "schema"};
    for (size_t i = 0; settled_by != NULL && i < sizeof of_columns / sizeof of_columns[0]; i++) {
        if (strcmp(of_columns[i], name) == 0) return false;
    }
    return offered != NULL && options_have(offered, groups_offered, crd_text_of(name));
}

/* Returns whether a file with typed values, such as JSON, contains a text instead of a number. Such a file has no
 * header line. */
static bool is_typed_text(const crd_error *error) {
    return strstr(error->message, "is a text, not a number") != NULL;
}

/* Returns the noun for the values of the column that the error is about. */
static const char *noun_of_cells(const crd_error *error) {
    static const char *const nouns[] = {"a date", "a time of day", "a percentage"};
    for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++) {
        const char *cursor = strstr(error->message, " is not ");
        if (cursor != NULL && strstr(cursor, nouns[i]) != NULL) return nouns[i];
    }
    return "a number";
}

/* Prints hints for a value that does not fit a numeric column, or a column with another format. */
static void hint_at_cell(const crd_error *error, const char *column, const char *shown) {
    if (message_offers("categorical")) {
        message_hint(
            "use --categorical %s to treat its values as names, --ignore %s to ignore it, or --missing to list "
            "texts that mean missing",
            column, column);
        return;
    }
    message_hint("%s '%s' as %s: fix the cell%s", settled_by == NULL ? "the command reads" : settled_by, shown,
                 noun_of_cells(error),
                 message_offers("missing") ? ", or list texts that mean missing with --missing" : "");
    if (settled_by != NULL) message_hint("if '%s' contains names, train with --categorical %s", shown, column);
    /* The file is assumed to have no header line, because the files that determined the columns had none. So a first
     * line that fails may be a header. */
    if (error->line == 1 && message_offers("header") && !is_typed_text(error))
        message_hint("if the first line contains column names, use --header yes");
}

/* Returns whether the name in a hint's name=value is an option. */
static bool is_named_option(const char *key) {
    static const char *const names[] = {
        "keep-statistics", "target",      "header",   "encoding", "categorical", "column-format", "numeric",
        "sequence",        "discretize",  "time",     "step",     "separator",   "part",          "shard",
        "schema",          "new-classes", "bad_rows", "ignore",   "decimal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(key, names[i]) == 0) return true;
    return syntax_of_setting(key) != NULL;
}

static void error_messages_add_option(string *target_string, const char *key) {
    string_format(target_string, "--");
    for (; *key != '\0'; key++) string_add_char(target_string, *key == '_' ? '-' : *key);
    string_add_char(target_string, ' ');
}

/* Adds a hint of the library, with options instead of names of the library: name=value becomes an option, and so does a
 * function name. */
static void add_as_options(string *target_string, const char *hint) {
    static const struct { const char *name, *option; } calls[] = {{"crd_assessment_of_folds", "--cross-validate"}};
    for (const char *cursor = hint; *cursor != '\0';) {
        size_t length = strcspn(cursor, " ,;"), name = strcspn(cursor, "= ,;");
        string word = {0};
        string_add(&word, cursor, name);
        const char *key = string_text(&word);
        bool is_option = name < length && is_named_option(key);
        const char *call = NULL;
        for (size_t i = 0; name == length && i < sizeof calls / sizeof calls[0]; i++) {
            if (strcmp(key, calls[i].name) == 0) call = calls[i].option;
        }
        if (is_option) error_messages_add_option(target_string, key);
        string_free(&word);
        size_t skipped = is_option ? name + 1 : 0;
        if (call != NULL) string_format(target_string, "%s", call);
        else string_add(target_string, cursor + skipped, length - skipped);
        cursor += length;
        if (*cursor != '\0') string_add_char(target_string, *cursor++);
    }
}

void message_library_hint(const crd_error *error) {
    string text = {0};
    if (error->hint[0] == '\0') return;
    add_as_options(&text, error->hint);
    message_hint("%s", string_text(&text));
    string_free(&text);
}

/* Prints a hint for an error status. The library does not use option names, so this is where each status is translated
 * to an option. */
static void hint_at_option(const crd_error *error) {
    string subject = {0}, shown = {0};
    list_add_typed(&subject, crd_text_of(error->subject));
    string_add_shown(&shown, crd_text_of(error->subject));
    const char *column = error->subject[0] == '\0' ? "COLUMN" : string_text(&subject);
    const char *syntax = syntax_of_setting(error->subject);
    switch (error->status) {
    case CRD_ERROR_TYPE:
        /* The error has no place if it concerns a type that a model would need, or a node of a network. No option helps
         * then. */
        if (error->place[0] == '\0') break;
        if (message_offers("categorical")) message_hint("use --categorical %s", column);
        else message_hint("use a file: unlike a pipe, it can be read twice");
        break;
    case CRD_ERROR_NUMBER: hint_at_cell(error, column, string_text(&shown)); break;
    case CRD_ERROR_LIMIT:
        if (error->subject[0] == '\0') break;
        if (message_offers("text") && message_offers("ignore"))
            message_hint(
                "ignore the column with --ignore %s, or, if it contains texts, count their words with --text %s",
                column, column);
        else if (message_offers("ignore")) message_hint("ignore the column with --ignore %s", column);
        else if (message_offers("max-categories")) message_hint("use --max-categories to allow more");
        break;
    case CRD_ERROR_SETTINGS_DIFFER:
        if (message_offers(error->subject)) message_hint("choose one with --%s %s", error->subject, syntax);
        break;
    case CRD_ERROR_DUPLICATE:
        if (message_offers("duplicates")) message_hint("use --duplicates skip to skip models that are already merged");
        break;
    case CRD_ERROR_SETTING:
        /* Handles a prior that does not fit the classes, and sufficient statistics that were not stored. Other setting
         * errors already name the valid values. */
        if (strcmp(error->subject, "keep-statistics") == 0 && !message_offers("keep-statistics"))
            message_hint("train again with this --family, or with --keep-statistics all for any family");
        if (strcmp(error->subject, "prior") == 0 && message_offers("prior"))
            message_hint("give a --prior for these classes, or use --prior frequency to compute it from the rows");
        break;
    default: break;
    }
    string_free(&subject);
    string_free(&shown);
}

/* Prints an error with its place, and a hint if one applies. `path` is used if the error has no place; column 0: none.
 * Returns the exit status. */
static int report_error_at(const crd_error *error, const char *path, uint64_t column) {
    if (error->status == CRD_ERROR_CANCELLED) return invocation_end_interrupted();
    string place = {0};
    if (error->place[0] != '\0') path = error->place;
    if (path[0] != '\0') {
        string_format(&place, "%s:", strcmp(path, "-") == 0 ? "standard input" : path);
        if (error->line > 0) string_format(&place, "%llu:", (unsigned long long)error->line);
        if (error->line > 0 && column > 0) string_format(&place, "%llu:", (unsigned long long)column);
        string_add_char(&place, ' ');
    }
    const char *message = error->message[0] == '\0' ? crd_status_name(error->status) : error->message;
    message_failed("%s%s", string_text(&place), message);
    string_free(&place);
    if (conversion_hint(error)) return ENDED_FAILED;
    if (error->hint[0] != '\0') message_library_hint(error);
    else hint_at_option(error);
    return ENDED_FAILED;
}

int message_error_in(const crd_error *error, const char *path) {
    return report_error_at(error, path, 0);
}

int message_error_in_network(const crd_error *error) {
    return report_error_at(error, "", error->field);
}

int message_error(const crd_error *error) {
    return message_error_in(error, "");
}

int message_no_such(const char *name, const char *description, crd_text typed, const crd_text *names, size_t count) {
    string text = {0}, near = {0};
    size_t near_count = 0;
    string_add_shown(&text, typed);
    message_failed("--%s: unknown %s '%s'", name, description, string_text(&text));
    string_clear(&text);
    for (size_t i = 0; i < count; i++) {
        string_add_listed(&text, i, names[i]);
        list_add_near(&near, &near_count, typed, names[i]);
    }
    if (near.length > 0) message_hint("did you mean %s?", string_text(&near));
    else
        message_hint("the %s%s are %s", description, strcmp(description, "class") == 0 ? "es" : "s",
                     string_text(&text));
    string_free(&text);
    string_free(&near);
    return ENDED_FAILED;
}
