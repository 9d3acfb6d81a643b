/* SPDX-License-Identifier: MIT */
/* verb_evaluate.c - the verb evaluate: accuracy, log loss, calibration and other scores of predictions for rows that
 * were not used for training. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/messages.h"
#include "core/verb.h"
#include "source/input_file.h"
#include "source/sequence_options.h"

#include <string.h>

static const char *const ways[] = {"cross-validate", "folds", "leave-one-out", "holdout"};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Returns the name of the option that selects how to split the rows; NULL: a trained model is evaluated on other
 * rows. */
static const char *evaluate_choose_way(const arguments *words) {
    for (size_t i = 0; i < WAYS; i++)
        if (arguments_have(words, ways[i])) return ways[i];
    return NULL;
}

static int evaluate_check_options(const arguments *words, const char *way) {
    bool compares = arguments_have(words, "compare");
    for (size_t i = 0; compares && i < words->option_count; i++) {
        const char *name = words->options[i].name;
        if (!crd_comparison_chooses(name)) continue;
        message_usage("--compare tries all values of --%s: they cannot be combined", name);
        message_hint("remove --%s", name);
        return ENDED_USAGE;
    }
    if (way != NULL || compares || words->operand_count > 1) return ENDED_WELL;
    message_usage("evaluate needs MODEL and DATA, or DATA and --cross-validate K, --leave-one-out or --holdout P");
    message_hint("use --cross-validate 10, --leave-one-out or --holdout 30%% to test a table on itself");
    return ENDED_USAGE;
}

/* Rejects models and networks, which do not contain the rows that are needed to split them into folds. */
static int check_no_models(const invocation *call, const char *way) {
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        const char *path = call->arguments.operands[i];
        crd_file_kind kind = CRD_FILE_ROWS;
        const int ended = input_file_detect(call, path, &kind);
        if (ended != ENDED_WELL) return ended;
        if (kind == CRD_FILE_MODEL) return message_usage("%s is a model; --%s needs the rows themselves", path, way);
        if (kind != CRD_FILE_NETWORK) continue;
        message_usage("%s is a network; --%s needs rows", path, way);
        message_hint(
            "credence evaluate DATA --method network --arcs-from %s --%s ... estimates its tables in each part", path,
            way);
        return ENDED_USAGE;
    }
    return ENDED_WELL;
}

static int evaluate_run(invocation *call) {
    const arguments *words = &call->arguments;
    const char *way = evaluate_choose_way(words);
    int ended = evaluate_check_options(words, way);
    bool compares = arguments_have(words, "compare");
    call->has_all_rows = compares || (way != NULL && strcmp(way, "leave-one-out") != 0);
    if (ended == ENDED_WELL && (way != NULL || compares)) ended = check_no_models(call, compares ? "compare" : way);
    if (ended != ENDED_WELL) return ended;
    if ((way != NULL || compares) && sequence_options_are_given(call)) return evaluate_sequence_folds(call);
    if (compares) return evaluate_compare(call);
    if (arguments_have(words, "true-labels")) return evaluate_labeling(call);
    if (way == NULL) return evaluate_model(call);
    return strcmp(way, "leave-one-out") == 0 ? evaluate_leaving_out(call) : evaluate_folds(call);
}

static const option options[] = {
    {"cross-validate", 0, "K", .help = "stratified K-fold cross-validation", .conflicts = "folds leave-one-out holdout",
     .is_once = true},
    {"leave-one-out", 0, NULL, .help = "predict each row with the model of all others", .scope = SCOPE_NOT_SEQUENCES,
     .conflicts = "holdout"},
    {"holdout", 0, "FRACTION", .help = "predict a random fraction such as 30% with the model of the rest",
     .is_once = true},
    {"folds", 0, "COL", .help = "cross-validation with the folds of this column", .scope = SCOPE_NOT_SEQUENCES,
     .conflicts = "leave-one-out holdout", .is_once = true},
    {"seed", 0, "N", .help = "seed of the folds and permutations (1)",
     .needs = "cross-validate holdout compare importance", .conflicts = "folds", .is_once = true},
    {"write-folds", 0, "FILE", .help = "write the number and fold of each row to FILE as CSV",
     .needs = "cross-validate holdout folds compare", .conflicts = "leave-one-out", .file = OPTION_WRITES,
     .is_once = true},
    {"compare", 0, NULL, .help = "compare methods and families on the same folds (10) and recommend one",
     .scope = SCOPE_NOT_SEQUENCES, .conflicts = "leave-one-out per-row cost reject threshold arcs arcs-from search"},
    {"budget", 0, "X", .help = "compare: try candidates for X times the default work; inf tries all (1)",
     .needs = "compare"},
    {"all", 0, NULL, .help = "compare: list all candidates, not only the ten best", .needs = "compare"},
    {"no-times", 0, NULL, .help = "compare: omit timings, for reproducible output", .needs = "compare"},
    {"per-row", 0, NULL, .help = "list each row: prediction, its probability, truth, P(truth), loss, credit",
     .scope = SCOPE_NOT_SEQUENCES},
    {"threshold-curves", 0, "[N]",
     .help = "report every threshold: ROC and precision-recall curves with at most N points (1000)",
     .scope = SCOPE_NOT_SEQUENCES, .conflicts = "compare per-row", .is_once = true},
    {"choose-threshold", 0, "f1|cost|recall:R|precision:P,...",
     .help = "report the best thresholds by these goals (f1); implies --threshold-curves", .scope = SCOPE_NOT_SEQUENCES,
     .conflicts = "compare per-row"},
    {"positive", 0, "CLASS", .help = "class whose probability a threshold applies to (default: the second of two)",
     .needs = "threshold-curves choose-threshold", .is_once = true},
    {"importance", 0, "[N]", .help = "report the permutation importance of each column, with N permutations (5)",
     .scope = SCOPE_NOT_SEQUENCES, .conflicts = "leave-one-out compare per-row", .is_once = true},
    {"top-k", 0, "K", .help = "report how often the true class is among the K most probable", .conflicts = "compare",
     .is_once = true},
    {"all-classes", 0, NULL, .help = "list all classes in tables, not only the most frequent", .conflicts = "compare"},
    {"unlabeled", 0, "drop|use[:W]",
     .help = "rows whose target is missing: skip them (drop), or train with them in every fold (use)",
     .needs = "cross-validate folds holdout", .conflicts = "compare arcs arcs-from search", .is_once = true},
    {"true-labels", 0, "COL", .help = "compare predicted classes with the labels of COL, regardless of names: ARI, NMI",
     .conflicts = "cross-validate folds leave-one-out holdout compare per-row threshold-curves choose-threshold "
                  "importance top-k cost reject "
                  "threshold weight",
     .is_once = true},
    {"decoding", 0, "viterbi|posterior",
     .help = "sequences: evaluate the most probable path (default), or the most probable state of each item",
     .scope = SCOPE_SEQUENCES, .is_once = true},
    OPTIONS_OF_RULE,
    OPTIONS_OF_SEQUENCES,
    OPTION_FORMAT,
    {"plot", 0, "FILE.svg|FILE.html", .help = "draw the report; an .html file contains its tables too",
     .conflicts = "per-row true-labels", .file = OPTION_WRITES, .is_once = true},
    OPTION_OUTPUT,
    OPTIONS_OF_TABLE,
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};

