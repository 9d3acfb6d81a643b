/* SPDX-License-Identifier: MIT */
/* verb_predict.c - the verb predict: a prediction with its probabilities for each row, in bounded memory. */
#include "verbs/predict/predict.h"

#include "core/error_messages.h"
#include "core/mail_stream.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/document_operand.h"
#include "source/input_file.h"
#include "source/model_operand.h"
#include "source/network_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Predicts the row of --given. */
static int predict_given(const invocation *call, const crd_model *model, prediction *p) {
    crd_error error;
    crd_answer answer;
    given g;
    int ended = given_read_attributes(call, model, &g);
    if (ended != ENDED_WELL) return ended;
    size_t classes = crd_classifier_class_count(p->classifier);
    size_t actions = p->rule == NULL ? 0 : p->rule->action_count;
    double *workspace = memory_resize(NULL, 2 * classes + actions, sizeof *workspace);
    double *logs = workspace, *probabilities = workspace + classes, fit = NAN;
    p->given = &g;
    if (arguments_have(&call->arguments, "with-input")) p->kept = crd_classifier_attribute_count(p->classifier);
    given_warn_of_unseen(&g);
    ended = answers_open(p, call);
    if (ended == ENDED_WELL) {
        if (crd_classifier_posterior(p->classifier, g.values, logs, probabilities, &answer, &error) == CRD_OK &&
            (p->fit == NULL || crd_typicality_row(p->fit, g.values, &answer, &fit, &error) == CRD_OK)) {
            answered a = {.probabilities = probabilities,
                          .log_posterior = logs,
                          .answer = &answer,
                          .fit = fit,
                          .expected = probabilities + classes};
            answers_count(p, &a);
            if (p->table != NULL) answers_add_to_table(p, &a);
            else answers_add_line(p, &p->lines, &a);
        } else {
            ended = message_error(&error);
        }
    }
    ended = answers_close(p, ended);
    free(workspace);
    given_free(&g);
    return ended;
}

static answered answered_row(const answers *source_answers, size_t row) {
    return (answered){.worker = source_answers->worker,
                      .row = row,
                      .probabilities = crd_posteriors_probabilities(source_answers->posteriors, row),
                      .log_posterior = crd_posteriors_log(source_answers->posteriors, row),
                      .answer = crd_posteriors_answer(source_answers->posteriors, row),
                      .fit = source_answers->fits == NULL ? NAN : source_answers->fits[row],
                      .expected = source_answers->expected};
}

/* Predicts the rows of a frame. Several threads call it, each for its own slot. */
static crd_status predict_answer_frame(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame,
                                       crd_error *error) {
    const prediction *p = user;
    answers *own_answers = &p->slots[slot];
    own_answers->worker = worker;
    crd_status status = crd_classifier_classify(p->classifier, frame, own_answers->posteriors, error);
    if (status != CRD_OK) return status;
    size_t rows = crd_posteriors_rows(own_answers->posteriors);
    if (p->fit != NULL) {
        if (own_answers->fits_room < rows) {
            own_answers->fits = memory_resize(own_answers->fits, rows, sizeof *own_answers->fits);
            own_answers->fits_room = rows;
        }
        status = crd_typicality_frame(p->fit, frame, own_answers->posteriors, own_answers->fits, error);
    }
    if (status != CRD_OK || p->table != NULL) return status;
    if (own_answers->ends_room < rows) {
        own_answers->ends = memory_resize(own_answers->ends, rows, sizeof *own_answers->ends);
        own_answers->ends_room = rows;
    }
    string_clear(&own_answers->lines);
    for (size_t row = 0; row < rows; row++) {
        answered a = answered_row(own_answers, row);
        answers_add_line(p, &own_answers->lines, &a);
        own_answers->ends[row] = own_answers->lines.length;
    }
    return CRD_OK;
}

