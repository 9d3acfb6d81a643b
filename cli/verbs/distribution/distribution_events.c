/* SPDX-License-Identifier: MIT */
/* distribution_events.c - computes the probabilities of events of random variables: --of and --given. */
#include "core/messages.h"
#include "verbs/distribution/distribution_questions.h"

#include <credence/query.h>

#include <string.h>

/* Parses an event. For one variable without a name, "even" means "X even", and ">=3" means "X>=3". */
static int distribution_events_parse(const invocation *call, const random_variables *v, const char *name,
                                     const char *text, crd_event **out) {
    crd_error error, other;
    string named = {0};
    *out = NULL;
    crd_status status = crd_event_parse(call->context, crd_text_of(text), v->names, v->count, out, &error);
    if (status != CRD_OK && v->is_unnamed && v->count == 1) {
        string_format(&named, "X %s", text);
        status = crd_event_parse(call->context, (crd_text){named.bytes, named.length}, v->names, 1, out, &other);
    }
    string_free(&named);
    if (status == CRD_OK) return ENDED_WELL;
    if (error.status == CRD_ERROR_COLUMN) message_usage("--%s: unknown variable '%s'", name, error.subject);
    else message_usage("--%s: %s", name, error.message);
    if (v->is_unnamed && v->count == 1) message_hint("the variable is called X, as in --%s 'X>=2'", name);
    return ENDED_USAGE;
}

/* Computes the probability of an event given the condition, and adds it to the table. */
static int answer_event(const invocation *call, const random_variables *v, const crd_event *event,
                        const crd_event *condition, crd_result_table *t) {
    double probabilities[2];
    crd_error error;
    string question = {0};
    if (crd_distribution_event(call->context, (const crd_distribution *const *)v->distributions, v->count, event,
                               condition, probabilities, NULL, &error) != CRD_OK)
        return message_failed("%s: %s", error.status == CRD_ERROR_PROBABILITY && condition != NULL ? "--given" : "--of",
                              error.message);
    string_format(&question, "P(");
    string_add_shown(&question, crd_event_text(event));
    if (condition != NULL) string_format(&question, " | ");
    if (condition != NULL) string_add_shown(&question, crd_event_text(condition));
    string_format(&question, ")");
    crd_cell_words(t, report_take(t->result, &question));
    crd_cell_list(t, probabilities, 1);
    return ENDED_WELL;
}

int distribution_answer_events(const invocation *call, const random_variables *v, crd_result_table *t) {
    const char *given = arguments_value(&call->arguments, "given"), *text;
    crd_event *condition = NULL, *event = NULL;
    size_t index = 0;
    int ended = given == NULL ? ENDED_WELL : distribution_events_parse(call, v, "given", given, &condition);
    while (ended == ENDED_WELL && (text = arguments_next(&call->arguments, "of", &index)) != NULL) {
        ended = distribution_events_parse(call, v, "of", text, &event);
        if (ended == ENDED_WELL) ended = answer_event(call, v, event, condition, t);
        crd_event_destroy(event);
    }
    crd_event_destroy(condition);
    return ended;
}
