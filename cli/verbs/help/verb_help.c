/* SPDX-License-Identifier: MIT */
/* verb_help.c - the verbs help and version, and the search for a verb, whose name may be misspelled. */
#include "verbs/help/help_text.h"

#include "verbs/help/setting_help.h"

#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/report_write.h"
#include "core/text_table.h"
#include "core/verb.h"
#include "verbs/help/completion.h"
#include "verbs/help/manual.h"

#include <string.h>

/* The shells that have a completion script. */
#define SHELLS "bash|zsh|fish"

const char help_purpose[] =
    "credence: Bayesian classification of tables, with posterior probabilities and explanations.";
const char help_operands[] =
    "DATA is a file, several, or - for standard input: separated by commas, semicolons, tabs or spaces, with or "
    "without a header; .gz and .zst files are decompressed. You can use a table with --target instead of MODEL, except "
    "with update and forget. Select columns by name, number from 1, range (2-5), glob (petal*), first or last; a "
    "model's columns are numbered without its target.";
const char help_lists[] =
    "Lists (--ignore, --missing, --prior, --given) are separated by commas; put an item that contains a comma, or "
    "spaces that matter, in double quotes: --ignore '\"a,b\",c' --given '\"a,b= x\",c=1'.";
const char help_endings[] = "Exit codes: 0 success; 1 the data or the operation failed; 2 the command line is invalid.";

/* The names that other programs use for our verbs. */
static const struct {
    const char *typed, *meant;
} synonyms[] = {{"fit", "train"},          {"learn", "train"},   {"build", "train"},  {"classify", "predict"},
                {"score", "predict"},      {"infer", "predict"}, {"why", "explain"},  {"print", "show"},
                {"info", "show"},          {"inspect", "show"},  {"summary", "show"}, {"unlearn", "forget"},
                {"partial_fit", "update"}, {"append", "update"}, {"add", "merge"},    {"dump", "export"},
                {"examples", "example"},   {"usage", "help"}};

static bool is_verb(const char *name) {
    for (size_t i = 0; verb_table[i] != NULL; i++)
        if (strcmp(verb_table[i]->name, name) == 0) return true;
    return false;
}

/* Finds a verb by its name. If there is none, prints an error with a similar name and returns NULL. */
const verb *verb_find(const char *name) {
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        if (strcmp(verb_table[i]->name, name) == 0) return verb_table[i];
    }
    string near = {0};
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        if (strcmp(synonyms[i].typed, name) == 0) string_format(&near, "%s", synonyms[i].meant);
    }
    for (size_t i = 0; near.length == 0 && verb_table[i] != NULL; i++) {
        if (list_near(crd_text_of(name), crd_text_of(verb_table[i]->name))) {
            string_format(&near, "%s", verb_table[i]->name);
            for (size_t j = i + 1; verb_table[j] != NULL; j++) {
                if (!list_near(crd_text_of(name), crd_text_of(verb_table[j]->name))) continue;
                string_format(&near, " or %s", verb_table[j]->name);
            }
        }
    }
    message_usage("unknown verb '%s'", name);
    if (near.length > 0) {
        message_hint("did you mean %s?", string_text(&near));
    } else {
        message_hint("run credence help for a list of verbs");
    }
    string_free(&near);
    return NULL;
}

enum { WIDEST = 80, HELP_AT = 24 };

/* Prints words in lines of at most WIDEST columns, each indented. The first word is at column `used`. */
static void print_words(FILE *stream, const char *words, size_t indent, size_t used) {
    bool is_first = true;
    while (*words != '\0') {
        size_t length = strcspn(words, " \n");
        /* A list of alternatives that is wider than a line continues on the next line. */
        if (indent + length > WIDEST) {
            size_t fitting = 0, next = 0;
            while ((next = fitting + strcspn(words + fitting, "|") + 1) < length && indent + next <= WIDEST)
                fitting = next;
            if (fitting > 0) length = fitting;
        }
        bool fits = !is_first && used + 1 + length <= WIDEST;
        if (is_first) fprintf(stream, "%*s", used < indent ? (int)(indent - used) : 0, "");
        else fputs(fits ? " " : "\n", stream);
        if (!is_first && !fits) fprintf(stream, "%*s", (int)indent, "");
        used = fits ? used + 1 + length : indent + length;
        fprintf(stream, "%.*s", (int)length, words);
        words += length;
        while (*words == ' ') words++;
        is_first = false;
    }
    fputc('\n', stream);
}

