/* SPDX-License-Identifier: MIT */
/* verb_bayes.c - the verb bayes: Bayes' rule for numbers, with priors and likelihoods on the command line or in a
 * small file. */
#include "verbs/bayes/bayes_problem.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void problem_free(problem *p) {
    for (size_t i = 0; i < p->step_count; i++) {
        free(p->steps[i].outcome);
        free(p->steps[i].before);
    }
    free(p->steps);
    crd_bayes_destroy(p->bayes);
}

/* ---- What follows ---- */

static int bayes_observe(problem *p, step *next) {
    size_t count = p->bayes->hypothesis_count;
    crd_error error;
    next->before = memory_resize(NULL, 3 * count, sizeof *next->before);
    next->joint = next->before + count;
    next->after = next->joint + count;
    memcpy(next->before, p->bayes->posterior, count * sizeof *next->before);
    if (crd_bayes_observe(p->bayes, crd_text_of(next->outcome), next->joint, &next->evidence, &error) != CRD_OK) {
        return message_error(&error);
    }
    memcpy(next->after, p->bayes->posterior, count * sizeof *next->after);
    return ENDED_WELL;
}

static bool bayes_is_stated(const crd_bayes *bayes, size_t outcome) {
    int inferred = 1;
    for (size_t h = 0; h < bayes->hypothesis_count && inferred; h++) {
        inferred = bayes->likelihood_inferred[outcome * bayes->hypothesis_count + h];
    }
    return !inferred;
}

/* Warns about an outcome without any likelihood. Its likelihood is the complement of the others, which is probably
 * wrong if its name is misspelled. There is at most one, because two are an error. */
static void warn_of_unstated(const crd_bayes *bayes) {
    size_t count = bayes->outcome_count, unstated = 0;
    while (unstated < count && bayes_is_stated(bayes, unstated)) unstated++;
    if (unstated == count) return;
    string shown = {0}, others = {0};
    string_add_shown(&shown, bayes->outcomes[unstated]);
    for (size_t o = 0, listed = 0; o < count; o++) {
        if (o != unstated) string_add_listed(&others, listed++, bayes->outcomes[o]);
    }
    message_warning("no likelihood of '%s' is given: it is computed as %s %s", string_text(&shown),
                    count == 2 ? "not" : "none of", string_text(&others));
    string_free(&shown);
    string_free(&others);
}

static int bayes_solve(problem *p) {
    crd_error error;
    if (crd_bayes_finish(p->bayes, &error) != CRD_OK) return message_error(&error);
    warn_of_unstated(p->bayes);
    p->accuracy = crd_bayes_accuracy(p->bayes);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < p->step_count && ended == ENDED_WELL; i++) ended = bayes_observe(p, &p->steps[i]);
    return ended;
}

static size_t outcome_index(const crd_bayes *bayes, const char *name) {
    size_t o = 0;
    while (!crd_text_equal(bayes->outcomes[o], crd_text_of(name))) o++;
    return o;
}

/* ---- The report ---- */

static void add_stated(crd_result_table *t, double value, bool inferred) {
    char buffer[CRD_NUMBER_ROOM];
    crd_cell_shown(t, value, "%s%s", crd_number_round(value, buffer), inferred ? "*" : "");
}

/* Reports an observation. Prior times likelihood is the joint probability, the sum of these is the evidence, and the
 * posterior is the joint probability divided by the evidence. Returns whether some number was filled in. */
static bool report_step(crd_result *r, const problem *p, size_t index) {
    const step *now = &p->steps[index];
    size_t outcome = outcome_index(p->bayes, now->outcome);
    bool any_inferred = false, is_first = index == 0;
    const char *shown = crd_result_show(r, crd_text_of(now->outcome));
    crd_result_heading(r, 2, crd_result_format(r, "Observed %s", shown), "");
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_words(r, "outcome", now->outcome);
    crd_result_number(r, "evidence", now->evidence);
    crd_result_table *t = crd_result_add_table(r, "hypotheses");
    t->is_wrapped = true;
    crd_result_add_column(t, "hypothesis", "hypothesis h");
    crd_result_add_column(t, "before", is_first ? "P(h)" : "so far");
    crd_result_add_column(t, "likelihood", crd_result_format(r, "x P(%s|h)", shown));
    crd_result_add_column(t, "joint", "= joint");
    crd_result_add_column(t, "posterior", crd_result_format(r, "P(h|%s%s)", shown, is_first ? "" : ", ..."));
    for (size_t h = 0; h < p->bayes->hypothesis_count; h++) {
        const bool prior_inferred = is_first && p->bayes->prior_inferred[h];
        const size_t cell = outcome * p->bayes->hypothesis_count + h;
        double likelihood = p->bayes->likelihood[cell];
        const bool likelihood_inferred = p->bayes->likelihood_inferred[cell];
        crd_cell_name(t, p->bayes->hypotheses[h]);
        add_stated(t, now->before[h], prior_inferred);
        add_stated(t, likelihood, likelihood_inferred);
        crd_cell_number(t, now->joint[h]);
        crd_cell_number(t, now->after[h]);
        any_inferred = any_inferred || prior_inferred || likelihood_inferred;
    }
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_words(t, "evidence");
    crd_cell_null(t);
    crd_cell_null(t);
    crd_cell_number(t, now->evidence);
    crd_cell_null(t);
    crd_result_end(r);
    return any_inferred;
}

