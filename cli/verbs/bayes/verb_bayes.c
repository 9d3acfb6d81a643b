/* verb_bayes.c - Bayes' rule on bare numbers: priors and likelihoods on the command line or in a small file. */
#include "verbs/bayes/bayes_problem.h"

#include "core/error_messages.h"
#include "core/json_writer.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"
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

static int observe(problem *p, step *next) {
    size_t count = crd_bayes_hypothesis_count(p->bayes);
    crd_error error;
    next->before = memory_resize(NULL, 3 * count, sizeof *next->before);
    next->joint = next->before + count;
    next->after = next->joint + count;
    memcpy(next->before, crd_bayes_posterior(p->bayes), count * sizeof *next->before);
    if (crd_bayes_observe(p->bayes, crd_text_of(next->outcome), next->joint, &next->evidence, &error) != CRD_OK) {
        return message_error(&error);
    }
    memcpy(next->after, crd_bayes_posterior(p->bayes), count * sizeof *next->after);
    return ENDED_WELL;
}

static bool is_stated(const crd_bayes *bayes, size_t outcome) {
    int inferred = 1;
    for (size_t h = 0; h < crd_bayes_hypothesis_count(bayes) && inferred; h++) {
        crd_bayes_likelihood_of(bayes, outcome, h, &inferred);
    }
    return !inferred;
}

/* An outcome of which nothing is stated is what the others leave, which is the opposite of what a slip in its name
 * meant. At most one is: finishing refuses two that are left. */
static void warn_of_unstated(const crd_bayes *bayes) {
    size_t count = crd_bayes_outcome_count(bayes), unstated = 0;
    while (unstated < count && is_stated(bayes, unstated)) unstated++;
    if (unstated == count) return;
    string shown = {0}, others = {0};
    string_add_shown(&shown, crd_bayes_outcome_name(bayes, unstated));
    for (size_t o = 0, listed = 0; o < count; o++) {
        if (o != unstated) string_add_listed(&others, listed++, crd_bayes_outcome_name(bayes, o));
    }
    message_warning("no likelihood of '%s' is stated: it is taken as %s %s", string_text(&shown),
                    count == 2 ? "not" : "none of", string_text(&others));
    string_free(&shown);
    string_free(&others);
}

static int solve(problem *p) {
    crd_error error;
    if (crd_bayes_finish(p->bayes, &error) != CRD_OK) return message_error(&error);
    warn_of_unstated(p->bayes);
    p->accuracy = crd_bayes_accuracy(p->bayes);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < p->step_count && ended == ENDED_WELL; i++) ended = observe(p, &p->steps[i]);
    return ended;
}

static size_t outcome_index(const crd_bayes *bayes, const char *name) {
    size_t o = 0;
    while (!crd_text_equal(crd_bayes_outcome_name(bayes, o), crd_text_of(name))) o++;
    return o;
}

/* ---- As a table ---- */

static void add_number(table *t, double value, bool inferred) {
    char room[ROUNDED_ROOM];
    table_format(t, "%s%s", output_round(value, room), inferred ? "*" : "");
}

