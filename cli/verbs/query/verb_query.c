/* SPDX-License-Identifier: MIT */
/* verb_query.c - the verb query: computes probabilities of any columns from the rows of a table, a model or a
 * network. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/option_scope.h"
#include "source/sequence_options.h"
#include "verbs/query/query_model.h"
#include "verbs/query/query_network.h"
#include "verbs/query/query_sequence.h"
#include "verbs/query/query_table.h"
#include "verbs/query/query_terms.h"

/* Determines whether the query is for a model: always for a model file, and for a table with --as model. */
static int query_choose_kind(const invocation *call, bool *is_model) {
    const char *path = call->arguments.operands[0];
    enum { AS_TABLE, AS_MODEL };
    size_t as = AS_TABLE;
    crd_file_kind kind = CRD_FILE_ROWS;
    int ended = arguments_choice(&call->arguments, "as", "table|model", &as);
    if (ended == ENDED_WELL) ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL) return ended;
    const bool is_file = kind == CRD_FILE_MODEL;
    *is_model = is_file || as == AS_MODEL;
    if (is_file && as == AS_TABLE && arguments_have(&call->arguments, "as")) {
        return message_failed("%s is a model: it does not contain the training rows", path);
    }
    return ENDED_WELL;
}

static int ask_network(const invocation *call, crd_network *network, const crd_settings *settings) {
    int ended = query_network(call, network, settings);
    crd_network_destroy(network);
    return ended;
}

/* Answers a query to a categorical model as a query to a network, in which the class is the parent of each attribute.
 */
static int ask_model_as_network(const invocation *call) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_network *network = NULL;
    crd_error error;
    int ended = model_operand_open(call, path, &model);
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

/* Answers a query to a sequence model. Sets *is_one to whether the first operand is one. */
static int ask_sequences(const invocation *call, bool *is_one) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_file_kind kind = CRD_FILE_ROWS;
    *is_one = false;
    int ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL || (kind != CRD_FILE_MODEL && !sequence_options_are_given(call))) return ended;
    ended = model_operand_open(call, path, &model);
    *is_one = ended == ENDED_WELL && crd_model_is_sequence(model);
    if (*is_one) ended = query_sequence(call, model);
    if (ended == ENDED_WELL && crd_model_sequence_classes(model) != NULL) {
        ended = message_failed("%s classifies whole sequences; query does not support it", path);
        message_hint("use predict, evaluate or show");
    }
    if (ended == ENDED_WELL && !*is_one) model_operand_keep(call, path, model);
    else crd_model_destroy(model);
    return ended;
}

/* Chooses the kind of query by the operands and options: terms, sequences, network, model or table. */
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
    ended = model_operand_open_network(call, words_given->operands[0], &network, &settings);
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
        message_usage("--%s needs a network, not the rows of a table", of_network);
        message_hint("train a model on the table with --target COL and --as model");
        return ENDED_USAGE;
    }
    return is_model ? query_model(call) : query_table(call);
}