/* Reports the priors. People see them here only without an observation, because otherwise the table of the first
 * step shows them. Returns whether one of the visible priors was filled in. */
static bool report_priors(crd_result *r, const problem *p) {
    bool is_seen = p->step_count == 0, any_inferred = false;
    if (is_seen) crd_result_heading(r, 2, "Weights of the hypotheses", "");
    crd_result_table *t = crd_result_add_table(r, "prior");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    t->is_wrapped = true;
    crd_result_add_column(t, "hypothesis", is_seen ? "" : NULL);
    crd_result_add_column(t, "prior", is_seen ? "" : NULL);
    for (size_t h = 0; h < p->bayes->hypothesis_count; h++) {
        double prior = p->bayes->prior[h];
        const bool inferred = p->bayes->prior_inferred[h];
        crd_cell_name(t, p->bayes->hypotheses[h]);
        add_stated(t, prior, inferred);
        any_inferred = any_inferred || (is_seen && inferred);
    }
    return any_inferred;
}

static void bayes_report_posterior(crd_result *r, const problem *p) {
    crd_result_begin(r, CRD_OBJECT, "posterior");
    for (size_t h = 0; h < p->bayes->hypothesis_count; h++)
        report_number_named(r, p->bayes->hypotheses[h], p->bayes->posterior[h]);
    crd_result_end(r);
    crd_result_number(r, "log_evidence", p->bayes->log_evidence);
}

static const char *bayes_tie(crd_result *r, size_t tied) {
    return tied > 1 ? crd_result_format(r, " (the first of %zu that tie)", tied) : "";
}

/* Adds the hypothesis that a rule chooses, and its prediction if hypotheses have predictions. */
static void bayes_add_choice(crd_result_table *t, const problem *p, const char *key, const char *rule,
                             size_t hypothesis, size_t tied) {
    crd_result *r = t->result;
    bool has_answers = p->bayes->answer_count > 0;
    crd_text name = p->bayes->hypotheses[hypothesis],
             answer = has_answers ? p->bayes->answers[(size_t)p->bayes->answer[hypothesis]] : name;
    crd_result_text(r, key, name);
    crd_cell_words(t, rule);
    crd_cell_format(t, "%s%s%s%s", crd_result_show(r, name), has_answers ? " says " : "",
                    has_answers ? crd_result_show(r, answer) : "", bayes_tie(r, tied));
}

/* Adds the combined prediction by each rule: MAP, maximum likelihood, Bayes-optimal and Gibbs. */
static void bayes_add_answers(crd_result_table *t, const problem *p) {
    crd_result *r = t->result;
    char buffer[CRD_NUMBER_ROOM];
    string text = {0};
    size_t tied = 0, best = crd_bayes_optimal(p->bayes, &tied);
    crd_cell_words(t, "Bayes optimal");
    crd_cell_format(t, "%s, with weight %s%s", crd_result_show(r, p->bayes->answers[best]),
                    crd_number_round(crd_bayes_answer_weight(p->bayes, best), buffer), bayes_tie(r, tied));
    crd_result_text(r, "optimal", p->bayes->answers[best]);
    crd_result_begin(r, CRD_OBJECT, "gibbs");
    for (size_t a = 0; a < p->bayes->answer_count; a++) {
        double weight = crd_bayes_answer_weight(p->bayes, a);
        crd_text answer = p->bayes->answers[a];
        report_number_named(r, answer, weight);
        string_format(&text, "%s%s with probability %s", a == 0 ? "" : ", ", crd_result_show(r, answer),
                      crd_number_round(weight, buffer));
    }
    crd_result_end(r);
    crd_cell_words(t, "Gibbs");
    crd_cell_words(t, report_take(r, &text));
}

