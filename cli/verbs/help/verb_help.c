/* SPDX-License-Identifier: MIT */
/* verb_help.c - the verbs help and version, and the search for a verb, whose name may be misspelled. */
#include "verbs/help/help_text.h"

#include "verbs/help/setting_help.h"

#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/verb.h"
#include "verbs/help/completion.h"
#include "verbs/help/manual.h"

#include <string.h>

/* The shells that have a completion script. */
#define SHELLS "bash|zsh|fish"

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

static void print_option(FILE *stream, const option *o) {
    string left = {0};
    if (o->letter != 0) string_format(&left, "-%c, ", o->letter);
    string_format(&left, "--%s", o->name);
    /* An optional value must be attached with =. */
    if (option_value_may_be_left_out(o->value)) string_format(&left, "[=%s", o->value + 1);
    else if (o->value != NULL) string_format(&left, " %s", o->value);
    help_print_entry(stream, string_text(&left), o->help);
    string_free(&left);
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

static const char *const group_names[GROUPS] = {NULL, "columns", "reading", "sequences", "networks"};

static option_group group_of(const option *o) {
    static const option reading[] = {OPTIONS_OF_READING, OPTIONS_OF_DOCUMENTS};
    if ((o->scope & SCOPE_SEQUENCES) != 0) return GROUP_SEQUENCES;
    if ((o->scope & SCOPE_NETWORKS) != 0) return GROUP_NETWORKS;
    if ((o->scope & SCOPE_COLUMNS) == SCOPE_COLUMNS || strcmp(o->name, "target") == 0) return GROUP_COLUMNS;
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (strcmp(reading[i].name, o->name) == 0) return GROUP_READING;
    return (o->scope & SCOPE_READING) != 0 ? GROUP_READING : GROUP_VERB;
}

/* Prints the options of the verb itself, and the names of all others by group. */
static void print_options(const verb *v, FILE *stream) {
    fputs("\nOptions (defaults in brackets)\n", stream);
    for (const option *o = v->options; o->name != NULL; o++)
        if (group_of(o) == GROUP_VERB) print_option(stream, o);
    bool is_begun = false;
    for (option_group group = GROUP_VERB + 1; group < GROUPS; group++) {
        string names = {0};
        for (const option *o = v->options; o->name != NULL; o++)
            if (group_of(o) == group) string_format(&names, "%s--%s", names.length == 0 ? "" : " ", o->name);
        if (names.length > 0 && !is_begun) fputs("\nGroups of options (credence help GROUP)\n", stream);
        if (names.length > 0) help_print_names(stream, group_names[group], string_text(&names));
        is_begun = is_begun || names.length > 0;
        string_free(&names);
    }
    if (v->setting_groups == NULL) return;
    fputs("\nSettings (credence help settings GROUP)\n", stream);
    setting_help_print_names(stream, v->setting_groups);
}

/* Prints the essential options and settings. Returns the number of the others. */
static size_t print_essentials(const verb *v, FILE *stream) {
    const crd_setting *setting = NULL;
    size_t left_out = 0;
    fputs("\nOptions (defaults in brackets)\n", stream);
    for (const option *o = v->options; o->name != NULL; o++) {
        if (names_contain(v->essentials, o->name)) print_option(stream, o);
        else left_out++;
    }
    for (size_t i = 0; (setting = settings_next(v->setting_groups, &i)) != NULL;) {
        if (names_contain(v->essentials, setting->name)) setting_help_print_short(stream, setting);
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
        help_print_words(stream, string_text(&line), 7, 7);
        string_free(&line);
        prefix = "       ";
        usage = bar == NULL ? NULL : bar + 3;
    }
    string_free(&next);
}

/* Prints the short help of a verb, or all of its options (is_whole). */
static int print_verb(const invocation *call, const verb *v, bool is_whole) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    size_t left_out = 0;
    print_usage(v, out.stream);
    fprintf(out.stream, "\n%s.\n", v->summary);
    if (!is_whole) help_print_paragraphs(v->about, out.stream, false);
    if (is_whole) print_options(v, out.stream);
    else left_out = print_essentials(v, out.stream);
    if (!is_whole) fprintf(out.stream, "\nExample\n%s", v->example);
    const bool has_more = strstr(v->about, "\n\n") != NULL || (is_whole && v->about[0] != '\0');
    if (has_more || left_out > 0) fputc('\n', out.stream);
    if (left_out > 0) fprintf(out.stream, "%zu more options: credence help %s --all\n", left_out, v->name);
    if (has_more) fprintf(out.stream, "Full description: credence help %s --about\n", v->name);
    if (left_out > 0 && (names_contain(v->essentials, "smoothing") || names_contain(v->essentials, "method")))
        fputs("One setting and its values: credence help smoothing (or method, family, ...)\n", out.stream);
    return output_close(&out, ENDED_WELL);
}

/* Prints the whole description of a verb. */
static int print_about(const invocation *call, const verb *v) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    fprintf(out.stream, "%s.\n", v->summary);
    help_print_paragraphs(v->about, out.stream, true);
    return output_close(&out, ENDED_WELL);
}