/* Writes the predictions of the next frame. If the rows are processed again, those that were written are skipped. */
static crd_status write_answers(void *user, unsigned slot, crd_error *error) {
    prediction *p = user;
    const answers *source_answers = &p->slots[slot];
    size_t rows = crd_posteriors_rows(source_answers->posteriors);
    uint64_t due = p->rows - p->seen;
    size_t done = due < rows ? (size_t)due : rows;
    p->seen += rows;
    for (size_t row = done; row < rows; row++) {
        answered a = answered_row(source_answers, row);
        answers_count(p, &a);
        if (p->table != NULL) answers_add_to_table(p, &a);
    }
    answers_write(p);
    if (p->table == NULL && done < rows) {
        size_t begin = done == 0 ? 0 : source_answers->ends[done - 1];
        output_write(&p->out, source_answers->lines.bytes + begin, source_answers->lines.length - begin);
        if (p->is_prompt) fflush(p->out.stream);
    }
    if (!output_broken(&p->out)) return CRD_OK;
    error->status = CRD_ERROR_CANCELLED;
    return CRD_ERROR_CANCELLED;
}

static crd_status predict_begin(void *user, crd_error *error) {
    (void)error;
    ((prediction *)user)->seen = 0;
    return CRD_OK;
}

/* Predicts all rows of the reader in several threads, and writes them in order. */
static int predict_rows(const invocation *call, prediction *p, crd_reader *reader) {
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.user = p;
    map.work = predict_answer_frame;
    map.take = write_answers;
    map.begin = predict_begin;
    map.holds_frames = p->table != NULL; /* the table needs the cells of a frame when it is written */
    unsigned slots = crd_parallel_map_slots(&map, reader);
    crd_error error;
    crd_status status = CRD_OK;
    p->slots = memory_resize(NULL, slots, sizeof *p->slots);
    size_t actions = p->rule == NULL ? 0 : p->rule->action_count;
    size_t classes = crd_classifier_class_count(p->classifier);
    crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(classes > actions ? classes : actions));
    for (unsigned i = 0; i < slots; i++) {
        p->slots[i] = (answers){.expected = memory_resize(NULL, actions, sizeof(double))};
    }
    for (unsigned i = 0; i < slots && status == CRD_OK; i++) {
        status = crd_posteriors_create(call->context, &p->slots[i].posteriors, &error);
    }
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &map, &error);
    if (status == CRD_OK) crd_classifier_warn_unseen(p->classifier, reader, p->rows);
    for (unsigned i = 0; i < slots; i++) {
        crd_posteriors_destroy(p->slots[i].posteriors);
        string_free(&p->slots[i].lines);
        free(p->slots[i].ends);
        free(p->slots[i].fits);
        free(p->slots[i].expected);
    }
    free(p->slots);
    /* answers_close reports write errors. */
    return status == CRD_OK || output_broken(&p->out) ? ENDED_WELL : message_error(&error);
}

/* Opens DATA and predicts its rows. */
static int predict_files(const invocation *call, const crd_model *model, prediction *p) {
    const arguments *words = &call->arguments;
    bool keep = arguments_have(words, "with-input"),
         has_documents = document_operand_option(call, words->operands[1]) != NULL;
    crd_error error;
    data d;
    int ended = data_open_for(call, model, words->operands + 1, words->operand_count - 1, keep || has_documents, &d);
    if (ended != ENDED_WELL) {
        document_operand_hint_at_mail(call, model, words->operands[1]);
        return ended;
    }
    p->reader = d.reader;
    p->is_shared = true;
    p->is_prompt = input_file_reads_once(words->operands[1]);
    /* For documents, the path is the first column. */
    if (keep || has_documents) p->kept = keep ? crd_reader_column_count(d.reader) : 1;
    if (crd_model_bind(model, d.reader, &error) != CRD_OK) {
        ended = message_error(&error);
        document_operand_hint_at_mail(call, model, words->operands[1]);
    } else {
        ended = answers_open(p, call);
        if (ended == ENDED_WELL) ended = predict_rows(call, p, d.reader);
        ended = answers_close(p, bad_row_list_share(d.bad, ended));
    }
    data_close(&d);
    return ended;
}