static const option options[] = {
    {"of", 0, "COLS|EVENT",
     .help = "columns to query, or an event such as 'sum>=2', 'sum in {2,4}' or 'sum even'; all: every "
             "node of a network (the default with evidence)"},
    {"joint-distribution", 0, NULL, .help = "joint distribution of the columns of --of",
     .scope = SCOPE_ONE_CASE | SCOPE_NOT_SEQUENCES, .needs = "of", .conflicts = "independence mpe map decide"},
    {"given", 0, "COL=VALUE,...", .help = "evidence: values of columns; for a table, any event",
     .scope = SCOPE_NOT_SEQUENCES},
    OPTION_DO,
    {"independence", 0, "COL,COL|SET;SET",
     .help = "independence test of two columns, or two sets of columns, given the columns of --given",
     .scope = SCOPE_ONE_CASE | SCOPE_NOT_SEQUENCES,
     .conflicts = "of likelihood approximate observe value-of mpe map decide"},
    {"markov-blanket", 0, "COLS",
     .help = "network: parents, children and other parents of children; usable as features of a classifier",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE,
     .conflicts = "of given independence likelihood approximate observe value-of mpe map decide"},
    {"at", 0, "X,...",
     .help = "numeric columns of a model: density and distribution function at these points; sequences: the steps",
     .scope = SCOPE_NOT_NETWORKS},
    {"path", 0, "STATE,...",
     .help = "sequences: probability of consecutive states from step --at (1) on; ? matches any state",
     .scope = SCOPE_SEQUENCES, .conflicts = "of forecast"},
    {"forecast", 0, "H", .help = "sequences: states and observations of the H steps after the end",
     .scope = SCOPE_SEQUENCES, .conflicts = "of at", .is_once = true},
    {"terms", 0, "TEXT", .help = "list the terms that a model with a text column extracts from this text",
     .scope = SCOPE_NOT_NETWORKS | SCOPE_NOT_SEQUENCES,
     .conflicts = "of given joint-distribution independence at plot likelihood", .is_once = true},
    {"as", 0, "table|model", .help = "table: relative frequencies (default); model: train one on the table",
     .scope = SCOPE_NOT_NETWORK_FILES, .is_once = true},
    {"all", 0, NULL, .help = "show long tables in full"},
    OPTION_PLOT_OR_CHARACTERS,
    OPTION_LIKELIHOOD,
    {"mpe", 0, NULL, .help = "network: most probable explanation, the most probable states of all nodes",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .conflicts = "of map approximate observe value-of decide",
     .hint = "--map finds the most probable joint states of the nodes of --of"},
    {"map", 0, NULL, .help = "network: the most probable joint states of the nodes of --of",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .needs = "of", .conflicts = "approximate observe value-of decide"},
    {"decide", 0, NULL, .help = "network: the decisions of maximum expected utility",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .conflicts = "of approximate"},
    {"observe", 0, "COLS", .help = "with --decide: nodes observed before the first decision",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .needs = "decide"},
    {"value-of", 0, "COLS|all", .help = "with --decide: value of information of these nodes",
     .scope = SCOPE_NETWORKS | SCOPE_ONE_CASE, .needs = "decide"},
    OPTIONS_OF_ESTIMATES,
    {"format", 0, FORMATS, .help = "output format; csv is for rows of DATA", .is_once = true},
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
        "A table returns relative frequencies, a model its posterior under the settings, and a network uses exact "
        "inference. --of names columns or an event. Columns are queried separately, or jointly with "
        "--joint-distribution. "
        "--given sets the evidence.\n\n"
        "Tables: rows with a missing value in a queried column are skipped and counted. An event compares columns "
        "with values by = != < <= > >= and joins comparisons by and, or, not and brackets. Put names and values that "
        "contain such words in double quotes. --independence tests two columns, or two sets: chi-squared, G-squared, "
        "mutual information.\n\n"
        "Models: you can query the class or any attribute. If the class is not given, it is summed out. For text "
        "columns, COLUMN:WORD prints P(word | class).\n\n"
        "Networks: --of prints posteriors of nodes and events, given the evidence of --given and the virtual evidence "
        "of --likelihood. --mpe finds the most probable explanation. --independence tests d-separation of "
        "two nodes or sets ('A,B;C') and shows an open path. --markov-blanket lists the nodes that make a node "
        "independent of all others. --decide finds the decisions of maximum expected utility. For continuous nodes, "
        "--of prints mean, standard deviation, interval and mixture. Events compare them with numbers ('x>3'), and "
        "--given accepts a number. If exact inference would need more than --memory, the error message states the "
        "size. With --approximate, such probabilities are estimated by likelihood weighting, Gibbs sampling or loopy "
        "belief propagation, with standard errors.\n\n"
        "--terms lists the terms that a model extracts from a text: words, n-grams or characters, each with the part "
        "of the text from which it was made.\n\n"
        "Networks with DATA: one line per row, as in predict, with the posteriors of --of and the log probability of "
        "the evidence. The evidence of a row consists of --given and all its values that are states. Values of nodes "
        "in "
        "--of are not evidence, so you can compare them with the predictions. With --of all, every value is evidence. "
        "If the evidence of a row has probability zero, its fields are empty.\n\n"
        "Sequence models with DATA: one line per sequence, with the log probability of its observations. With --of "
        "LABEL --at N,... it contains the posterior of the states at these steps (last is the last step), with --of "
        "LABEL=STATE of one state. With --path A,B,? it contains the probability of consecutive states. With "
        "--forecast H it lists the states of the next H steps, and for each column the mean, standard deviation and "
        "95% interval, or the most probable value.",
    .example = "  credence example tennis > days.csv\n"
               "  credence query days.csv --of Outlook --given Play=Yes\n"
               "  credence query days.csv --of Outlook,Play --joint-distribution\n"
               "  credence query days.csv --of 'Outlook=Sunny or Wind=Strong'\n"
               "  credence query days.csv --independence Humidity,Play --given Wind\n"
               "  credence query days.csv --target Play --as model --of Play --given Outlook=Sunny\n"
               "  credence example asia > asia.bif\n"
               "  credence query asia.bif --of all --given visit=yes,dyspnoea=yes\n"
               "  credence query asia.bif --independence visit,smoking --given dyspnoea\n"
               "  credence sample asia.bif --rows 5 > patients.csv\n"
               "  credence query asia.bif patients.csv --of cancer,bronchitis\n",
    .essentials = "of|given|joint-distribution|independence|forecast|as|mpe|map|decide|plot|format",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "a MODEL, NETWORK or DATA",
    .reads_operands = true,
    .run = query_run};
