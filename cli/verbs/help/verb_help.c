/* verb_help.c - help and version, and finding a verb by a name that may be mistyped. */
#include "verbs/help/help_text.h"

#include "verbs/help/setting_help.h"

#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"
#include "core/verb.h"
#include "verbs/help/completion.h"
#include "verbs/help/manual.h"

#include <string.h>

/* The shells that completion is for. */
#define SHELLS "bash"

const char help_purpose[] = "credence learns from a table, answers with probabilities, and shows its working.";
const char help_operands[] =
    "DATA is a file, several, or - for standard input: comma, semicolon or tab separated with a header, or numbers "
    "between blanks without one; .gz and .zst are read as they are. Wherever MODEL stands, a table with --target does "
    "too, save for update and forget. Columns go by name, number from 1, range (2-5), glob (petal*), first and last; "
    "those of a model are counted "
    "without its target.";
const char help_lists[] =
    "Lists (--ignore, --missing, --prior, --given) have commas; an item that has one itself, or blanks that count, "
    "stands in double quotes: --ignore '\"a,b\",c' --given '\"a,b= x\",c=1'.";
const char help_endings[] = "Exit 0: done; 1: the data or the operation failed; 2: the command line is wrong.";

/* What other programs call our verbs. */
static const struct {
    const char *typed, *meant;
} synonyms[] = {{"fit", "train"},          {"learn", "train"},   {"build", "train"},  {"classify", "predict"},
                {"score", "predict"},      {"infer", "predict"}, {"why", "explain"},  {"print", "show"},
                {"info", "show"},          {"inspect", "show"},  {"summary", "show"}, {"unlearn", "forget"},
                {"partial_fit", "update"}, {"append", "update"}, {"add", "merge"},    {"dump", "export"},
                {"examples", "example"},   {"usage", "help"}};

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
    message_usage("there is no verb '%s'", name);
    if (near.length > 0) {
        message_hint("did you mean %s?", string_text(&near));
    } else {
        message_hint("credence help lists the verbs");
    }
    string_free(&near);
    return NULL;
}

/* Writes words in lines of at most WIDEST columns. */
static void print_words(FILE *stream, const char *words, size_t indent) {
    enum { WIDEST = 110 };
    size_t used = 0;
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        bool fits = used > 0 && used + 1 + length <= WIDEST;
        if (used > 0) fputs(fits ? " " : "\n", stream);
        used = fits ? used + 1 + length : indent + length;
        fprintf(stream, "%*s%.*s", fits ? 0 : (int)indent, "", (int)length, words);
        words += length;
        while (*words == ' ') words++;
    }
    fputc('\n', stream);
}

/* Name and value of an option on the left, its help on the right. */
static void print_options(const verb *v, FILE *stream) {
    table *t = table_create(2);
    size_t count = 0;
    count = crd_setting_count();
    table_align_left(t, 1);
    for (const option *o = v->options; o->name != NULL; o++) {
        string name = {0};
        if (o->letter != 0) string_format(&name, "-%c, ", o->letter);
        string_format(&name, "--%s%s%s", o->name, o->value == NULL ? "" : " ", o->value == NULL ? "" : o->value);
        table_add(t, string_text(&name));
        table_add(t, o->help);
        string_free(&name);
    }
    fputs("\nOptions\n", stream);
    table_print(t, stream, 2, 0);
    table_destroy(t);
    if (!v->takes_settings) return;
    fputs("\nSettings\n", stream);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "  --%s %s (default %s)\n", crd_setting_at(i)->name, crd_setting_at(i)->syntax,
                crd_setting_at(i)->default_value);
        string help = {0};
        setting_help_add(&help, crd_setting_at(i));
        print_words(stream, string_text(&help), 6);
        string_free(&help);
    }
}

int verb_explain_itself(const verb *v) {
    invocation none = {0};
    output out;
    int ended = output_open(&none, &out);
    if (ended != ENDED_WELL) return ended;
    fprintf(out.stream, "usage: credence %s\n\n%s.\n", v->usage, v->summary);
    if (v->about[0] != '\0') fprintf(out.stream, "\n%s", v->about);
    print_options(v, out.stream);
    fprintf(out.stream, "\nExample\n%s", v->example);
    return output_close(&out, ENDED_WELL);
}

static int print_all(const invocation *call) {
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    fprintf(out.stream, "%s\n\n", help_purpose);
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        fprintf(out.stream, "  credence %s\n      %s\n", verb_table[i]->usage, verb_table[i]->summary);
    }
    fputc('\n', out.stream);
    print_words(out.stream, help_operands, 0);
    fputc('\n', out.stream);
    print_words(out.stream, help_lists, 0);
    fputc('\n', out.stream);
    print_words(out.stream, help_endings, 0);
    fputs("\ncredence help VERB explains one, with an example.\n", out.stream);
    return output_close(&out, ENDED_WELL);
}

/* The manual page of the verb, or of the whole command where there is none. */
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
    size_t shell = 0;
    output out;
    if (call->arguments.operand_count > 0) return message_usage("--completion is for all verbs at once");
    int ended = arguments_choice(&call->arguments, "completion", SHELLS, &shell);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    completion_print_bash(out.stream);
    return output_close(&out, ENDED_WELL);
}

static int run_help(invocation *call) {
    const arguments *words = &call->arguments;
    const verb *v = NULL;
    if (words->operand_count > 1) return message_usage("help explains one verb at a time");
    if (arguments_have(words, "completion")) return print_completion(call);
    if (words->operand_count == 1 && (v = verb_find(words->operands[0])) == NULL) return ENDED_USAGE;
    if (arguments_have(words, "man")) return print_manual(call, v);
    return v == NULL ? print_all(call) : verb_explain_itself(v);
}

static const char *verb_name(size_t index) {
    return verb_table[index] == NULL ? NULL : verb_table[index]->name;
}

static int run_version(invocation *call) {
    if (call->arguments.operand_count > 0) return message_usage("version takes no operands");
    output out;
    int ended = output_open(call, &out);
    if (ended != ENDED_WELL) return ended;
    fprintf(out.stream, "credence %s\n", crd_version());
    return output_close(&out, ENDED_WELL);
}

static const option options_of_help[] = {
    {"man", 0, NULL, "print it as a manual page: credence help train --man | man -l -"},
    {"completion", 0, SHELLS,
     "print the script that completes command lines: source <(credence help --completion bash)"},
    OPTION_OUTPUT,
    OPTIONS_END};
static const option options_of_version[] = {OPTIONS_END};

const verb verb_help = {.name = "help",
                        .usage = "help [VERB]",
                        .summary = "Explains the command, or one verb",
                        .about = "",
                        .example = "  credence help train\n",
                        .options = options_of_help,
                        .operand = verb_name,
                        .run = run_help};

const verb verb_version = {.name = "version",
                           .usage = "version",
                           .summary = "Prints the version",
                           .about = "",
                           .example = "  credence version\n",
                           .options = options_of_version,
                           .run = run_version};
