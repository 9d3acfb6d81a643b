/* SPDX-License-Identifier: MIT */
/* verb_example.c - the verb example: prints a table or a network that is built into the command. */
#include "core/lists.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "source/examples.h"

#include <string.h>

static const struct {
    const char *name, *about;
} descriptions[] = {
    {"tennis", "14 days of four categories: is it a day to play tennis? (lecture on naive Bayes; Quinlan 1986)"},
    {"temperature", "14 days, the temperature as a number (lecture on continuous attributes)"},
    {"ten-rows", "ten rows of three columns, two classes (lecture on naive Bayes)"},
    {"pairs", "four pairs (x, c), for --categorical x (lecture on learning from counts)"},
    {"tosses", "the eight outcomes of tossing a coin three times (lecture on probability)"},
    {"dice", "the 36 outcomes of throwing two dice, with their sum (lecture on probability)"},
    {"iris", "150 irises of three species, four measurements each (lecture on one attribute; Fisher 1936)"},
    {"burglary", "a network: an alarm, its causes, and neighbors who call (Russell and Norvig)"},
    {"sprinkler", "a network: why the grass is wet (Murphy 1998)"},
    {"asia", "a network: shortness of breath in a chest clinic (Lauritzen and Spiegelhalter 1988)"},
    {"drug", "a network: a drug that helps, although patients with it recover less often (Simpson's paradox)"},
    {"umbrella", "a network with a decision: whether to take an umbrella, given the forecast"},
    {"weather", "humidity, wind and sky at three places, 40 days each: sequences"},
    {"nile", "100 years of the flow of the Nile: a sequence with a change point (Cobb 1978)"},
    {"sentences", "30 sentences, one word and its part of speech per line: sequences between empty lines"},
    {"messages", "60 short messages, spam and ham: a column of texts, for --text message"},
    {"wildcatter", "a network with two decisions: whether to drill for oil, and to test before (Raiffa 1968)"},
    {"independent", "a network of three nodes without arcs (lecture on Bayesian networks)"},
    {"common-cause", "a network of three nodes, B <- A -> C (lecture on Bayesian networks)"},
    {"common-effect", "a network of three nodes, A -> C <- B (lecture on Bayesian networks)"},
    {"chain", "a network of three nodes, A -> B -> C (lecture on Bayesian networks)"},
};

static const char *example_describe(const char *name) {
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
        if (strcmp(descriptions[i].name, name) == 0) return descriptions[i].about;
    }
    return "";
}

/* Returns the type of an example from its first bytes. Sequences are stored as tables, and are called sequences by
 * their description. */
static const char *example_kind(const example *e) {
    const crd_text beginning = {(const char *)e->bytes, e->length};
    if (crd_network_recognize(beginning) != CRD_NETWORK_FORMAT_ANY) return "network";
    return strstr(example_describe(e->name), "sequence") != NULL ? "sequences" : "table";
}

/* Lists the examples with their type and description. */
static void list_examples(output *out) {
    crd_result *r = report_create(NULL);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_table *t = crd_result_add_table(r, "examples");
    t->is_headed = false;
    t->indent = 0;
    crd_result_add_column(t, "name", "");
    crd_result_add_column(t, "file", NULL);
    crd_result_add_column(t, "kind", NULL);
    crd_result_add_column(t, "about", "")->is_left = true;
    for (const example *e = example_table; e->name != NULL; e++) {
        crd_cell_words(t, e->name);
        crd_cell_words(t, e->file);
        crd_cell_words(t, example_kind(e));
        crd_cell_words(t, example_describe(e->name));
    }
    crd_result_end(r);
    report_write(r, out);
    crd_result_destroy(r);
}

static const example *find_example(const char *name) {
    for (const example *e = example_table; e->name != NULL; e++) {
        if (strcmp(e->name, name) == 0) return e;
    }
    string names = {0};
    for (const example *e = example_table; e->name != NULL; e++) {
        string_format(&names, "%s%s", names.length == 0 ? "" : ", ", e->name);
    }
    message_usage("unknown example '%s'", name);
    message_hint("the examples are %s", string_text(&names));
    string_free(&names);
    return NULL;
}

static const char *example_name(size_t index) {
    return example_table[index].name;
}

/* Runs the verb: prints the example, or the list of examples. */
static int example_run(invocation *call) {
    const arguments *words = &call->arguments;
    const example *chosen = NULL;
    output out;
    if (words->operand_count == 1 && (chosen = find_example(words->operands[0])) == NULL) return ENDED_USAGE;
    if (chosen != NULL && arguments_have(words, "format"))
        return message_usage("--format applies only to the list of examples");
    int ended = output_open(call, &out);
    if (ended == ENDED_WELL && chosen == NULL &&
        (ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE)) != ENDED_WELL)
        return output_close(&out, ended);
    if (ended != ENDED_WELL) return ended;
    if (chosen == NULL) {
        list_examples(&out);
    } else {
        fwrite(chosen->bytes, 1, chosen->length, out.stream);
    }
    return output_close(&out, ENDED_WELL);
}

static const option options[] = {OPTION_FORMAT, OPTION_OUTPUT, OPTIONS_END};

const verb verb_example = {.name = "example",
                           .usage = "example [NAME]",
                           .summary = "Print a built-in table or network, or list them",
                           .about = "",
                           .example = "  credence example tennis > days.csv\n"
                                      "  credence example burglary > burglary.bif\n",
                           .essentials = "format|output",
                           .options = options,
                           .operand = example_name,
                           .least = 0,
                           .most = 1,
                           .operands = "one name",
                           .run = example_run};