/* Predicts with a model, by the kind of the model and of the input. */
static int predict_inputs(const invocation *call, const crd_model *model, const crd_classifier *classifier,
                          bool from_given) {
    if (crd_model_is_sequence(model)) return predict_sequences(call, model);
    int ended = pictures_refuse(call);
    if (ended != ENDED_WELL) return ended;
    if (crd_model_sequence_classes(model) != NULL) return predict_sequence_classes(call, model);
    prediction p = {
        .classifier = classifier, .unseen_words = network_model_unseen_words(model), .target = crd_model_target(model)};
    crd_error error;
    crd_text *classes = memory_resize(NULL, crd_classifier_class_count(classifier), sizeof *classes);
    p.class_count = crd_classifier_class_count(classifier);
    for (size_t c = 0; c < p.class_count; c++) classes[c] = crd_classifier_class(classifier, c);
    p.classes = classes;
    ended = arguments_have(&call->arguments, "mail") ? rule_read_for_mail(call, classes, p.class_count, &p.rule)
                                                     : rule_read(call, classes, p.class_count, &p.rule);
    if (ended == ENDED_WELL && arguments_have(&call->arguments, "typicality") &&
        crd_typicality_create(model, crd_classifier_settings(classifier), &p.fit, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL) ended = from_given ? predict_given(call, model, &p) : predict_files(call, model, &p);
    free(p.is_text);
    free(classes);
    crd_typicality_destroy(p.fit);
    crd_rule_destroy(p.rule);
    return ended;
}

/* Runs the mail filter for a single message, and else predicts rows. */
static int predict_run(invocation *call) {
    const arguments *words = &call->arguments;
    const char *mail = arguments_value(words, "mail");
    const bool is_message = mail != NULL && strcmp(mail, "-") == 0;
    if (mail_stream_is_expected() && is_message && words->operand_count == 2) {
        static const char *const of_rows[] = {"output", "with-input", "typicality"};
        for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
            if (arguments_have(words, of_rows[i]))
                return message_usage("--%s needs --format: a mail filter writes the message to standard output",
                                     of_rows[i]);
        return predict_filter(call);
    }
    if (mail_stream_is_expected() && is_message)
        return message_usage("a mail filter expects one message, --mail -, and no other DATA");
    if (mail_stream_is_expected() && mail_stream_is_labeled(mail))
        return message_usage("a mail filter expects --mail -, without a class");
    static const char *const of_filters[] = {"exit-code", "learn", "mail-header"};
    for (size_t i = 0; i < sizeof of_filters / sizeof *of_filters; i++)
        if (arguments_have(words, of_filters[i]))
            return message_usage("--%s needs a single message: --mail -", of_filters[i]);
    return model_operand_answer(call, "predict", true, true, predict_inputs);
}

static const option options[] = {
    OPTION_ROW_GIVEN,
    OPTION_FORMAT,
    {"plot", 0, "FILE.svg|FILE.html", .help = "sequences: plot the states of the first sequences over time",
     .scope = SCOPE_SEQUENCES, .conflicts = "n-best stream mail", .file = OPTION_WRITES, .is_once = true},
    OPTION_OUTPUT,
    {"with-input", 0, NULL, .help = "put the input columns first"},
    {"file-per-rank", 0, NULL, .help = "credence-mpi: one file per process: FILE.csv is FILE-1-of-N.csv, ...",
     .needs = "output", .conflicts = "plot stream"},
    {"exit-code", 0, "[CLASS]",
     .help = "mail: print nothing, and exit with 0: CLASS (spam), 1: another class, 2: unsure, 3: failed",
     .needs = "mail", .conflicts = "format output with-input typicality", .is_once = true},
    {"learn", 0, NULL, .help = "mail filter: train with the message as the predicted class, unless that is unsure",
     .needs = "reject cost", .conflicts = "format output with-input typicality"},
    {"mail-header", 0, "X-NAME", .help = "mail filter: name of the header field (X-Credence)", .needs = "mail",
     .conflicts = "exit-code format output with-input typicality", .is_once = true},
    OPTIONS_OF_RULE,
    OPTION_FIT,
    OPTIONS_OF_SEQUENCES,
    {"decoding", 0, "viterbi|posterior",
     .help = "sequences: the most likely path of states, or state at each step (viterbi)", .scope = SCOPE_SEQUENCES,
     .conflicts = "stream", .is_once = true},
    {"n-best", 0, "N", .help = "sequences: the N most likely paths of each sequence", .scope = SCOPE_SEQUENCES,
     .conflicts = "stream decoding cost reject threshold", .is_once = true},
    {"stream", 0, NULL, .help = "sequences: predict each row when it arrives, from the rows so far",
     .scope = SCOPE_SEQUENCES},
    {"lag", 0, "L", .help = "predict L rows later, using these rows as well (0)", .scope = SCOPE_SEQUENCES,
     .needs = "stream", .is_once = true},
    OPTIONS_OF_TABLE,
    OPTIONS_OF_DOCUMENTS,
    OPTIONS_OF_READING,
    OPTION_STRICT,
    OPTIONS_END};

const verb verb_predict = {
    .name = "predict",
    .usage = "predict MODEL DATA... | predict MODEL --given COL=VALUE,... | predict MODEL --mail -",
    .summary = "Predict the class of each row, with posterior probabilities",
    .about =
        "Prints one line per row: the predicted class, its posterior, the posterior of each class, the log evidence, "
        "and the number of values that did not occur in training and are ignored. The default format is a table on a "
        "terminal and csv in a pipe. json is one object per line.\n\n"
        "With --with-input, json contains the input under \"row\". If several classes are tied, the first is "
        "predicted. If "
        "every class has probability zero, the fields of the prediction are empty.\n\n"
        "--typicality adds a typicality p-value: the fraction of rows drawn from the model, with the same values "
        "present, "
        "that are at most as likely. Below 1% a row is an outlier. --cost adds the decision of minimum expected "
        "cost, its cost, and the cost of each action. --reject (abstention) and --threshold add only the decision.\n\n"
        "A sequence model (train --method sequence) predicts the state of each row. --decoding viterbi uses the most "
        "likely path of states (Viterbi), posterior the most likely state at each step (forward-backward). The "
        "columns sequence (its id, or number) and step come first, unless --with-input copies the id. The "
        "probabilities are "
        "P(state | all rows of the sequence), and the log evidence is log P(row | earlier rows). --n-best N prints one "
        "line per row for each of the N most likely paths. --stream predicts rows of standard input when they arrive, "
        "by P(state | rows so far), or --lag L rows later. Sequences are found as in training, unless you change that "
        "with --sequence, --time or --step. The fields of an impossible sequence are empty.\n\n"
        "predict MODEL --mail - is a mail filter. It copies the message from standard input to standard output with "
        "the header field X-Credence: class, probability and reasons. Without MODEL, --mail uses "
        "$CREDENCE_MAIL_MODEL, or ~/.local/share/credence/mail.model. --learn trains the model with the message as "
        "the predicted class. If the filter fails, the message is copied unchanged, with the exit code 75 (temporary "
        "failure). --exit-code prints nothing: 0 is spam, or the named class, 1 another class, 2 unsure, 3 failed. "
        "With more than two classes, the first class is 10. With --format, and for any other PATH, --mail prints one "
        "line per message, which begins with its path.\n\n"
        "For a network file (BIF, XMLBIF, Hugin NET, UAI) or a model with --method network, --target names the node "
        "to predict. You can omit it if the model was trained with a target, or if DATA has columns for all nodes "
        "except one. Missing values are summed out.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence predict days.model days.csv --with-input\n",
    .essentials =
        "given|mail|exit-code|learn|with-input|n-best|threshold|decoding|format|output|cost|reject|typicality|bad-rows|"
        "strict|smoothing",
    .options = options,
    .setting_groups = SETTING_GROUPS,
    .takes_sequences = true,
    .takes_sequence_classes = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "MODEL, and DATA or --given",
    .has_mail_model = true,
    .reads_operands = true,
    .data_at = 2,
    .instead_of_data = "given",
    .is_collective = true,
    .is_in_order = true,
    .run = predict_run};