const verb verb_evaluate = {
    .name = "evaluate",
    .usage = "evaluate MODEL DATA... | evaluate DATA... --target COL --cross-validate "
             "K|--leave-one-out|--holdout FRACTION|--compare",
    .summary = "Evaluate predictions: accuracy, log loss, calibration, comparison",
    .about =
        "Accuracy (ties shared) and the baseline of the most frequent class, log loss, Brier score (0 to 2), AUC, "
        "expected calibration error (ECE), balanced accuracy, F1, MCC and kappa; scores by class, confusion and "
        "calibration; mean and standard deviation (SD) over folds.\n\n"
        "--threshold-curves reports the ROC and precision-recall curves of two classes, or of --positive CLASS against "
        "the "
        "rest. It also lists the best thresholds by --choose-threshold. They do a little worse on other rows than on "
        "the rows "
        "on which they were chosen. --importance permutes each column among the tested rows. It reports the "
        "increase of log loss and the drop of accuracy, with standard errors. If there are many classes, tables "
        "show the most frequent. The JSON output contains all classes, the options and the settings.\n\n"
        "Folds are drawn with --seed. Nothing is trained again: a fold, or a row, is subtracted from the "
        "statistics of all rows. The result is the same as training on the others. With --weight a row counts as "
        "often as its weight, in training and in every score. --cost reports the cost of the decisions, compared "
        "with the best single action and the most probable class. --reject reports how many rows are decided, and "
        "how well. --threshold reports the scores of the decisions at that threshold. --per-row lists the rows with "
        "their loss, -log P(truth), and their credit: 1 if correct, shared in ties.\n\n"
        "--compare trains once and evaluates many methods and families on the same folds. It lists them by log "
        "loss, and recommends one with the command that trains it. This is the one with the smallest log loss, or "
        "a simpler one that is worse by at most a quarter of the standard error of their paired differences. "
        "Other settings, such as --smoothing, apply to all of them. Ctrl-C reports the finished candidates.\n\n"
        "--true-labels COL compares the classes that a model assigns, such as latent ones (train --latent-class), with "
        "labels that have other names. It reports the adjusted Rand index, normalized mutual information, "
        "homogeneity, completeness, and the rows by label and class.\n\n"
        "For a network file, and for a model with --method network, --target names the node to predict. With "
        "--method network --arcs-from FILE the CPTs are estimated in each fold.\n\n"
        "For sequences, items are evaluated like rows, by the most probable path or by posteriors (--decoding). "
        "The report also has the number of entirely correct sequences, their log-likelihood, items with unseen "
        "values, and spans. Spans are maximal runs of a label, or the chunks of tags such as B-PER and I-PER, as "
        "in CoNLL. --cross-validate and --holdout with --method sequence split whole sequences.",
    .example = "  credence example iris > iris.csv\n"
               "  credence evaluate iris.csv --target last --cross-validate 10\n"
               "  credence evaluate iris.csv --target last --holdout 30% --per-row\n"
               "  credence evaluate iris.csv --target last --compare\n"
               "  credence train iris.csv --target last -o iris.model\n"
               "  credence evaluate iris.model iris.csv\n",
    .essentials = "target|cross-validate|leave-one-out|holdout|compare|threshold-curves|importance|per-row|threshold|"
                  "bad-rows|plot|"
                  "format|method",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .takes_sequence_classes = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "MODEL and DATA, or DATA",
    .has_mail_model = true,
    .reads_operands = true,
    .data_at = 2,
    .instead_of_data = "cross-validate|leave-one-out|holdout|folds|compare",
    .is_collective = true,
    .is_in_order = true,
    .run = evaluate_run};
