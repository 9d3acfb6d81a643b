/* SPDX-License-Identifier: MIT */
/* predict_classes.c - predicts classes of whole sequences, one line per sequence, in the order in which they begin. */
#include "verbs/predict/predict.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/model_operand.h"
#include "source/network_model.h"
#include "source/sequence_input.h"

#include <math.h>
#include <stdlib.h>

/* The state of one run. */
typedef struct class_run {
    prediction *p;
    const crd_sequence_classifier *classifier;
    unsigned threads;
    sequence_input input;
    double *logs, *probabilities;
    double *expected;
    string name;
} class_run;

/* Adds the prediction for a sequence to the output. */
static void predict_classes_write_answer(class_run *run, const crd_sequences *batch, size_t sequence,
                                         const double *logs, const crd_sequence_answer *sequence_answer) {
    prediction *p = run->p;
    const crd_answer answer = {sequence_answer->decision, sequence_answer->tied, 0, sequence_answer->log_evidence};
    answered a = {.probabilities = run->probabilities,
                  .log_posterior = logs,
                  .answer = &answer,
                  .fit = NAN,
                  .expected = run->expected};
    for (size_t k = 0; k < p->class_count; k++) run->probabilities[k] = crd_exp(logs[k]);
    string_clear(&run->name);
    string_add_count(&run->name, run->input.before + sequence + 1);
    a.place[0] = run->input.has_ids ? crd_sequences_id(batch, sequence) : (crd_text){run->name.bytes, run->name.length};
    answers_count(p, &a);
    if (p->table != NULL) answers_add_to_table(p, &a);
    else answers_add_line(p, &p->lines, &a);
}

/* Predicts a batch of sequences. */
static crd_status predict_classes_take_batch(void *user, const crd_sequences *batch, crd_error *error) {
    class_run *run = user;
    prediction *p = run->p;
    const size_t count = crd_sequences_count(batch);
    crd_sequence_answer *answer = memory_resize(NULL, count, sizeof *answer);
    run->logs = memory_resize(run->logs, count * p->class_count, sizeof *run->logs);
    for (size_t i = 0; i < count; i++) answer[i] = (crd_sequence_answer)CRD_SEQUENCE_ANSWER_INIT;
    crd_status status =
        crd_sequence_classifier_posteriors(run->classifier, batch, run->threads, NULL, run->logs, answer, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        predict_classes_write_answer(run, batch, i, run->logs + i * p->class_count, &answer[i]);
    free(answer);
    answers_write(p);
    if (status != CRD_OK || !output_broken(&p->out)) return status;
    error->status = CRD_ERROR_CANCELLED;
    return CRD_ERROR_CANCELLED;
}

/* Reads DATA and predicts the class of each sequence. */
static int predict_classes_answer_files(const invocation *call, const crd_model *model, class_run *run) {
    static const char *const places[] = {"sequence"};
    const arguments *words = &call->arguments;
    prediction *p = run->p;
    int ended = sequence_input_open_divided(call, model, words->operands + 1, words->operand_count - 1, false, false,
                                            &run->input);
    if (ended != ENDED_WELL) return ended;
    p->reader = run->input.rows.reader;
    p->is_shared = true;
    p->places = places;
    p->place_is_number[0] = !run->input.has_ids;
    p->place_count = 1;
    ended = answers_open(p, call);
    if (ended == ENDED_WELL) {
        ended = sequence_input_take(&run->input, predict_classes_take_batch, run);
        if (output_broken(&p->out)) ended = ENDED_WELL; /* answers_close reports the reason */
    }
    ended = answers_close(p, bad_row_list_share(run->input.rows.bad, ended));
    sequence_input_close(&run->input);
    return ended;
}

static int predict_classes_check_options(const invocation *call) {
    static const char *const items[] = {"with-input", "decoding", "n-best", "stream", "typicality"};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (arguments_have(&call->arguments, items[i]))
            return message_usage("--%s is not supported for models that classify whole sequences", items[i]);
    return ENDED_WELL;
}

int predict_sequence_classes(const invocation *call, const crd_model *model) {
    prediction p = {.unseen_words = network_model_unseen_words(model), .target = crd_model_target(model)};
    class_run run = {.p = &p};
    crd_settings *settings = NULL;
    crd_sequence_classifier *classifier = NULL;
    crd_text *classes = NULL;
    crd_error error;
    int ended = predict_classes_check_options(call);
    if (ended == ENDED_WELL) ended = sequence_input_threads(call, &run.threads);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_sequence_classifier_create(model, settings, &classifier, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) {
        run.classifier = classifier;
        p.class_count = classifier->classes->count;
        /* The classifier of single observations, for the note about unseen values. */
        p.classifier = crd_hmm_facts_of(classifier->hmms[0])->emissions;
        classes = memory_resize(NULL, p.class_count, sizeof *classes);
        for (size_t k = 0; k < p.class_count; k++) classes[k] = classifier->classes->names[k];
        p.classes = classes;
        ended = rule_read(call, p.classes, p.class_count, &p.rule);
    }
    if (ended == ENDED_WELL) {
        const size_t actions = p.rule == NULL ? 0 : p.rule->action_count;
        run.probabilities = memory_resize(NULL, p.class_count, sizeof *run.probabilities);
        run.expected = memory_resize(NULL, actions, sizeof *run.expected);
        ended = predict_classes_answer_files(call, model, &run);
    }
    free(run.logs);
    free(run.probabilities);
    free(run.expected);
    string_free(&run.name);
    free(classes);
    free(p.is_text);
    crd_rule_destroy(p.rule);
    crd_sequence_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    return ended;
}
