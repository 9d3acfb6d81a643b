/* SPDX-License-Identifier: MIT */
/* verb_query.c - the verb query: the rows of a table, a model or a network, asked about any of their columns. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/model_or_table.h"
#include "source/network_or_model.h"
#include "source/option_scope.h"
#include "source/sequence_options.h"
#include "verbs/query/query_model.h"
#include "verbs/query/query_network.h"
#include "verbs/query/query_sequence.h"
#include "verbs/query/query_table.h"
#include "verbs/query/query_terms.h"

/* Whether a model is asked: a model file always is, a table where --as says so. */
static int query_choose_kind(const invocation *call, bool *is_model) {
    const char *path = call->arguments.operands[0];
    enum { AS_TABLE, AS_MODEL };
    size_t as = AS_TABLE;
    bool is_file = false;
    int ended = arguments_choice(&call->arguments, "as", "table|model", &as);
    if (ended == ENDED_WELL) ended = input_file_is_model(call, path, &is_file);
    if (ended != ENDED_WELL) return ended;
    *is_model = is_file || as == AS_MODEL;
    if (is_file && as == AS_TABLE && arguments_have(&call->arguments, "as")) {
        return message_failed("%s is a model: it does not keep the rows that it learned", path);
    }
    return ENDED_WELL;
}

static int ask_network(const invocation *call, crd_network *network, const crd_settings *settings) {
    int ended = query_network(call, network, settings);
    crd_network_destroy(network);
    return ended;
}

/* A model of categories is a network, too: its class is the parent of each of them. */
static int ask_model_as_network(const invocation *call) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_network *network = NULL;
    crd_error error;
    int ended = model_or_table_open(call, path, &model);
    if (ended == ENDED_WELL && crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL) ended = arguments_apply_settings(&call->arguments, settings);
    if (ended == ENDED_WELL && crd_network_from_model(model, settings, &network, &error) != CRD_OK) {
        ended = message_error_in(&error, path);
    }
    if (ended == ENDED_WELL) ended = ask_network(call, network, settings);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

/* Asks a model of sequences; *is_one is whether the first operand is such. */
static int ask_sequences(const invocation *call, bool *is_one) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    bool is_model = false;
    *is_one = false;
    int ended = input_file_is_model(call, path, &is_model);
    if (ended != ENDED_WELL || (!is_model && !sequence_options_are_given(call))) return ended;
    ended = model_or_table_open(call, path, &model);
    *is_one = ended == ENDED_WELL && crd_model_is_sequence(model);
    if (*is_one) ended = query_sequence(call, model);
    if (ended == ENDED_WELL && crd_model_is_sequence_classes(model)) {
        ended = message_failed("%s classifies whole sequences, and answers no queries", path);
        message_hint("predict, evaluate and show take it");
    }
    crd_model_destroy(model);
    return ended;
}

static int query_run(invocation *call) {
    const arguments *words_given = &call->arguments;
    bool is_model = false, is_of_sequences = false;
    crd_network *network = NULL;
    crd_settings *settings = NULL;
    if (arguments_have(words_given, "terms")) return query_terms(call);
    int ended = ask_sequences(call, &is_of_sequences);
    if (ended != ENDED_WELL || is_of_sequences) return ended;
    ended = option_scope_check_rows(call, words_given->operands[0]);
    if (ended != ENDED_WELL) return ended;
    ended = network_or_model_open(call, words_given->operands[0], &network, &settings);
    if (ended != ENDED_WELL) return ended;
    if (network != NULL) {
        ended = ask_network(call, network, settings);
        crd_settings_destroy(settings);
        return ended;
    }
    const char *of_network = arguments_in_scope(words_given, SCOPE_NETWORKS);
    bool asks_independence = arguments_have(words_given, "independence");
    if (of_network == NULL && !asks_independence && !arguments_have(words_given, "of")) {
        return message_usage(
            "nothing to compute: name columns or an event with --of, or two columns with --independence");
    }
    ended = query_choose_kind(call, &is_model);
    if (ended != ENDED_WELL) return ended;
    bool asks_rows = words_given->operand_count > 1;
    if (is_model && (of_network != NULL || asks_independence || asks_rows)) return ask_model_as_network(call);
    if (of_network != NULL) {
        message_usage("the rows of a table answer no --%s: a network does", of_network);
        message_hint("with --target COL, --as model asks the model that the table makes");
        return ENDED_USAGE;
    }
    return is_model ? query_model(call) : query_table(call);
}