/* Reports the result of each rule: lines of a table for people, separate values in JSON. */
static void bayes_report_answers(crd_result *r, const problem *p) {
    char buffer[CRD_NUMBER_ROOM];
    size_t tied = 0, chosen = crd_bayes_map(p->bayes, &tied);
    bool has_answers = p->bayes->answer_count > 0;
    crd_result_heading(r, 2, "Answers", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    bayes_add_choice(t, p, "map", "maximum a posteriori (MAP)", chosen, tied);
    if (p->step_count > 0) {
        chosen = crd_bayes_ml(p->bayes, &tied);
        bayes_add_choice(t, p, "ml", "maximum likelihood (ML)", chosen, tied);
    } else if (has_answers) {
        crd_cell_words(t, "maximum likelihood (ML)");
        crd_cell_words(t, "unknown: no observation");
    }
    if (!isnan(p->accuracy)) crd_result_number(r, "best_accuracy", p->accuracy);
    if (has_answers) bayes_add_answers(t, p);
    if (isnan(p->accuracy)) return;
    crd_cell_words(t, "best accuracy");
    crd_cell_format(t, "%s, the maximum for a guess from one outcome", crd_number_round(p->accuracy, buffer));
}

/* Creates the report of the problem. The caller destroys it. */
static crd_result *report_problem(const problem *p) {
    crd_result *r = report_create(NULL);
    size_t count = p->bayes->hypothesis_count;
    if (p->step_count > 0) crd_result_line(r, CRD_LINE, "posterior = prior x likelihood / evidence");
    else crd_result_line(r, CRD_LINE, "%zu hypothes%s, nothing observed", count, count == 1 ? "is" : "es");
    crd_result_begin(r, CRD_OBJECT, NULL);
    bool any_inferred = report_priors(r, p);
    crd_result_begin(r, CRD_ARRAY, "observations");
    for (size_t i = 0; i < p->step_count; i++) any_inferred = report_step(r, p, i) || any_inferred;
    crd_result_end(r);
    if (any_inferred) crd_result_line(r, CRD_REMARK, "* not given: the complement of the others, or uniform");
    bayes_report_posterior(r, p);
    bayes_report_answers(r, p);
    crd_result_end(r);
    return r;
}

/* ---- The verb ---- */

/* Runs the verb: reads the problem, applies Bayes' rule and writes the report. */
static int bayes_run(invocation *call) {
    problem p = {0};
    crd_error error;
    if (crd_bayes_create(call->context, &p.bayes, &error) != CRD_OK) return message_error(&error);
    int ended = bayes_state(call, &p);
    if (ended == ENDED_WELL && p.step_count == 0 && !arguments_have(&call->arguments, "predicts") &&
        !arguments_have(&call->arguments, "file")) {
        ended = message_usage("missing --observed OUTCOME or --predicts HYPOTHESIS=ANSWER");
    }
    if (ended == ENDED_WELL && p.bayes->hypothesis_count == 0 && arguments_have(&call->arguments, "file")) {
        const char *file = arguments_value(&call->arguments, "file");
        ended = message_failed("%s: the file has no hypothesis", strcmp(file, "-") == 0 ? "standard input" : file);
    }
    if (ended == ENDED_WELL) {
        ended = bayes_solve(&p);
        if (ended != ENDED_WELL && p.bayes->hypothesis_count == 1 && arguments_have(&call->arguments, "prior"))
            message_hint("only one hypothesis; add another with --likelihood OUTCOME:HYPOTHESIS=P or --prior");
    }
    if (ended == ENDED_WELL) ended = report_finish(report_problem(&p), call, FORMATS, ended);
    problem_free(&p);
    return ended;
}

static const option options[] = {
    {"prior", 0, "H=P,...", .help = "P(H): prior of each hypothesis"},
    {"likelihood", 0, "O:H=P,...",
     .help = "P(O|H): likelihood of each outcome under each hypothesis; in quotes, P(O|H)=P"},
    {"observed", 0, "O,...", .help = "observed outcomes, in order"},
    {"predicts", 0, "H=ANSWER,...", .help = "prediction of each hypothesis, to combine them"},
    {"file", 0, "FILE", .help = "file with lines such as 'prior H=P': the options without dashes",
     .file = OPTION_READS},
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTIONS_END};

const verb verb_bayes = {
    .name = "bayes",
    .usage = "bayes --prior H=P --likelihood O:H=P --observed O",
    .summary = "Apply Bayes' rule to numbers",
    .about =
        "posterior = prior x likelihood / evidence, where the evidence is the sum of the products over the hypotheses. "
        "Outcomes observed one after the other update the posterior. Numbers may be written as 2/8 or 25%.\n\n"
        "You can omit numbers that follow from others. The prior of one hypothesis is then the complement of the other "
        "priors. The likelihood of one outcome under a hypothesis is the complement of the others, so P(apple|red) "
        "determines P(orange|red). Without any prior all hypotheses are equally probable. Computed numbers are marked "
        "with a star.\n\n"
        "With --predicts, the predictions of the hypotheses are combined: by maximum likelihood, by maximum a "
        "posteriori "
        "(MAP), by all (Bayes-optimal), and by one drawn at random (Gibbs).",
    .example = "  credence bayes --prior cancer=.008 --likelihood '+:cancer=.98,+:no cancer=.03' --observed +\n"
               "  credence bayes --prior red=.4 --likelihood apple:red=2/8,apple:blue=3/4 --observed orange\n"
               "  credence bayes --prior h1=.4,h2=.3,h3=.3 --predicts h1=+,h2=-,h3=-\n",
    .essentials = "prior|likelihood|observed|predicts|file|format|output",
    .options = options,
    .least = 0,
    .most = 0,
    .operands = "options only",
    .run = bayes_run};