/* Prints the name and value of an option, indented by two columns. A list of values that is wider than the line
 * continues below its beginning. */
static void print_left(FILE *stream, const char *left) {
    const size_t indent = 2 + strcspn(left, " ") + 1;
    size_t used = 2;
    fputs("  ", stream);
    while (*left != '\0') {
        size_t length = strcspn(left, "|");
        if (left[length] == '|') length++;
        if (used + length > WIDEST && used > indent) {
            fprintf(stream, "\n%*s", (int)indent, "");
            used = indent;
        }
        fprintf(stream, "%.*s", (int)length, left);
        used += length;
        left += length;
    }
}

/* Prints name and value on the left and the help on the right, or below if the left part is long. */
static void print_entry(FILE *stream, const char *left, const char *help) {
    size_t used = 2 + strlen(left);
    print_left(stream, left);
    if (used + 2 > HELP_AT) {
        fputc('\n', stream);
        used = 0;
    }
    print_words(stream, help, HELP_AT, used);
}

static void print_option(FILE *stream, const option *o) {
    string left = {0};
    if (o->letter != 0) string_format(&left, "-%c, ", o->letter);
    string_format(&left, "--%s", o->name);
    /* An optional value must be attached with =. */
    if (option_value_may_be_left_out(o->value)) string_format(&left, "[=%s", o->value + 1);
    else if (o->value != NULL) string_format(&left, " %s", o->value);
    print_entry(stream, string_text(&left), o->help);
    string_free(&left);
}

/* Prints a setting. Short help has only the first clause of its text. */
static void print_setting(FILE *stream, const crd_setting *setting, bool is_whole) {
    string left = {0}, help = {0};
    string_format(&left, "--%s %s", setting->name, setting->syntax);
    if (is_whole) setting_help_add(&help, setting);
    else string_add(&help, setting->help, strcspn(setting->help, ":;"));
    string_format(&help, " (%s)", setting->default_value);
    print_entry(stream, string_text(&left), string_text(&help));
    string_free(&left);
    string_free(&help);
}

/* Returns whether a list of names, separated by |, contains this name. */
static bool is_listed(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *cursor = names; cursor != NULL; cursor = strchr(cursor, '|')) {
        if (*cursor == '|') cursor++;
        if (strncmp(cursor, name, length) == 0 && (cursor[length] == '|' || cursor[length] == '\0')) return true;
    }
    return false;
}

/* The groups of options, in the order of help. */
typedef enum option_group {
    GROUP_VERB,
    GROUP_COLUMNS,
    GROUP_READING,
    GROUP_SEQUENCES,
    GROUP_NETWORKS,
    GROUPS
} option_group;

static const char *const group_titles[GROUPS] = {"Options (defaults in brackets)", "Columns", "Reading rows",
                                                 "Sequences", "Networks"};

static option_group group_of(const option *o) {
    static const option reading[] = {OPTIONS_OF_READING};
    if ((o->scope & SCOPE_SEQUENCES) != 0) return GROUP_SEQUENCES;
    if ((o->scope & SCOPE_NETWORKS) != 0) return GROUP_NETWORKS;
    if ((o->scope & SCOPE_COLUMNS) == SCOPE_COLUMNS || strcmp(o->name, "target") == 0) return GROUP_COLUMNS;
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (strcmp(reading[i].name, o->name) == 0) return GROUP_READING;
    return (o->scope & SCOPE_READING) != 0 ? GROUP_READING : GROUP_VERB;
}

/* Prints all options, each group under its title. */
static void print_groups(const verb *v, FILE *stream) {
    for (option_group group = 0; group < GROUPS; group++) {
        bool is_begun = false;
        for (const option *o = v->options; o->name != NULL; o++) {
            if (group_of(o) != group) continue;
            if (!is_begun) fprintf(stream, "\n%s\n", group_titles[group]);
            is_begun = true;
            print_option(stream, o);
        }
    }
}

