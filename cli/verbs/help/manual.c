/* SPDX-License-Identifier: MIT */
/* manual.c - see manual.h.
 *
 * A page is generated from the tables that help and the option parser use, so it is always up to date. In man(7) a line
 * that begins with a full stop or an apostrophe is a request, and a backslash begins an escape, so texts are escaped
 * everywhere. A hyphen is written \-, so an option can be copied from the page. */
#include "verbs/help/manual.h"

#include "verbs/help/setting_help.h"

#include "core/lists.h"
#include "core/output.h"
#include "verbs/help/help_text.h"

#include <string.h>

static void manual_add_escaped(string *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '\\': string_format(out, "\\e"); break;
        case '-': string_format(out, "\\-"); break;
        case '\'': string_format(out, "\\(aq"); break;
        case '`': string_format(out, "\\(ga"); break;
        case '^': string_format(out, "\\(ha"); break;
        case '~': string_format(out, "\\(ti"); break;
        default: string_add_char(out, text[i]);
        }
    }
}

static bool is_capital(char byte) {
    return byte >= 'A' && byte <= 'Z';
}

/* Returns whether a byte is a letter, digit or hyphen, which is typed literally. */
static bool is_literal(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

/* Appends a syntax. Placeholders in capitals are in italics, literal words are bold, and the signs between them are
 * plain. */
static void add_syntax(string *out, const char *syntax) {
    while (*syntax != '\0') {
        bool capital = is_capital(*syntax), literal = is_literal(*syntax);
        size_t length = 1;
        while (syntax[length] != '\0' && is_capital(syntax[length]) == capital &&
               is_literal(syntax[length]) == literal) {
            length++;
        }
        if (capital || literal) string_format(out, capital ? "\\fI" : "\\fB");
        manual_add_escaped(out, syntax, length);
        if (capital || literal) string_format(out, "\\fR");
        syntax += length;
    }
}

/* Appends paragraphs. An empty line ends a paragraph, and lines that begin with spaces stay unchanged. */
static void manual_add_text(string *out, const char *text) {
    bool verbatim = false, ended = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool indented = length > 0 && text[0] == ' ';
        if (length == 0) {
            ended = true;
        } else {
            if (ended) string_format(out, ".PP\n");
            ended = false;
            if (indented != verbatim) string_format(out, indented ? ".nf\n" : ".fi\n");
            verbatim = indented;
            if (text[0] == '.') string_format(out, "\\&");
            manual_add_escaped(out, text, length);
            string_add_char(out, '\n');
        }
        text += length;
        if (*text == '\n') text++;
    }
    if (verbatim) string_format(out, ".fi\n");
}

static void add_opening(string *out, const char *page, const char *summary) {
    string_format(out, ".TH ");
    for (const char *cursor = page; *cursor != '\0'; cursor++) {
        char capital = *cursor >= 'a' && *cursor <= 'z' ? (char)(*cursor - 'a' + 'A') : *cursor;
        manual_add_escaped(out, &capital, 1);
    }
    string_format(out, " 1 \"\" \"credence %s\" \"Credence\"\n.SH NAME\n", crd_version());
    manual_add_escaped(out, page, strlen(page));
    string_format(out, " \\- ");
    manual_add_escaped(out, summary, strlen(summary));
    string_format(out, "\n.SH SYNOPSIS\n");
}

/* Appends one line for each way to call the verb. In usage they are separated by |, as in "a X | a Y". */
static void add_synopsis(string *out, const verb *v) {
    string next = {0};
    string_format(&next, " | %s ", v->name);
    const char *usage = v->usage;
    for (bool first = true; usage != NULL; first = false) {
        const char *bar = strstr(usage, string_text(&next));
        string way = {0};
        string_format(&way, "credence ");
        string_add(&way, usage, bar == NULL ? strlen(usage) : (size_t)(bar - usage));
        if (!first) string_format(out, ".br\n");
        add_syntax(out, string_text(&way));
        string_add_char(out, '\n');
        string_free(&way);
        usage = bar == NULL ? NULL : bar + 3;
    }
    string_free(&next);
}

static void manual_add_option(string *out, const char *name, char letter, const char *value) {
    string_format(out, ".TP\n");
    if (letter != 0) string_format(out, "\\fB\\-%c\\fR, ", letter);
    string_format(out, "\\fB\\-\\-");
    manual_add_escaped(out, name, strlen(name));
    string_format(out, "\\fR");
    if (option_value_may_be_left_out(value)) {
        add_syntax(out, "[=");
        add_syntax(out, value + 1);
    } else if (value != NULL) {
        string_add_char(out, ' ');
        add_syntax(out, value);
    }
    string_add_char(out, '\n');
}

