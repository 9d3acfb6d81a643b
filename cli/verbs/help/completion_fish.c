/* SPDX-License-Identifier: MIT */
/* completion_fish.c - see completion.h. The script has a line for each verb and for each option of a verb. */
#include "verbs/help/completion.h"

/* Appends a text in single quotes. */
static void completion_fish_add_quoted(string *out, const char *text) {
    string_add_char(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') string_add_char(out, '\\');
        string_add_char(out, *text);
    }
    string_add_char(out, '\'');
}

static void completion_fish_add_condition(string *out, const verb *v) {
    string_format(out, "complete -c credence -n '__fish_seen_subcommand_from %s'", v->name);
}

/* Appends the line for an option of a verb: its name, its help, and the words of its value. */
static void completion_fish_add_option(string *out, const verb *v, const char *name, char letter, const char *syntax,
                                       const char *help) {
    string words = {0};
    completion_fish_add_condition(out, v);
    string_format(out, " -l %s", name);
    if (letter != 0) string_format(out, " -s %c", letter);
    if (syntax != NULL) {
        /* The value is required: a file (-r -F) or another word (-x). */
        string_format(out, completion_names_file(syntax) ? " -r -F" : " -x");
        if (!completion_names_file(syntax)) completion_add_words(&words, syntax);
        if (words.length > 0) {
            string_format(out, " -a ");
            completion_fish_add_quoted(out, string_text(&words));
        }
    }
    string_format(out, " -d ");
    completion_fish_add_quoted(out, help);
    string_add_char(out, '\n');
    string_free(&words);
}

/* Appends the lines for a verb and its options. */
static void completion_fish_add_verb(string *out, const verb *v) {
    const crd_setting *setting = NULL;
    string_format(out, "complete -c credence -n __fish_use_subcommand -f -a %s -d ", v->name);
    completion_fish_add_quoted(out, v->summary);
    string_add_char(out, '\n');
    if (v->operand != NULL) {
        completion_fish_add_condition(out, v);
        string_format(out, " -f -a '");
        for (size_t i = 0; v->operand(i) != NULL; i++) string_format(out, "%s%s", i == 0 ? "" : " ", v->operand(i));
        string_format(out, "'\n");
    } else if (!completion_takes_files(v)) {
        completion_fish_add_condition(out, v);
        string_format(out, " -f\n");
    }
    for (const option *o = v->options; o->name != NULL; o++)
        completion_fish_add_option(out, v, o->name, o->letter, o->value, o->help);
    for (size_t i = 0; (setting = settings_next(v->setting_groups, &i)) != NULL;)
        completion_fish_add_option(out, v, setting->name, 0, setting->syntax, setting->help);
}

void completion_print_fish(FILE *stream) {
    string script = {0};
    string_format(&script, "# Completes command lines of credence in fish. Made by: credence help --completion fish\n");
    for (size_t i = 0; verb_table[i] != NULL; i++) completion_fish_add_verb(&script, verb_table[i]);
    fwrite(script.bytes, 1, script.length, stream);
    string_free(&script);
}
