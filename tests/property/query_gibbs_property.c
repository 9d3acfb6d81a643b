/* SPDX-License-Identifier: MIT */
/* A Gibbs classifier, which answers by one hypothesis drawn from the posterior, errs at most twice as often as the
 * Bayes optimal one, which weighs them all: on average over targets drawn from the prior that the learner believes
 * (docs/gibbs.md shows why).
 *
 * Worlds are made at random: hypotheses that answer questions, a prior over them. Then again and again a target is
 * drawn from the prior, examples are drawn from the target, and both classifiers answer a question that they may not
 * have seen. What they should err is known from the posterior, so the simulation checks the posterior too. */
#include <credence/bayes.h>
#include <credence/distribution.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_HYPOTHESES = 8, MOST_ANSWERS = 3, QUESTIONS = 5, TRIALS = 3000, SEED = 1994 };

static crd_context *context;
static crd_error error;
static crd_distribution *uniform, *exponential;
static uint64_t drawn; /* each number of the seed is taken once */

static crd_distribution *make(const char *name) {
    crd_distribution *distribution = NULL;
    return crd_distribution_create(context, crd_text_of(name), NULL, 0, &distribution, &error) == CRD_OK ? distribution
                                                                                                         : NULL;
}

static int set_up(void **state) {
    (void)state;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    uniform = make("uniform");
    exponential = make("exponential");
    return uniform != NULL && exponential != NULL ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    crd_distribution_destroy(uniform);
    crd_distribution_destroy(exponential);
    crd_context_destroy(context);
    return 0;
}

static double draw(const crd_distribution *distribution) {
    double x;
    crd_distribution_sample(distribution, SEED, drawn++, 1, &x);
    return x;
}

static size_t draw_below(size_t limit) {
    size_t i = (size_t)(draw(uniform) * (double)limit);
    return i < limit ? i : limit - 1;
}

/* An index by its weight; the weights add up to one. */
static size_t draw_by(const double *weights, size_t count) {
    double left = draw(uniform);
    size_t i = 0;
    while (i + 1 < count && left >= weights[i]) left -= weights[i++];
    return i;
}