int verb_explain_itself(const verb *v) {
    invocation none = {0};
    return print_verb(&none, v, false);
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

/* Prints an option and lists the verbs that accept it, once for each meaning. */
static void print_meanings(FILE *stream, const char *name) {
    for (size_t i = first_verb_with(name, NULL); verb_table[i] != NULL; i++) {
        const option *o = help_find_option(verb_table[i], name);
        string verbs = {0};
        if (o == NULL || first_verb_with(name, o) != i) continue;
        for (size_t j = i; verb_table[j] != NULL; j++)
            if (is_same_option(help_find_option(verb_table[j], name), o))
                string_format(&verbs, "%s%s", verbs.length == 0 ? "" : ", ", verb_table[j]->name);
        print_option(stream, o);
        fputs("  Verbs: ", stream);
        help_print_words(stream, string_text(&verbs), 9, 9);
        string_free(&verbs);
    }
}

/* Prints the options called `name`, or all options of a group. */
static int print_option_topic(const invocation *call, const char *name, option_group group) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    if (group == GROUPS) print_meanings(out.stream, name);
    for (size_t i = 0; group != GROUPS && verb_table[i] != NULL; i++)
        for (const option *o = verb_table[i]->options; o->name != NULL; o++)
            if (group_of(o) == group && first_verb_with(o->name, NULL) == i) print_meanings(out.stream, o->name);
    return output_close(&out, ENDED_WELL);
}

/* Returns the group of options that a help topic names; GROUPS: none. */
static option_group find_group(const char *topic) {
    option_group group = GROUP_VERB + 1;
    while (group < GROUPS && strcmp(group_names[group], topic) != 0) group++;
    return group;
}

/* Prints the usage of the command, the verbs by group, and the general help. */
static int print_all(const invocation *call) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    help_print_words(out.stream, help_purpose, 0, 0);
    fputs("\nusage: credence VERB ...\n\n", out.stream);
    for (size_t i = 0; verb_table[i] != NULL; i++)
        fprintf(out.stream, "  %-14s%s\n", verb_table[i]->name, verb_table[i]->summary);
    fputc('\n', out.stream);
    help_print_words(out.stream, help_operands, 0, 0);
    fputc('\n', out.stream);
    help_print_words(out.stream, help_lists, 0, 0);
    fputc('\n', out.stream);
    help_print_words(out.stream, help_endings, 0, 0);
    fputs("\ncredence help VERB      usage, the common options, an example; --all: all options\n"
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

/* Explains all settings, a group of them, or one. */
static int help_with_settings(const invocation *call, const char *topic) {
    if (arguments_have(&call->arguments, "format")) return setting_help_report(call);
    if (topic == NULL) return setting_help_print_groups(call, SETTING_GROUPS);
    if (names_contain(SETTING_GROUPS, topic)) return setting_help_print_groups(call, topic);
    const crd_setting *setting = setting_help_find(topic);
    if (setting != NULL) return setting_help_print(call, setting);
    message_usage("unknown setting '%s'", topic);
    message_hint("run credence help settings for a list");
    return ENDED_USAGE;
}

/* Runs the verb help: a verb, settings, an option, a manual page, a completion script, or the list of verbs. */
static int run_help(invocation *call) {
    const arguments *words = &call->arguments;
    const verb *v = NULL;
    if (arguments_have(words, "completion")) return print_completion(call);
    const char *topic = words->operand_count > 0 ? words->operands[0] : NULL;
    if (topic != NULL && strcmp(topic, "settings") == 0)
        return help_with_settings(call, words->operand_count > 1 ? words->operands[1] : NULL);
    if (arguments_have(words, "format")) return message_usage("--format is only for help settings");
    if (words->operand_count > 1) return message_usage("help explains one verb at a time");
    /* If a verb and a setting share a name, the verb is explained; help settings NAME explains the setting. */
    if (topic != NULL && !is_verb(topic)) {
        const char *name = topic + strspn(topic, "-");
        const option_group group = find_group(topic);
        const crd_setting *setting = setting_help_find(topic);
        if (setting != NULL) return setting_help_print(call, setting);
        if (names_contain(SETTING_GROUPS, topic)) return setting_help_print_groups(call, topic);
        if (group != GROUPS || verb_table[first_verb_with(name, NULL)] != NULL)
            return print_option_topic(call, name, group);
    }
    if (topic != NULL && (v = verb_find(topic)) == NULL) return ENDED_USAGE;
    if (arguments_have(words, "man")) return print_manual(call, v);
    if (v == NULL) return print_all(call);
    return arguments_have(words, "about") ? print_about(call, v) : print_verb(call, v, arguments_have(words, "all"));
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
    {"all", 0, NULL, .help = "list every option and setting of the verb", .conflicts = "about man"},
    {"about", 0, NULL, .help = "print the whole description of the verb", .conflicts = "man"},
    {"man", 0, NULL, .help = "print a manual page: credence help train --man | man -l -"},
    {"completion", 0, SHELLS, .help = "print a completion script: source <(credence help --completion bash)"},
    {"format", 0, "json", .help = "print settings, their values and the density families as JSON", .is_once = true},
    OPTION_OUTPUT,
    OPTIONS_END};
static const option options_of_version[] = {OPTIONS_END};

const verb verb_help = {.name = "help",
                        .usage = "help [VERB|OPTION|SETTING] [--all|--about] | help settings [GROUP|SETTING]",
                        .summary = "Show help on the command, a verb, or a setting",
                        .about = "",
                        .example = "  credence help train\n",
                        .essentials = "all|about|man|completion|format|output",
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