/* Prior times likelihood is the joint probability; the sum of those is the evidence; each over it the posterior. */
static bool print_step(output *out, const problem *p, size_t index) {
    const step *now = &p->steps[index];
    size_t outcome = outcome_index(p->bayes, now->outcome);
    bool any_inferred = false;
    table *t = table_create_for(out, 5);
    string shown = {0}, heading = {0};
    string_add_shown(&shown, crd_text_of(now->outcome));
    table_add(t, "hypothesis h");
    table_add(t, index == 0 ? "P(h)" : "so far");
    table_format(t, "x P(%s|h)", string_text(&shown));
    table_add(t, "= joint");
    table_format(t, "P(h|%s%s)", string_text(&shown), index == 0 ? "" : ", ...");
    for (size_t h = 0; h < crd_bayes_hypothesis_count(p->bayes); h++) {
        int prior_inferred = 0, likelihood_inferred = 0;
        crd_bayes_prior_of(p->bayes, h, &prior_inferred);
        double likelihood = crd_bayes_likelihood_of(p->bayes, outcome, h, &likelihood_inferred);
        if (index > 0) prior_inferred = 0;
        table_add_name(t, crd_bayes_hypothesis(p->bayes, h));
        add_number(t, now->before[h], prior_inferred);
        add_number(t, likelihood, likelihood_inferred);
        add_number(t, now->joint[h], false);
        add_number(t, now->after[h], false);
        any_inferred = any_inferred || prior_inferred || likelihood_inferred;
    }
    table_add(t, "evidence");
    table_add(t, "");
    table_add(t, "");
    add_number(t, now->evidence, false);
    table_add(t, "");
    string_format(&heading, "Observed %s", string_text(&shown));
    output_heading(out, 2, string_text(&heading), "");
    table_print(t, out->stream, 2, out->width);
    string_free(&shown);
    string_free(&heading);
    table_destroy(t);
    return any_inferred;
}

static void print_priors(output *out, const problem *p) {
    table *t = table_create_for(out, 2);
    output_heading(out, 2, "Weights of the hypotheses", "");
    table_omit_heading(t);
    for (size_t h = 0; h < crd_bayes_hypothesis_count(p->bayes); h++) {
        int inferred = 0;
        double prior = crd_bayes_prior_of(p->bayes, h, &inferred);
        table_add_name(t, crd_bayes_hypothesis(p->bayes, h));
        add_number(t, prior, inferred);
    }
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
}

static void add_tied(string *to, size_t tied) {
    if (tied > 1) string_format(to, " (the first of %zu that tie)", tied);
}

/* The hypothesis that a rule picks, and what it says where hypotheses say something. */
static void add_choice(table *t, const problem *p, const char *rule, size_t hypothesis, size_t tied) {
    string text = {0};
    string_add_shown(&text, crd_bayes_hypothesis(p->bayes, hypothesis));
    if (crd_bayes_answer_count(p->bayes) > 0) {
        string_format(&text, " says ");
        string_add_shown(&text, crd_bayes_answer(p->bayes, crd_bayes_answer_of(p->bayes, hypothesis)));
    }
    add_tied(&text, tied);
    table_add(t, rule);
    table_add(t, string_text(&text));
    string_free(&text);
}

static void add_answers(table *t, const problem *p) {
    char room[ROUNDED_ROOM];
    string text = {0};
    size_t tied = 0, best = crd_bayes_optimal(p->bayes, &tied);
    string_add_shown(&text, crd_bayes_answer(p->bayes, best));
    string_format(&text, ", the answer of weight %s", output_round(crd_bayes_answer_weight(p->bayes, best), room));
    add_tied(&text, tied);
    table_add(t, "Bayes optimal");
    table_add(t, string_text(&text));
    string_clear(&text);
    for (size_t a = 0; a < crd_bayes_answer_count(p->bayes); a++) {
        string_format(&text, "%s", a == 0 ? "" : ", ");
        string_add_shown(&text, crd_bayes_answer(p->bayes, a));
        string_format(&text, " with probability %s", output_round(crd_bayes_answer_weight(p->bayes, a), room));
    }
    table_add(t, "Gibbs");
    table_add(t, string_text(&text));
    string_free(&text);
}