static const option options[] = {
    {"of", 0, "COLS|EVENT",
     .help = "query: columns, each by itself, or an event such as 'sum>=2', 'sum in {2,4}' or 'sum even'; all: every "
             "node of a network (the default with evidence)"},
    {"together", 0, NULL, .help = "joint probabilities of the columns of --of",
     .scope = SCOPE_ONE_CASE | SCOPE_NOT_SEQUENCES, .needs = "of", .conflicts = "independence most-probable decide"},
    {"given", 0, "COL=VALUE,...", .help = "evidence: values of columns; of a table, any event",
     .scope = SCOPE_NOT_SEQUENCES},
    {"independence", 0, "COL,COL|SET;SET",
     .help = "independence of two columns, or two sets of them, given those of --given",
     .scope = SCOPE_ONE_CASE | SCOPE_NOT_SEQUENCES,
     .conflicts = "of likelihood approximate observe value-of most-probable decide"},
    {"markov-blanket", 0, "COLS", .help = "network: parents, children and their other parents: a node's features",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE,
     .conflicts = "of given independence likelihood approximate observe value-of most-probable decide"},
    {"at", 0, "X,...",
     .help = "of a model's numeric column: density and distribution function at these points; of sequences, the steps",
     .scope = SCOPE_NOT_NETWORKS},
    {"path", 0, "STATE,...", .help = "sequences: probability of these states in a row from step --at (1) on; ? is any",
     .scope = SCOPE_SEQUENCES, .conflicts = "of forecast"},
    {"forecast", 0, "H", .help = "sequences: states and observations up to H steps behind the end",
     .scope = SCOPE_SEQUENCES, .conflicts = "of at", .is_once = true},
    {"terms", 0, "TEXT", .help = "what of this text a model with a text column counts",
     .scope = SCOPE_NOT_NETWORKS | SCOPE_NOT_SEQUENCES,
     .conflicts = "of given together independence at plot likelihood", .is_once = true},
    {"as", 0, "table|model", .help = "relative frequencies of a table (the default), or the model trained on it",
     .scope = SCOPE_NOT_NETWORK_FILES, .is_once = true},
    {"all", 0, NULL, .help = "show long tables in full"},
    OPTION_PLOT_OR_CHARACTERS,
    OPTION_LIKELIHOOD,
    {"most-probable", 0, NULL, .help = "network: most probable explanation (MPE), or MAP of the nodes of --of",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .conflicts = "approximate observe value-of decide"},
    {"decide", 0, NULL, .help = "network: the decisions of maximum expected utility",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .conflicts = "of approximate"},
    {"observe", 0, "COLS", .help = "with --decide: nodes that are observed before",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .needs = "decide"},
    {"value-of", 0, "COLS|all", .help = "with --decide: value of information of these nodes",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .needs = "decide"},
    OPTIONS_OF_ESTIMATES,
    {"format", 0, FORMATS, .help = "output format; csv is for rows", .is_once = true},
    OPTION_OUTPUT,
    OPTIONS_OF_SEQUENCES,
    OPTION_TABLE_TARGET,
    OPTIONS_OF_COLUMNS,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_query = {
    .name = "query",
    .usage = "query MODEL|NETWORK|DATA... --of COLS|EVENT [--given COL=VALUE,...] | query NETWORK DATA... --of "
             "COLS|all | query SEQUENCE-MODEL DATA...",
    .summary = "Compute probabilities of any columns, given others",
    .about =
        "A table answers by relative frequencies, a model by its posterior under the settings, a network by "
        "exact inference. --of names columns, each by itself or --together, or an event; --given the "
        "evidence.\n\n"
        "In a table rows with a missing cell in a column of the query are left out and counted. An event "
        "compares columns with values by = != < <= > >= and joins comparisons by and, or, not and brackets; "
        "names and values that hold such words go in double quotes. --independence tests two columns, or two sets: "
        "chi-squared, G-squared, mutual information. In a model the class, or any attribute, the class "
        "given or summed out; of a column of texts, COLUMN:WORD has P(word | class).\n\n"
        "In a network: posteriors of nodes and events given the evidence of --given and the virtual "
        "evidence of --likelihood, the most probable explanation (--most-probable), d-separation "
        "of two nodes or sets ('A,B;C') with the open path (--independence), the Markov blanket of a node "
        "(--markov-blanket), which makes it independent of all else, and the decisions of maximum expected "
        "utility (--decide). Of a continuous node, --of has mean, standard deviation, interval and mixture; an "
        "event compares it with numbers ('x>3'), and --given takes its number. "
        "Where exact inference would take more than --memory, the message has its size; with --approximate "
        "probabilities are then estimated by likelihood weighting, Gibbs sampling or loopy belief "
        "propagation, with standard errors.\n\n"
        "--terms lists what of a text a model counts: its words, n-grams or characters, each with the part of the text "
        "that it was made of.\n\n"
        "With DATA after it, a network answers one line a row, as predict does: the posteriors of --of, and "
        "the log probability of the evidence, which is all cells that are states, and --given in each row. "
        "Cells of nodes that --of names do not count as evidence, so that they can be compared; with --of "
        "all every cell does. Where the evidence of a row has probability zero, its fields are empty.\n\n"
        "A model of sequences answers about the sequences of DATA, a line each: the log probability of their "
        "observations; with "
        "--of LABEL --at N,... the posterior of the states at these steps (last is the last one), with --of "
        "LABEL=STATE of one of them; with --path A,B,? the probability of states in a row; with --forecast H the "
        "states of the H steps to come, and of each column the mean, standard deviation and 95% interval, or the most "
        "probable value.",
    .example = "  credence example tennis > days.csv\n"
               "  credence query days.csv --of Outlook --given Play=Yes\n"
               "  credence query days.csv --of Outlook,Play --together\n"
               "  credence query days.csv --of 'Outlook=Sunny or Wind=Strong'\n"
               "  credence query days.csv --independence Humidity,Play --given Wind\n"
               "  credence query days.csv --target Play --as model --of Play --given Outlook=Sunny\n"
               "  credence example asia > asia.bif\n"
               "  credence query asia.bif --of all --given visit=yes,dyspnoea=yes\n"
               "  credence query asia.bif --independence visit,smoking --given dyspnoea\n"
               "  credence sample asia.bif --rows 5 > patients.csv\n"
               "  credence query asia.bif patients.csv --of cancer,bronchitis\n",
    .essentials = "of|given|together|independence|forecast|as|most-probable|decide|plot|format",
    .options = options,
    .takes_settings = true,
    .takes_sequences = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "a MODEL, NETWORK or DATA",
    .reads_operands = true,
    .run = query_run};