#define assert_done(call)                                                                                              \
    do {                                                                                                               \
        if ((call) != CRD_OK) fail_msg("%s: %s", #call, error.message);                                                \
    } while (0)

/* ---- Worlds ---- */

typedef struct gibbs_world {
    size_t hypotheses, answers, examples; /* so many examples are seen before the question comes */
    double noise;                         /* how often an example's answer is another than the target's */
    double prior[MOST_HYPOTHESES];
    size_t answer[MOST_HYPOTHESES][QUESTIONS];
} gibbs_world;

static gibbs_world make_world(size_t hypotheses, size_t answers, size_t examples, double noise) {
    gibbs_world w = {.hypotheses = hypotheses, .answers = answers, .examples = examples, .noise = noise};
    double sum = 0;
    for (size_t h = 0; h < hypotheses; h++) {
        sum += w.prior[h] = draw(exponential);
        for (size_t q = 0; q < QUESTIONS; q++) w.answer[h][q] = draw_below(answers);
    }
    for (size_t h = 0; h < hypotheses; h++) w.prior[h] /= sum;
    return w;
}

typedef struct name {
    char text[64];
} name;

static name name_of(const char *form, size_t first, size_t second) {
    name n;
    snprintf(n.text, sizeof n.text, "%s%zu,%zu", form, first, second);
    return n;
}

static crd_text hypothesis_text(name *name_workspace, size_t h) {
    *name_workspace = name_of("h", h, 0);
    return crd_text_of(name_workspace->text);
}

static crd_text example_text(name *name_workspace, size_t question, size_t answer) {
    *name_workspace = name_of("example", question, answer);
    return crd_text_of(name_workspace->text);
}

/* What the learner knows, before any example: an example asks each question as often as the other. */
static crd_bayes *learner(const gibbs_world *w, size_t question) {
    crd_bayes *bayes;
    name h_room, answer_name;
    assert_done(crd_bayes_create(context, &bayes, &error));
    for (size_t h = 0; h < w->hypotheses; h++) {
        crd_text hypothesis = hypothesis_text(&h_room, h);
        assert_done(crd_bayes_prior(bayes, hypothesis, w->prior[h], &error));
        answer_name = name_of("answer", w->answer[h][question], 0);
        assert_done(crd_bayes_hypothesis_answer(bayes, hypothesis, crd_text_of(answer_name.text), &error));
        for (size_t q = 0; q < QUESTIONS; q++) {
            for (size_t a = 0; a < w->answers; a++) {
                double p = a == w->answer[h][q] ? 1 - w->noise : w->noise / (double)(w->answers - 1);
                crd_text example = example_text(&answer_name, q, a);
                assert_done(crd_bayes_likelihood(bayes, example, hypothesis, p / QUESTIONS, &error));
            }
        }
    }
    assert_done(crd_bayes_finish(bayes, &error));
    return bayes;
}

static void see_examples(const gibbs_world *w, crd_bayes *bayes, size_t target) {
    name name_workspace;
    for (size_t i = 0; i < w->examples; i++) {
        size_t question = draw_below(QUESTIONS), answer = w->answer[target][question];
        if (draw(uniform) < w->noise) answer = (answer + 1 + draw_below(w->answers - 1)) % w->answers;
        crd_text example = example_text(&name_workspace, question, answer);
        assert_done(crd_bayes_observe(bayes, example, NULL, NULL, &error));
    }
}

/* ---- Errors ---- */

/* A mean and how far chance may have put it off. */
typedef struct gibbs_average {
    double sum, squares, count;
} gibbs_average;

static void add(gibbs_average *average, double value) {
    average->sum += value;
    average->squares += value * value;
    average->count += 1;
}

static double mean(const gibbs_average *average) {
    return average->sum / average->count;
}

static double standard_error(const gibbs_average *average) {
    double variance = average->squares / average->count - mean(average) * mean(average);
    return sqrt((variance > 0 ? variance : 0) / average->count);
}

typedef struct gibbs_errors {
    gibbs_average optimal, gibbs;
    gibbs_average beyond;                           /* Gibbs less twice the optimal: at most 0 on average */
    gibbs_average optimal_surprise, gibbs_surprise; /* simulated less expected: 0 on average */
} gibbs_errors;

/* The target has answered; both classifiers had answered by what they believed. */
static void judge(gibbs_errors *e, const crd_bayes *bayes, size_t target) {
    size_t right = (size_t)bayes->answer[target], count = bayes->hypothesis_count;
    size_t chosen = draw_by(bayes->posterior, count);
    double optimal = crd_bayes_optimal(bayes, NULL) != right, gibbs = (size_t)bayes->answer[chosen] != right;
    double most = 0, alike = 0;
    for (size_t a = 0; a < bayes->answer_count; a++) {
        double weight = crd_bayes_answer_weight(bayes, a);
        most = fmax(most, weight);
        alike += weight * weight;
    }
    /* Whatever the posterior is: 1 - sum w² <= 1 - max² = (1 - max)(1 + max) <= 2 (1 - max). */
    assert_true(1 - alike <= 2 * (1 - most) + 1e-12);
    assert_true(1 - alike >= 1 - most - 1e-12);
    add(&e->optimal, optimal);
    add(&e->gibbs, gibbs);
    add(&e->beyond, gibbs - 2 * optimal);
    add(&e->optimal_surprise, optimal - (1 - most));
    add(&e->gibbs_surprise, gibbs - (1 - alike));
}

/* Four standard errors: chance alone is further off in one of 16,000. */
static bool is_zero(const gibbs_average *average) {
    return fabs(mean(average)) <= 4 * standard_error(average) + 1e-12;
}

static void check_world(gibbs_world w) {
    gibbs_errors e = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t target = draw_by(w.prior, w.hypotheses);
        crd_bayes *bayes = learner(&w, draw_below(QUESTIONS));
        see_examples(&w, bayes, target);
        judge(&e, bayes, target);
        crd_bayes_destroy(bayes);
    }
    print_message("%zu hypotheses, %zu answers, %zu examples, noise %g: optimal %.4f, Gibbs %.4f\n", w.hypotheses,
                  w.answers, w.examples, w.noise, mean(&e.optimal), mean(&e.gibbs));
    assert_true(mean(&e.beyond) <= 4 * standard_error(&e.beyond));
    assert_true(is_zero(&e.optimal_surprise) && is_zero(&e.gibbs_surprise));
    assert_true(mean(&e.gibbs) > 0);
}