static void print_table(output *out, const problem *p) {
    bool any_inferred = false;
    char room[ROUNDED_ROOM];
    if (p->step_count > 0) output_line(out, "posterior = prior x likelihood / evidence");
    else {
        size_t count = crd_bayes_hypothesis_count(p->bayes);
        output_line(out, "%zu hypothes%s, nothing observed", count, count == 1 ? "is" : "es");
    }
    for (size_t i = 0; i < p->step_count; i++) any_inferred = print_step(out, p, i) || any_inferred;
    if (p->step_count == 0) {
        print_priors(out, p);
        for (size_t h = 0; h < crd_bayes_hypothesis_count(p->bayes); h++) {
            int inferred = 0;
            crd_bayes_prior_of(p->bayes, h, &inferred);
            any_inferred = any_inferred || inferred;
        }
    }
    if (any_inferred) output_remark(out, "* not stated: what the others leave, or all equal");
    output_heading(out, 2, "Answers", "");
    table *t = table_create_for(out, 2);
    table_omit_heading(t);
    table_align_left(t, 1);
    size_t tied = 0, chosen = crd_bayes_map(p->bayes, &tied);
    add_choice(t, p, "maximum a posteriori (MAP)", chosen, tied);
    if (p->step_count > 0) {
        chosen = crd_bayes_ml(p->bayes, &tied);
        add_choice(t, p, "maximum likelihood (ML)", chosen, tied);
    }
    if (crd_bayes_answer_count(p->bayes) > 0) {
        if (p->step_count == 0) {
            table_add(t, "maximum likelihood (ML)");
            table_add(t, "unknown: nothing was observed");
        }
        add_answers(t, p);
    }
    if (!isnan(p->accuracy)) {
        table_add(t, "best possible accuracy");
        table_format(t, "%s, on average, of guesses from the priors and one outcome alone",
                     output_round(p->accuracy, room));
    }
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

/* ---- As JSON ---- */

static void write_step(json *j, const problem *p, const step *now) {
    size_t outcome = outcome_index(p->bayes, now->outcome);
    json_object(j);
    json_member_text(j, "outcome", crd_text_of(now->outcome));
    json_member_number(j, "evidence", now->evidence);
    json_key(j, "hypotheses");
    json_array(j);
    for (size_t h = 0; h < crd_bayes_hypothesis_count(p->bayes); h++) {
        json_object(j);
        json_member_text(j, "hypothesis", crd_bayes_hypothesis(p->bayes, h));
        json_member_number(j, "before", now->before[h]);
        json_member_number(j, "likelihood", crd_bayes_likelihood_of(p->bayes, outcome, h, NULL));
        json_member_number(j, "joint", now->joint[h]);
        json_member_number(j, "posterior", now->after[h]);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

static void write_weights(json *j, const problem *p, const char *key) {
    json_key(j, key);
    json_object(j);
    for (size_t h = 0; h < crd_bayes_hypothesis_count(p->bayes); h++) {
        bool is_prior = strcmp(key, "prior") == 0;
        json_key_text(j, crd_bayes_hypothesis(p->bayes, h));
        json_number(j, is_prior ? crd_bayes_prior_of(p->bayes, h, NULL) : crd_bayes_posterior(p->bayes)[h]);
    }
    json_end_object(j);
}

static void write_json(output *out, const problem *p) {
    json j = json_begin(out->stream, true);
    json_object(&j);
    write_weights(&j, p, "prior");
    json_key(&j, "observations");
    json_array(&j);
    for (size_t i = 0; i < p->step_count; i++) write_step(&j, p, &p->steps[i]);
    json_end_array(&j);
    write_weights(&j, p, "posterior");
    json_member_number(&j, "log_evidence", crd_bayes_log_evidence(p->bayes));
    json_member_text(&j, "map", crd_bayes_hypothesis(p->bayes, crd_bayes_map(p->bayes, NULL)));
    if (p->step_count > 0) {
        json_member_text(&j, "ml", crd_bayes_hypothesis(p->bayes, crd_bayes_ml(p->bayes, NULL)));
    }
    if (!isnan(p->accuracy)) json_member_number(&j, "best_accuracy", p->accuracy);
    if (crd_bayes_answer_count(p->bayes) > 0) {
        json_member_text(&j, "optimal", crd_bayes_answer(p->bayes, crd_bayes_optimal(p->bayes, NULL)));
        json_key(&j, "gibbs");
        json_object(&j);
        for (size_t a = 0; a < crd_bayes_answer_count(p->bayes); a++) {
            json_key_text(&j, crd_bayes_answer(p->bayes, a));
            json_number(&j, crd_bayes_answer_weight(p->bayes, a));
        }
        json_end_object(&j);
    }
    json_end_object(&j);
    json_end_line(&j);
}

/* ---- The verb ---- */

static int run(invocation *call) {
    problem p = {0};
    output out;
    crd_error error;
    if (call->arguments.operand_count > 0)
        return message_usage("bayes takes options only, not '%s'", call->arguments.operands[0]);
    if (crd_bayes_create(call->context, &p.bayes, &error) != CRD_OK) return message_error(&error);
    int ended = bayes_state(call, &p);
    if (ended == ENDED_WELL && p.step_count == 0 && !arguments_have(&call->arguments, "says") &&
        !arguments_have(&call->arguments, "file")) {
        ended = message_usage("bayes needs something to answer: --observed OUTCOME or --says HYPOTHESIS=ANSWER");
    }
    if (ended == ENDED_WELL && crd_bayes_hypothesis_count(p.bayes) == 0 && arguments_have(&call->arguments, "file")) {
        const char *file = arguments_value(&call->arguments, "file");
        ended = message_failed("%s: no hypothesis is stated there", strcmp(file, "-") == 0 ? "standard input" : file);
    }
    if (ended == ENDED_WELL) {
        ended = solve(&p);
        if (ended != ENDED_WELL && crd_bayes_hypothesis_count(p.bayes) == 1 &&
            arguments_have(&call->arguments, "prior"))
            message_hint("there is one hypothesis; its rival is named by --likelihood OUTCOME:HYPOTHESIS=P or --prior");
    }
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) {
        ended = output_choose_format(call, &out, FORMATS_OF_REPORTS, FORMAT_TABLE);
        if (ended == ENDED_WELL && out.format == FORMAT_JSON) write_json(&out, &p);
        else if (ended == ENDED_WELL) print_table(&out, &p);
        ended = output_close(&out, ended);
    }
    problem_free(&p);
    return ended;
}

static const option options[] = {
    {"prior", 0, "H=P,...", "P(H): what is believed of each hypothesis before"},
    {"likelihood", 0, "O:H=P,...", "P(O|H): how likely each outcome is under each hypothesis; in quotes, P(O|H)=P"},
    {"observed", 0, "O,...", "what was observed, one after the other"},
    {"says", 0, "H=ANSWER,...", "what each hypothesis answers, to combine them"},
    {"file", 0, "FILE", "lines such as 'prior H=P', as the options, without dashes"},
    OPTION_REPORT_FORMAT,
    OPTION_OUTPUT,
    OPTIONS_END};

const verb verb_bayes = {
    .name = "bayes",
    .usage = "bayes --prior H=P --likelihood O:H=P --observed O",
    .summary = "Applies Bayes' rule to bare numbers",
    .about =
        "Prior times likelihood is the joint probability; the sum of those over the hypotheses is the evidence, and "
        "each\n"
        "over that sum the posterior. Further outcomes observed start from there. Numbers may be 2/8 or 25%, too.\n\n"
        "What can only be one thing may be left out: one hypothesis' prior is what the others leave, and so is one\n"
        "outcome's likelihood under a hypothesis, so that P(apple|red) tells P(orange|red) too: an outcome observed "
        "of\n"
        "which no likelihood is stated is everything else. Without any prior all are equal. What was filled in is "
        "marked\n"
        "with a star.\n\n"
        "With --says, the answers of all hypotheses are weighed: by the most likely one, by the most probable one, by\n"
        "all together (Bayes optimal), and by one drawn at random (Gibbs).\n",
    .example = "  credence bayes --prior cancer=.008 --likelihood '+:cancer=.98,+:no cancer=.03' --observed +\n"
               "  credence bayes --prior red=.4 --likelihood apple:red=2/8,apple:blue=3/4 --observed orange\n"
               "  credence bayes --prior h1=.4,h2=.3,h3=.3 --says h1=+,h2=-,h3=-\n",
    .options = options,
    .run = run};
