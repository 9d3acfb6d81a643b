/* SPDX-License-Identifier: MIT */
/* completion_zsh.c - see completion.h. The script has a call of _arguments for each verb. */
#include "verbs/help/completion.h"

/* Appends a text inside single quotes in a specification of _arguments. Brackets, colons and backslashes are
 * escaped. A single quote is written '\'', which closes and reopens the quotes. */
static void completion_zsh_add_escaped(string *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            string_format(out, "'\\''");
            continue;
        }
        if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') string_add_char(out, '\\');
        string_add_char(out, *text);
    }
}

/* Appends the specification of an option for _arguments. */
static void completion_zsh_add_option(string *out, const char *name, const char *syntax, const char *help) {
    string words = {0};
    string_format(out, " \\\n            '*--%s", name);
    if (syntax != NULL) string_add_char(out, '=');
    string_add_char(out, '[');
    completion_zsh_add_escaped(out, help);
    string_add_char(out, ']');
    if (syntax != NULL) {
        string_add_char(out, ':');
        completion_zsh_add_escaped(out, syntax);
        string_add_char(out, ':');
        if (completion_names_file(syntax)) {
            string_format(out, "_files");
        } else {
            completion_add_words(&words, syntax);
            if (words.length > 0) {
                string_add_char(out, '(');
                completion_zsh_add_escaped(out, string_text(&words));
                string_add_char(out, ')');
            }
        }
    }
    string_add_char(out, '\'');
    string_free(&words);
}

static void completion_zsh_add_verb(string *out, const verb *v) {
    const crd_setting *setting = NULL;
    string_format(out, "    %s)\n        _arguments -s", v->name);
    for (const option *o = v->options; o->name != NULL; o++) completion_zsh_add_option(out, o->name, o->value, o->help);
    for (size_t i = 0; (setting = settings_next(v->setting_groups, &i)) != NULL;)
        completion_zsh_add_option(out, setting->name, setting->syntax, setting->help);
    if (v->operand != NULL) {
        string_format(out, " \\\n            '*:what:(");
        for (size_t i = 0; v->operand(i) != NULL; i++) string_format(out, "%s%s", i == 0 ? "" : " ", v->operand(i));
        string_format(out, ")'");
    } else if (completion_takes_files(v)) {
        string_format(out, " \\\n            '*:file:_files'");
    }
    string_format(out, "\n        ;;\n");
}

/* Prints the script for zsh. */
void completion_print_zsh(FILE *stream) {
    string script = {0};
    string_format(&script, "#compdef credence\n"
                           "# Completes command lines of credence in zsh. Made by: credence help --completion zsh\n"
                           "_credence() {\n"
                           "    local -a verbs=(\n");
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        string_format(&script, "        '%s:", verb_table[i]->name);
        completion_zsh_add_escaped(&script, verb_table[i]->summary);
        string_format(&script, "'\n");
    }
    string_format(&script, "    )\n"
                           "    if ((CURRENT == 2)); then\n"
                           "        _describe verb verbs\n"
                           "        return\n"
                           "    fi\n"
                           "    shift words\n"
                           "    ((CURRENT--))\n"
                           "    case $words[1] in\n");
    for (size_t i = 0; verb_table[i] != NULL; i++) completion_zsh_add_verb(&script, verb_table[i]);
    string_format(&script, "    esac\n"
                           "}\n"
                           "if [ \"$funcstack[1]\" = _credence ]; then\n"
                           "    _credence \"$@\"\n"
                           "else\n"
                           "    compdef _credence credence\n"
                           "fi\n");
    fwrite(script.bytes, 1, script.length, stream);
    string_free(&script);
}