/* Appends the rules of an option, such as "Needs a or b. Not with c." */
static void add_rules(string *out, const option *o) {
    string rules = {0};
    if (o->needs != NULL) {
        string_format(&rules, "Needs ");
        options_add_list(&rules, o->needs);
        string_format(&rules, ".%s", o->conflicts == NULL ? "" : " ");
    }
    if (o->conflicts != NULL) {
        string_format(&rules, "Not with ");
        options_add_list(&rules, o->conflicts);
        string_add_char(&rules, '.');
    }
    if (rules.length > 0) {
        string_format(out, ".br\n");
        manual_add_text(out, string_text(&rules));
    }
    string_free(&rules);
}

/* Appends a group of settings. */
static void manual_add_settings(string *out, const char *group) {
    const crd_setting *setting = NULL;
    string_format(out, ".SS %s\n", group);
    manual_add_text(out, setting_help_about(group));
    for (size_t i = 0; (setting = settings_next(group, &i)) != NULL;) {
        string help = {0};
        manual_add_option(out, setting->name, 0, setting->syntax);
        setting_help_add(&help, setting);
        manual_add_text(out, string_text(&help));
        string_free(&help);
        string_format(out, "(default ");
        manual_add_escaped(out, setting->default_value, strlen(setting->default_value));
        string_format(out, ")\n");
    }
}

/* Appends the sections OPTIONS and SETTINGS of a verb. */
static void manual_add_options(string *out, const verb *v) {
    string_format(out, ".SH OPTIONS\n");
    for (const option *o = v->options; o->name != NULL; o++) {
        manual_add_option(out, o->name, o->letter, o->value);
        manual_add_text(out, o->help);
        add_rules(out, o);
    }
    if (v->setting_groups != NULL) string_format(out, ".SH SETTINGS\n");
    for (size_t i = 0; setting_help_group(i) != NULL; i++)
        if (names_contain(v->setting_groups, setting_help_group(i))) manual_add_settings(out, setting_help_group(i));
}

/* Appends references to all pages except the current one. The page of the whole command is the first. */
static void add_see_also(string *out, const verb *except) {
    string_format(out, ".SH SEE ALSO\n%s", except == NULL ? "" : "\\fBcredence\\fR(1)");
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        if (verb_table[i] == except) continue;
        string_format(out, "%s\\fBcredence\\-%s\\fR(1)", i == 0 && except == NULL ? "" : ",\n", verb_table[i]->name);
    }
    string_add_char(out, '\n');
}

static void manual_write_page(FILE *stream, string *page) {
    fwrite(page->bytes, 1, page->length, stream);
    string_free(page);
}

/* Prints the page credence-VERB(1). */
void manual_print_verb(FILE *stream, const verb *v) {
    string page = {0}, name = {0}, about = {0};
    string_format(&name, "credence-%s", v->name);
    add_opening(&page, string_text(&name), v->summary);
    add_synopsis(&page, v);
    string_format(&page, ".SH DESCRIPTION\n");
    string_format(&about, "%s.\n\n%s", v->summary, v->about);
    manual_add_text(&page, string_text(&about));
    manual_add_options(&page, v);
    string_format(&page, ".SH EXAMPLES\n");
    manual_add_text(&page, v->example);
    add_see_also(&page, v);
    manual_write_page(stream, &page);
    string_free(&name);
    string_free(&about);
}

/* Prints the page credence(1). */
void manual_print(FILE *stream) {
    string page = {0};
    add_opening(&page, "credence", "Bayesian classification that you can trust");
    string_format(&page, "\\fBcredence\\fR \\fIVERB\\fR ...\n.SH DESCRIPTION\n");
    manual_add_text(&page, help_purpose);
    string_format(&page, ".PP\n");
    manual_add_text(&page, help_operands);
    string_format(&page, ".PP\n");
    manual_add_text(&page, help_lists);
    string_format(&page, ".SH VERBS\n");
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        string_format(&page, ".TP\n\\fBcredence\\-%s\\fR(1)\n", verb_table[i]->name);
        manual_add_text(&page, verb_table[i]->summary);
    }
    string_format(&page, ".SH EXIT STATUS\n");
    manual_add_text(&page, help_endings);
    string_format(&page, ".SH ENVIRONMENT\n"
                         ".TP\n"
                         "\\fBCOLUMNS\\fR\n"
                         "width of tables, if it differs from the terminal's width\n"
                         ".TP\n"
                         "\\fBNO_COLOR\\fR\n"
                         "if it is not empty, output has no colors\n");
    add_see_also(&page, NULL);
    manual_write_page(stream, &page);
}