/* Prints all options and settings, or only the essential ones. Returns the number of options that were not printed. */
static size_t print_options(const verb *v, FILE *stream, bool is_whole) {
    size_t left_out = 0;
    if (is_whole) print_groups(v, stream);
    else fprintf(stream, "\n%s\n", group_titles[GROUP_VERB]);
    for (const option *o = v->options; !is_whole && o->name != NULL; o++) {
        if (is_listed(v->essentials, o->name)) print_option(stream, o);
        else left_out++;
    }
    for (size_t i = 0; v->takes_settings && i < crd_setting_count(); i++) {
        if (is_whole && i == 0)
            fputs("\nSettings (defaults in brackets; credence help settings lists their forms)\n", stream);
        if (is_whole || is_listed(v->essentials, crd_setting_at(i)->name))
            print_setting(stream, crd_setting_at(i), is_whole);
        else left_out++;
    }
    return left_out;
}

/* Prints one line for each form of the command line. */
static void print_usage(const verb *v, FILE *stream) {
    string next = {0};
    string_format(&next, " | %s ", v->name);
    const char *prefix = "usage: ";
    for (const char *usage = v->usage; usage != NULL;) {
        const char *bar = strstr(usage, string_text(&next));
        size_t length = bar == NULL ? strlen(usage) : (size_t)(bar - usage);
        string line = {0};
        string_format(&line, "credence ");
        string_add(&line, usage, length);
        fputs(prefix, stream);
        print_words(stream, string_text(&line), 7, 7);
        string_free(&line);
        prefix = "       ";
        usage = bar == NULL ? NULL : bar + 3;
    }
    string_free(&next);
}

static void print_paragraphs(const char *text, FILE *stream, bool is_whole) {
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t length = end == NULL ? strlen(text) : (size_t)(end - text);
        string paragraph = {0};
        string_add(&paragraph, text, length);
        fputc('\n', stream);
        print_words(stream, string_text(&paragraph), 0, 0);
        string_free(&paragraph);
        text += length + (end == NULL ? 0 : 2);
        if (!is_whole) break;
    }
}

static int print_verb(const invocation *call, const verb *v, bool is_whole) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    print_usage(v, out.stream);
    fprintf(out.stream, "\n%s.\n", v->summary);
    print_paragraphs(v->about, out.stream, is_whole);
    size_t left_out = print_options(v, out.stream, is_whole);
    fprintf(out.stream, "\nExample\n%s", v->example);
    if (left_out > 0) fprintf(out.stream, "\n%zu more options: credence help %s --all\n", left_out, v->name);
    if (left_out > 0 && (is_listed(v->essentials, "smoothing") || is_listed(v->essentials, "method")))
        fputs("One setting and its values: credence help smoothing (or method, family, ...)\n", out.stream);
    return output_close(&out, ENDED_WELL);
}

int verb_explain_itself(const verb *v) {
    invocation none = {0};
    return print_verb(&none, v, false);
}

/* Other names for settings: plurals, and names that users look for. */
static const struct {
    const char *topic, *setting;
} topics[] = {{"methods", "method"},  {"classifiers", "method"}, {"families", "family"},   {"densities", "family"},
              {"density", "family"},  {"priors", "prior"},       {"laplace", "smoothing"}, {"alpha", "smoothing"},
              {"searches", "search"}, {"structures", "search"}};

/* Returns the setting that a help topic names; NULL: none. */
static const crd_setting *find_topic(const char *topic) {
    while (*topic == '-') topic++;
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
        if (strcmp(topics[i].topic, topic) == 0) topic = topics[i].setting;
    for (size_t i = 0; i < crd_setting_count(); i++)
        if (strcmp(crd_setting_at(i)->name, topic) == 0) return crd_setting_at(i);
    return NULL;
}

/* Prints the density families, each with its purpose. */
static void print_families(FILE *stream) {
    crd_family family = CRD_FAMILY_INIT;
    fputs("\nFamilies\n", stream);
    for (size_t i = 0; crd_family_at(i, &family); i++)
        if (family.type == CRD_TYPE_NUMERIC || family.type == CRD_TYPE_TEXT)
            print_entry(stream, family.name, family.summary);
}