static void errs_at_most_twice_as_often(void **state) {
    (void)state;
    check_world(make_world(2, 2, 1, 0.2));
    check_world(make_world(4, 2, 0, 0));
    check_world(make_world(MOST_HYPOTHESES, 2, 1, 0));
    check_world(make_world(MOST_HYPOTHESES, 2, 4, 0.1));
    check_world(make_world(MOST_HYPOTHESES, MOST_ANSWERS, 3, 0.3));
}

/* ---- How near to twice ---- */

enum { DRAWS = 40000 };

/* Two hypotheses that disagree, nothing to learn from: the rare one is the target once in twenty times. */
static crd_bayes *rare_and_common(double rare) {
    crd_bayes *bayes;
    assert_done(crd_bayes_create(context, &bayes, &error));
    assert_done(crd_bayes_prior(bayes, crd_text_of("rare"), rare, &error));
    assert_done(crd_bayes_prior(bayes, crd_text_of("common"), 1 - rare, &error));
    assert_done(crd_bayes_hypothesis_answer(bayes, crd_text_of("rare"), crd_text_of("+"), &error));
    assert_done(crd_bayes_hypothesis_answer(bayes, crd_text_of("common"), crd_text_of("-"), &error));
    assert_done(crd_bayes_finish(bayes, &error));
    return bayes;
}

/* The optimal one errs where the target is the rare one, e; Gibbs where it drew the other one, 2 e (1 - e). */
static void comes_near_to_twice(void **state) {
    (void)state;
    const double rare = 0.05;
    gibbs_errors e = {0};
    crd_bayes *bayes = rare_and_common(rare);
    for (int i = 0; i < DRAWS; i++) judge(&e, bayes, draw_by(bayes->posterior, 2));
    crd_bayes_destroy(bayes);
    assert_true(fabs(mean(&e.optimal) - rare) < 4 * standard_error(&e.optimal));
    assert_true(fabs(mean(&e.gibbs) - 2 * rare * (1 - rare)) < 4 * standard_error(&e.gibbs));
    print_message("optimal %.4f, Gibbs %.4f: %.2f times as often\n", mean(&e.optimal), mean(&e.gibbs),
                  mean(&e.gibbs) / mean(&e.optimal));
    assert_true(mean(&e.gibbs) / mean(&e.optimal) > 1.8);
}

/* It is an average over the prior that is believed: for one target alone there is no such bound. */
static void one_target_has_no_bound(void **state) {
    (void)state;
    gibbs_errors e = {0};
    crd_bayes *bayes = rare_and_common(0.05);
    for (int i = 0; i < DRAWS; i++) judge(&e, bayes, 1);
    crd_bayes_destroy(bayes);
    assert_true(mean(&e.optimal) == 0 && mean(&e.gibbs) > 0.04);
    assert_true(mean(&e.beyond) > 4 * standard_error(&e.beyond));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errs_at_most_twice_as_often),
        cmocka_unit_test(comes_near_to_twice),
        cmocka_unit_test(one_target_has_no_bound),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
