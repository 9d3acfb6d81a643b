/* verb_query.c - the verb query: the rows of a table, a model or a network, asked about any of their columns. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/model_or_table.h"
#include "source/network_or_model.h"
#include "verbs/query/query_model.h"
#include "verbs/query/query_network.h"
#include "verbs/query/query_table.h"

/* Whether a model is asked: a model file always is, a table where --as says so. */
static int choose_kind(const invocation *call, bool *is_model) {
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

/* What is asked of networks alone, whatever else stands there. */
static const char *const of_networks[] = {"most-probable", "decide",      "observe", "value-of", "likelihood",
                                          "memory",        "approximate", "always",  "draws",    "seed"};

static const char *option_of_networks(const arguments *words_given) {
    for (size_t i = 0; i < sizeof of_networks / sizeof of_networks[0]; i++) {
        if (arguments_have(words_given, of_networks[i])) return of_networks[i];
    }
    return NULL;
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

static int run(invocation *call) {
    const arguments *words_given = &call->arguments;
    bool is_model = false;
    crd_network *network = NULL;
    crd_settings *settings = NULL;
    if (words_given->operand_count == 0) return message_usage("query needs a MODEL, NETWORK or DATA");
    int ended = data_check_standard_input(words_given->operands, words_given->operand_count);
    if (ended == ENDED_WELL) ended = network_or_model_open(call, words_given->operands[0], &network, &settings);
    if (ended != ENDED_WELL) return ended;
    if (network != NULL) {
        ended = ask_network(call, network, settings);
        crd_settings_destroy(settings);
        return ended;
    }
    const char *of_network = option_of_networks(words_given);
    bool asks_independence = arguments_have(words_given, "independence");
    if (of_network == NULL && !asks_independence && !arguments_have(words_given, "of")) {
        return message_usage("what is asked for? Name it with --of, or two columns with --independence");
    }
    ended = choose_kind(call, &is_model);
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
    {"of", 0, "COLS|EVENT", "what is asked for: columns, each by itself, or an event; all nodes of a network: all"},
    {"together", 0, NULL, "ask for the columns of --of jointly"},
    {"given", 0, "COL=VALUE,...", "what is known: values of columns; of a table, any event"},
    {"independence", 0, "COL,COL", "whether two columns are independent, those of --given COL being known"},
    {"at", 0, "X,...", "of a model's number column: its density at these points, and how much lies below"},
    {"as", 0, "table|model", "ask a table's plain counts (the default), or the model that it makes"},
    {"all", 0, NULL, "show long tables in full"},
    {"plot", 0, NULL, "draw densities even where there is no terminal"},
    OPTION_LIKELIHOOD,
    {"most-probable", 0, NULL, "of a network: the most probable states of all nodes together, or of those of --of"},
    {"decide", 0, NULL, "of a network: the decisions of greatest expected utility"},
    {"observe", 0, "COLS", "with --decide: nodes that are looked at before"},
    {"value-of", 0, "COLS|all", "with --decide: what it is worth to look at each of these nodes before"},
    OPTIONS_OF_ESTIMATES,
    {"format", 0, FORMATS, "how to write the answer; csv is for rows"},
    OPTION_OUTPUT,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_READING,
    OPTIONS_END};

const verb verb_query = {
    .name = "query",
    .usage =
        "query MODEL|NETWORK|DATA... --of COLS|EVENT [--given COL=VALUE,...] | query NETWORK DATA... --of COLS|all",
    .summary = "Asks for the probabilities of any columns, given others",
    .about =
        "A table answers by its plain counts: of columns alone or --together, of events, within the rows that --given\n"
        "leaves. Rows with a missing cell in a column asked about are left out and counted. An event compares columns\n"
        "with values by = != < <= > >= and joins that by and, or, not and brackets; names and values that hold such\n"
        "words go in double quotes. --independence tests two columns: chi-squared, G-squared, mutual information.\n"
        "A model answers under its settings: the class, or any attribute, the class given or summed out.\n"
        "A network's nodes are its columns, and answers are exact: of nodes, events, the findings of --given and\n"
        "--likelihood, the --most-probable states. --independence is by the arrows (d-separation), and shows the path\n"
        "that is open; --decide finds the decisions of greatest expected utility. Where that would take more than\n"
        "--memory, it says how much; with --approximate, probabilities are then estimated by likelihood weighting,\n"
        "Gibbs sampling or loopy belief propagation, with standard errors.\n"
        "With DATA behind it, a network answers a line a row, as predict does: the probabilities of --of, and the\n"
        "logarithm of the probability of what is known, which is all cells that are states, and --given in each row.\n"
        "Cells of nodes that --of names do not count, so that they can be compared; with --of all every cell does.\n"
        "Where a row cannot be, its fields are empty.\n",
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
    .options = options,
    .takes_settings = true,
    .run = run};