/* Prints all settings, or one, with their forms: the effect of a form, and the bounds of its argument. */
static int print_settings(const invocation *call, const crd_setting *only) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    if (only == NULL)
        print_words(out.stream,
                    "Settings choose the method, the densities and their smoothing. train stores them in the model as "
                    "its defaults; any other verb applies them to that call only. To show one of them, run credence "
                    "help settings NAME.",
                    0, 0);
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        if (only != NULL && setting != only) continue;
        string help = {0};
        fprintf(out.stream, "%s--%s (%s)\n", only == NULL ? "\n" : "", setting->name, setting->default_value);
        setting_help_add(&help, setting);
        print_words(out.stream, string_text(&help), 2, 0);
        string_free(&help);
        for (size_t j = 0; j < setting->form_count; j++) {
            const crd_setting_form *form = &setting->forms[j];
            string left = {0};
            string_format(&left, "%s%s%s%s%s", form->word == NULL ? "" : form->word,
                          form->word == NULL || form->argument == NULL ? "" : ":",
                          form->argument == NULL ? "" : form->argument, form->suffix == NULL ? "" : ":",
                          form->suffix == NULL ? "" : form->suffix);
            print_entry(out.stream, string_text(&left), form->help);
            string_free(&left);
        }
        if (only != NULL && strcmp(setting->name, "family") == 0) print_families(out.stream);
    }
    return output_close(&out, ENDED_WELL);
}

/* ---- An option ---- */

static const option *help_find_option(const verb *v, const char *name) {
    for (const option *o = v->options; o != NULL && o->name != NULL; o++)
        if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

static bool is_same_option(const option *a, const option *b) {
    return a != NULL && b != NULL && strcmp(a->help, b->help) == 0;
}

/* Returns the index of the first verb with an option of that name, or with the same option as `like`. */
static size_t first_verb_with(const char *name, const option *like) {
    size_t i = 0;
    for (; verb_table[i] != NULL; i++) {
        const option *o = help_find_option(verb_table[i], name);
        if (like == NULL ? o != NULL : is_same_option(o, like)) break;
    }
    return i;
}

/* Explains an option and lists the verbs that accept it, once for each meaning. */
static int print_option_topic(const invocation *call, const char *name) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    for (size_t i = first_verb_with(name, NULL); verb_table[i] != NULL; i++) {
        const option *o = help_find_option(verb_table[i], name);
        string verbs = {0};
        if (o == NULL || first_verb_with(name, o) != i) continue;
        for (size_t j = i; verb_table[j] != NULL; j++)
            if (is_same_option(help_find_option(verb_table[j], name), o))
                string_format(&verbs, "%s%s", verbs.length == 0 ? "" : ", ", verb_table[j]->name);
        print_option(out.stream, o);
        fputs("  Verbs: ", out.stream);
        print_words(out.stream, string_text(&verbs), 9, 9);
        string_free(&verbs);
    }
    return output_close(&out, ENDED_WELL);
}

/* ---- Settings as JSON, and the rest ---- */

/* Writes the settings as JSON, from which other user interfaces build their forms. */
static int help_report_settings(const invocation *call) {
    crd_family family = CRD_FAMILY_INIT;
    report *r = report_create();
    report_object(r, NULL);
    report_array(r, "settings");
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        report_object(r, NULL);
        report_words(r, "name", setting->name);
        report_words(r, "default", setting->default_value);
        report_words(r, "help", setting->help);
        report_table *t = report_add_table(r, "forms");
        t->is_short = true;
        column_add(t, "word", NULL);
        column_add(t, "argument", NULL);
        column_add(t, "suffix", NULL);
        column_add(t, "help", NULL);
        for (size_t j = 0; j < setting->form_count; j++) {
            const crd_setting_form *form = &setting->forms[j];
            const char *const words[] = {form->word, form->argument, form->suffix, form->help};
            for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
                if (words[k] == NULL) cell_null(t);
                else cell_words(t, words[k]);
            }
        }
        report_end(r);
    }
    report_end(r);
    report_table *families = report_add_table(r, "families");
    families->is_short = true;
    column_add(families, "name", NULL);
    column_add(families, "type", NULL);
    for (size_t i = 0; crd_family_at(i, &family); i++) {
        cell_words(families, family.name);
        cell_words(families, crd_column_type_name(family.type));
    }
    report_end(r);
    return report_finish(r, call, "json", ENDED_WELL);
}

/* Prints the usage of the command, the verbs by group, and the general help. */
static int print_all(const invocation *call) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    print_words(out.stream, help_purpose, 0, 0);
    fputs("\nusage: credence VERB ...\n\n", out.stream);
    for (size_t i = 0; verb_table[i] != NULL; i++)
        fprintf(out.stream, "  %-14s%s\n", verb_table[i]->name, verb_table[i]->summary);
    fputc('\n', out.stream);
    print_words(out.stream, help_operands, 0, 0);
    fputc('\n', out.stream);
    print_words(out.stream, help_lists, 0, 0);
    fputc('\n', out.stream);
    print_words(out.stream, help_endings, 0, 0);
    fputs("\ncredence help VERB      usage, the common options, an example; --all: everything\n"
          "credence help settings  methods, families of densities, smoothing\n",
          out.stream);
    return output_close(&out, ENDED_WELL);
}

