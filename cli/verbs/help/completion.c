/* SPDX-License-Identifier: MIT */
/* completion.c - see completion.h.
 *
 * The script is generated from the tables of verbs, options and settings. After an option with a fixed set of words,
 * these words are offered; after an option for a file, files; after any other value, nothing. For an operand the script
 * offers the words that the verb accepts, or files if the verb's usage contains any. */
#include "verbs/help/completion.h"

#include <string.h>

/* Appends the literal words of a syntax. A word that begins with a capital is a placeholder and is skipped. */
void completion_add_words(string *out, const char *syntax) {
    crd_text last = {"", 0};
    if (*syntax == '[') syntax++;
    while (*syntax != '\0' && *syntax != ']') {
        crd_text word = {syntax, 0};
        size_t length = strcspn(syntax, "|]");
        while (word.length < length && syntax[word.length] != '[' &&
               !(syntax[word.length] >= 'A' && syntax[word.length] <= 'Z'))
            word.length++;
        if (word.length > 0 && !crd_text_equal(word, last)) {
            if (out->length > 0) string_add_char(out, ' ');
            string_add(out, word.bytes, word.length);
        }
        last = word;
        syntax += length;
        if (*syntax == '|') syntax++;
    }
}

/* Returns whether the value is a file. */
bool completion_names_file(const char *syntax) {
    return strstr(syntax, "FILE") != NULL || strcmp(syntax, "MODEL") == 0;
}

/* Appends the branch of the script for the value of an option. */
static void completion_add_value(string *out, const char *name, char letter, const char *syntax) {
    string words = {0};
    if (!completion_names_file(syntax)) completion_add_words(&words, syntax);
    string_format(out, "        --%s", name);
    if (letter != 0) string_format(out, " | -%c", letter);
    if (completion_names_file(syntax)) {
        string_format(out, ") files=yes ;;\n");
    } else if (words.length > 0) {
        string_format(out, ") words='%s' ;;\n", string_text(&words));
    } else {
        string_format(out, ") ;;\n");
    }
    string_free(&words);
}

bool completion_takes_files(const verb *v) {
    return strstr(v->usage, "DATA") != NULL || strstr(v->usage, "MODEL") != NULL || strstr(v->usage, "FILE") != NULL;
}

/* Appends the branch of the script for a verb: its options, operand words and option values. */
static void completion_add_verb(string *out, const verb *v) {
    const crd_setting *setting = NULL;
    string_format(out, "    %s)\n        case $previous in\n", v->name);
    for (const option *o = v->options; o->name != NULL; o++) {
        if (o->value != NULL) completion_add_value(out, o->name, o->letter, o->value);
    }
    for (size_t i = 0; (setting = settings_next(v->setting_groups, &i)) != NULL;)
        completion_add_value(out, setting->name, 0, setting->syntax);
    string_format(out, "        *)\n            options='");
    for (const option *o = v->options; o->name != NULL; o++) {
        string_format(out, "%s--%s", o == v->options ? "" : " ", o->name);
    }
    for (size_t i = 0; (setting = settings_next(v->setting_groups, &i)) != NULL;)
        string_format(out, " --%s", setting->name);
    string_format(out, "'\n");
    if (v->operand == NULL) {
        string_format(out, "            files=%s\n", completion_takes_files(v) ? "yes" : "no");
    } else {
        string_format(out, "            words='");
        for (size_t i = 0; v->operand(i) != NULL; i++) string_format(out, "%s%s", i == 0 ? "" : " ", v->operand(i));
        string_format(out, "'\n");
    }
    string_format(out, "            ;;\n        esac\n        ;;\n");
}

/* Prints the script for bash. */
void completion_print_bash(FILE *stream) {
    string script = {0};
    string_format(&script, "# Completes command lines of credence in bash. Made by: credence help --completion bash\n"
                           "_credence() {\n"
                           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                           "    local verb=${COMP_WORDS[1]} words= options= files=no\n"
                           "    COMPREPLY=()\n"
                           "    # To bash an = or : is a word of its own: --header=yes is three, m:1 is three.\n"
                           "    if [[ $current == = ]]; then\n"
                           "        current=\n"
                           "    elif [[ $previous == = ]]; then\n"
                           "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                           "    elif [[ $current == : || $previous == : ]]; then\n"
                           "        return\n"
                           "    fi\n"
                           "    ((COMP_CWORD > 1)) || verb=\n"
                           "    case $verb in\n"
                           "    '') words='");
    for (size_t i = 0; verb_table[i] != NULL; i++) string_format(&script, "%s ", verb_table[i]->name);
    string_format(&script, "--help --version' ;;\n");
    for (size_t i = 0; verb_table[i] != NULL; i++) completion_add_verb(&script, verb_table[i]);
    string_format(&script, "    esac\n"
                           "    if [[ $current == -* && -n $options ]]; then words=$options; fi\n"
                           "    if [[ -n $words ]]; then\n"
                           "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                           "        if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]]; then\n"
                           "            compopt -o nospace 2>/dev/null\n"
                           "        fi\n"
                           "    elif [[ $files == yes ]]; then\n"
                           "        local IFS=$'\\n'\n"
                           "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
                           "        compopt -o filenames 2>/dev/null\n"
                           "    fi\n"
                           "    return 0\n"
                           "}\n"
                           "complete -F _credence credence\n");
    fwrite(script.bytes, 1, script.length, stream);
    string_free(&script);
}