/* Prints the manual page of the verb, or of the whole command if v is NULL. */
static int print_manual(const invocation *call, const verb *v) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    if (v == NULL) {
        manual_print(out.stream);
    } else {
        manual_print_verb(out.stream, v);
    }
    return output_close(&out, ENDED_WELL);
}

static int print_completion(const invocation *call) {
    static void (*const print[])(FILE *) = {completion_print_bash, completion_print_zsh, completion_print_fish};
    size_t shell = 0;
    output out;
    if (call->arguments.operand_count > 0) return message_usage("--completion has no operand: it covers all verbs");
    int ended = arguments_choice(&call->arguments, "completion", SHELLS, &shell);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    print[shell](out.stream);
    return output_close(&out, ENDED_WELL);
}

/* Runs the verb help: a verb, a setting, an option, a manual page, a completion script, or the list of verbs. */
static int run_help(invocation *call) {
    const arguments *words = &call->arguments;
    const verb *v = NULL;
    if (arguments_have(words, "completion")) return print_completion(call);
    const bool is_settings = words->operand_count > 0 && strcmp(words->operands[0], "settings") == 0;
    if (words->operand_count == 1 && is_settings)
        return arguments_have(words, "format") ? help_report_settings(call) : print_settings(call, NULL);
    if (arguments_have(words, "format")) return message_usage("--format is only for help settings");
    if (words->operand_count > 0) {
        const char *topic = words->operands[words->operand_count - 1];
        /* If a verb and a setting share a name, the verb is explained; help settings NAME explains the setting. */
        const crd_setting *setting = is_settings || !is_verb(topic) ? find_topic(topic) : NULL;
        if (setting != NULL && (is_settings || words->operand_count == 1)) return print_settings(call, setting);
        if (is_settings) {
            message_usage("unknown setting '%s'", topic);
            message_hint("run credence help settings for a list");
            return ENDED_USAGE;
        }
        if (words->operand_count > 1) return message_usage("help explains one verb at a time");
        const char *name = topic + strspn(topic, "-");
        if (!is_verb(topic) && verb_table[first_verb_with(name, NULL)] != NULL) return print_option_topic(call, name);
    }
    if (words->operand_count == 1 && (v = verb_find(words->operands[0])) == NULL) return ENDED_USAGE;
    if (arguments_have(words, "man")) return print_manual(call, v);
    return v == NULL ? print_all(call) : print_verb(call, v, arguments_have(words, "all"));
}

/* Returns the name of a help topic: the verbs come first, then the settings. */
static const char *verb_name(size_t index) {
    size_t count = 0;
    while (verb_table[count] != NULL) count++;
    return index < count ? verb_table[index]->name : index == count ? "settings" : NULL;
}

static int run_version(invocation *call) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    fprintf(out.stream, "credence %s\n", crd_version());
    return output_close(&out, ENDED_WELL);
}

static const option options_of_help[] = {
    {"all", 0, NULL, .help = "show every option and setting of the verb, and its full description"},
    {"man", 0, NULL, .help = "print a manual page: credence help train --man | man -l -"},
    {"completion", 0, SHELLS, .help = "print a completion script: source <(credence help --completion bash)"},
    {"format", 0, "json", .help = "print settings, their forms and the density families as JSON", .is_once = true},
    OPTION_OUTPUT,
    OPTIONS_END};
static const option options_of_version[] = {OPTIONS_END};

const verb verb_help = {.name = "help",
                        .usage = "help [VERB|SETTING|settings] [--all]",
                        .summary = "Show help on the command, a verb, or a setting",
                        .about = "",
                        .example = "  credence help train\n",
                        .essentials = "all|man|completion|format|output",
                        .options = options_of_help,
                        .operand = verb_name,
                        .least = 0,
                        .most = 2,
                        .operands = "a verb or a setting",
                        .run = run_help};

const verb verb_version = {.name = "version",
                           .usage = "version",
                           .summary = "Print the version",
                           .about = "",
                           .example = "  credence version\n",
                           .essentials = "output",
                           .options = options_of_version,
                           .least = 0,
                           .most = 0,
                           .operands = "no operands",
                           .run = run_version};
