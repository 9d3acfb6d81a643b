/* SPDX-License-Identifier: MIT */
/* Models as hypotheses: what data say of them, and what they say together. */
#include "evaluate/leave_one_out.h"
#include "model_support.h"

#include <mpfr.h>

#include "counted_fixture.h"

/* A model whose own settings are these, "name=value" pairs ended by NULL. */
static crd_model *model_with(const char *text, const char *target, const char *const *pairs) {
    crd_model *model = trained(context, text, target);
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_clone(crd_model_settings(model), &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    assert_done(crd_model_set_settings(model, settings, &error), error);
    crd_settings_destroy(settings);
    return model;
}

/* Takes the models over. */
static crd_hypotheses *hypotheses_of(crd_model **models, size_t count, const double *priors) {
    crd_hypotheses *hypotheses;
    crd_error error;
    assert_done(crd_hypotheses_create(context, &hypotheses, &error), error);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "h%zu", i + 1);
        assert_done(
            crd_hypotheses_add(hypotheses, crd_text_of(name), models[i], priors == NULL ? 1 : priors[i], &error),
            error);
        crd_model_destroy(models[i]);
    }
    return hypotheses;
}

static crd_hypothesis hypothesis_at(const crd_hypotheses *hypotheses, size_t index) {
    crd_hypothesis hypothesis = CRD_HYPOTHESIS_INIT;
    crd_error error;
    assert_done(crd_hypotheses_at(hypotheses, index, &hypothesis, &error), error);
    return hypothesis;
}

static crd_status weigh(crd_hypotheses *hypotheses, const char *rows, crd_likelihood likelihood, crd_error *error) {
    crd_reader *reader;
    assert_done(open_text(context, rows, strlen(rows), NULL, &reader, error), *error);
    crd_status status = crd_hypotheses_weigh(hypotheses, reader, likelihood, error);
    crd_reader_close(reader);
    return status;
}

static crd_model *combined(const crd_hypotheses *hypotheses, crd_combine_rule rule, uint64_t seed) {
    crd_model *model;
    crd_error error;
    assert_done(crd_hypotheses_combine(hypotheses, rule, seed, &model, &error), error);
    return model;
}

static int32_t ask(const crd_model *model, const crd_value *values, double *probabilities) {
    crd_classifier *classifier;
    crd_answer answer;
    crd_error error;
    double logs[8];
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(crd_classifier_posterior(classifier, values, logs, probabilities, &answer, &error), error);
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        assert_near(logs[k] == -INFINITY ? 0 : crd_exp(logs[k]), probabilities[k], 1e-15);
    crd_classifier_destroy(classifier);
    return answer.decision;
}

/* Hypotheses of probability .4, .3 and .3, of which the first says + and the others -. */
static crd_hypotheses *lecture(void) {
    static const double posterior[] = {.4, .3, .3};
    crd_error error;
    crd_model *models[3];
    for (size_t i = 0; i < 3; i++)
        models[i] = model_with(i == 0 ? "x,y\na,+\nb,-\n" : "x,y\na,-\nb,+\n", "y", WITH("smoothing", "none"));
    crd_hypotheses *hypotheses = hypotheses_of(models, 3, NULL);
    assert_done(crd_hypotheses_set_posterior(hypotheses, posterior, &error), error);
    return hypotheses;
}

static void test_lecture(void **state) {
    (void)state;
    static const crd_combine_rule rules[] = {CRD_COMBINE_OPTIMAL, CRD_COMBINE_MAP, CRD_COMBINE_ML};
    static const double plus[] = {.4, 1, 1};
    crd_hypotheses *hypotheses = lecture();
    crd_value row[] = {text_value("a")};
    for (size_t i = 0; i < 3; i++) {
        double probabilities[2];
        crd_model *model = combined(hypotheses, rules[i], 1);
        assert_int_equal(ask(model, row, probabilities), i == 0 ? 1 : 0); /* classes are +, - */
        assert_near(probabilities[0], plus[i], 1e-15);
        assert_near(probabilities[1], 1 - plus[i], 1e-15);
        crd_model_destroy(model);
    }
    crd_hypotheses_destroy(hypotheses);
}

/* Of many rows a share that is like its posterior is answered by each; the same row always by the same one. */
static void test_gibbs(void **state) {
    (void)state;
    enum { ROWS = 4000 };
    crd_model *models[] = {
        model_with("n,y\n1,+\n2,+\n3,+\n3,-\n", "y", WITH("prior", "+=1,-=0")),
        model_with("n,y\n1,-\n2,-\n3,-\n3,+\n", "y", WITH("prior", "+=0,-=1")),
    };
    static const double posterior[] = {.3, .7};
    crd_error error;
    crd_hypotheses *hypotheses = hypotheses_of(models, 2, NULL);
    assert_done(crd_hypotheses_set_posterior(hypotheses, posterior, &error), error);
    size_t plus[2] = {0, 0}, same = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        crd_model *model = combined(hypotheses, CRD_COMBINE_GIBBS, seed);
        crd_classifier *classifier;
        assert_int_equal(crd_model_seed(model), seed);
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        for (size_t i = 0; i < ROWS; i++) {
            double logs[2], again[2];
            crd_answer answer;
            crd_value row = number_value((double)i / 16);
            assert_done(crd_classifier_posterior(classifier, &row, logs, NULL, &answer, &error), error);
            assert_done(crd_classifier_posterior(classifier, &row, again, NULL, &answer, &error), error);
            assert_memory_equal(logs, again, sizeof logs);
            plus[seed - 1] += answer.decision == 0;
        }
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
    same = plus[0] == plus[1];
    assert_false(same); /* seeds draw others */
    /* Four deviations of a share of .3 among 4000 are .029. */
    assert_near((double)plus[0] / ROWS, .3, .029);
    assert_near((double)plus[1] / ROWS, .3, .029);
    crd_hypotheses_destroy(hypotheses);
}

/* ---- Closed forms ---- */

static const char learned[] = "a,b,y\nx,1s,p\nx,2s,p\nz,1s,q\n?,2s,q\nw,?,q\nx,1s,q\n";
static const char fresh[] = "a,b,y\nx,2s,q\nz,1s,p\nz,?,p\nw,2s,q\nx,1s,p\n";
static const char turned[] = "a,b,y\nx,1s,p\nw,2s,q\nz,?,p\nz,1s,p\nx,2s,q\n";

/* What a model says of one row after another, learning each. */
static double one_by_one(const char *const *pairs) {
    crd_model *model = model_with(learned, "y", pairs);
    crd_reader *reader;
    crd_error error;
    const crd_frame *frame;
    double sum = 0;
    assert_done(open_text(context, fresh, strlen(fresh), NULL, &reader, &error), error);
    assert_done(crd_model_bind_to_learn(model, reader, &error), error);
    assert_done(crd_reader_next(reader, &frame, &error), error);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        crd_classifier *classifier;
        crd_value values[] = {crd_frame_value(frame, row, 0), crd_frame_value(frame, row, 1)};
        crd_text truth = crd_frame_value(frame, row, 2).text;
        double logs[2];
        crd_answer answer;
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
        sum += logs[crd_text_equal(truth, crd_text_of("q"))] + answer.log_evidence;
        crd_classifier_destroy(classifier);
        crd_frame *one;
        assert_done(crd_frame_create(context, 1, &one, &error), error);
        crd_text cells[] = {values[0].text, values[1].type == CRD_TYPE_NONE ? (crd_text){NULL, 0} : values[1].text,
                            truth};
        static const char *const names[] = {"a", "b", "y"};
        for (size_t i = 0; i < 3; i++)
            assert_done(crd_frame_add_texts(one, crd_text_of(names[i]), &cells[i], &error), error);
        assert_done(crd_model_update(model, one, &error), error);
        crd_frame_destroy(one);
    }
    crd_reader_close(reader);
    crd_model_destroy(model);
    return sum;
}

static void test_categories_one_by_one(void **state) {
    (void)state;
    static const char *const settings[][5] = {{"smoothing", "m:1", NULL},
                                              {"smoothing", "laplace:0.5", NULL},
                                              {"smoothing", "m:3", "prior", "laplace:2", NULL},
                                              {"smoothing", "m:1", "prior", "uniform", NULL},
                                              {"smoothing", "m:1", "prior", "p=0.2,q=0.8", NULL}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crd_model *models[] = {model_with(learned, "y", settings[i]), model_with(learned, "y", settings[0])};
        crd_error error;
        crd_hypotheses *hypotheses = hypotheses_of(models, 2, NULL);
        assert_done(weigh(hypotheses, fresh, CRD_LIKELIHOOD_NONE, &error), error);
        crd_hypothesis first = hypothesis_at(hypotheses, 0), second = hypothesis_at(hypotheses, 1);
        assert_int_equal(first.likelihood, CRD_LIKELIHOOD_CLOSED);
        assert_near(first.log_likelihood, one_by_one(settings[i]), 1e-13);
        assert_near(log(first.posterior / second.posterior), first.log_likelihood - second.log_likelihood, 1e-13);
        assert_near(first.posterior + second.posterior, 1, 1e-15);
        /* In another order, to the bit. */
        assert_done(weigh(hypotheses, turned, CRD_LIKELIHOOD_CLOSED, &error), error);
        crd_hypothesis other = hypothesis_at(hypotheses, 0);
        assert_memory_equal(&other.log_likelihood, &first.log_likelihood, sizeof first.log_likelihood);
        crd_hypotheses_destroy(hypotheses);
    }
}

/* log Gamma((v + 1) / 2) - log Gamma(v / 2) */
static double gamma_ratio(double v) {
    mpfr_t above, below;
    mpfr_inits2(200, above, below, (mpfr_ptr)0);
    mpfr_set_d(above, (v + 1) / 2, MPFR_RNDN);
    mpfr_set_d(below, v / 2, MPFR_RNDN);
    mpfr_lngamma(above, above, MPFR_RNDN);
    mpfr_lngamma(below, below, MPFR_RNDN);
    mpfr_sub(above, above, below, MPFR_RNDN);
    double ratio = mpfr_get_d(above, MPFR_RNDN);
    mpfr_clears(above, below, (mpfr_ptr)0);
    return ratio;
}

/* Numbers of one class under a normal-inverse-gamma posterior that each of them changes, and under which each has a
 * Student's t density. The prior is that of K rows of mean 4 and variance 7.5 (1, 2, 5, 8's), see student.c. */
static double numbers_one_by_one(double K, const double *before, size_t old, const double *after, size_t count) {
    double mean = 0, squares = 0, sum = 0;
    for (size_t i = 0; i < old; i++) mean += before[i] / (double)old;
    for (size_t i = 0; i < old; i++) squares += (before[i] - mean) * (before[i] - mean);
    double n = (double)old, k = n + K, mu = (n * mean + K * 4) / k, a = (k - 1) / 2;
    double b = (squares + K * 7.5 + K * n / k * (mean - 4) * (mean - 4)) / 2;
    for (size_t i = 0; i < count; i++) {
        double v = 2 * a, scale = sqrt(b * (k + 1) / (a * k)), t = (after[i] - mu) / scale;
        sum += gamma_ratio(v) - log(v * 3.14159265358979323846) / 2 - log(scale) - (v + 1) / 2 * log1p(t * t / v);
        b += k / (k + 1) * (after[i] - mu) * (after[i] - mu) / 2;
        mu = (k * mu + after[i]) / (k + 1);
        k += 1;
        a += .5;
    }
    return sum;
}

static void test_numbers_one_by_one(void **state) {
    (void)state;
    static const double before[2][2] = {{1, 2}, {5, 8}}, after[2][3] = {{2.5, -1, 0.25}, {6, 30, 0}};
    static const char *const strengths[] = {"m:1", "m:2.5"};
    static const double K[] = {1, 2.5};
    for (size_t i = 0; i < 2; i++) {
        crd_error error;
        crd_model *models[] = {model_with("x,y\n1,p\n2,p\n5,q\n8,q\n", "y",
                                          WITH("family", "student", "smoothing", strengths[i], "prior", "uniform"))};
        crd_hypotheses *hypotheses = hypotheses_of(models, 1, NULL);
        assert_done(weigh(hypotheses, "x,y\n2.5,p\n6,q\n-1,p\n30,q\n.25,p\n?,q\n", CRD_LIKELIHOOD_CLOSED, &error),
                    error);
        double wanted = 6 * log(.5) + numbers_one_by_one(K[i], before[0], 2, after[0], 3) +
                        numbers_one_by_one(K[i], before[1], 2, after[1], 2);
        assert_near(hypothesis_at(hypotheses, 0).log_likelihood, wanted, 1e-12);
        crd_hypotheses_destroy(hypotheses);
    }
}

/* One row is what the classifier says of it. */
static void test_one_row(void **state) {
    (void)state;
    static const char *const settings[][7] = {{"family", "student", NULL},
                                              {"family", "student", "student", "12.5", NULL},
                                              {"family", "student", "student", "0", NULL},
                                              {"family", "student", "smoothing", "laplace:1", NULL},
                                              {"family", "student", "smoothing", "m:40", "prior", "laplace:3", NULL}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crd_model *models[] = {model_with("x,c,y\n1,u,p\n2,v,p\n5,u,q\n8,u,q\n9,v,q\n", "y", settings[i])};
        crd_error error;
        crd_hypotheses *hypotheses = hypotheses_of(models, 1, NULL);
        assert_done(weigh(hypotheses, "x,c,y\n3.5,v,q\n", CRD_LIKELIHOOD_CLOSED, &error), error);
        double closed = hypothesis_at(hypotheses, 0).log_likelihood;
        crd_classifier *classifier;
        crd_value row[] = {number_value(3.5), text_value("v")};
        double logs[2];
        crd_answer answer;
        assert_done(crd_classifier_create(hypothesis_at(hypotheses, 0).model, NULL, &classifier, &error), error);
        assert_done(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), error);
        assert_near(closed, logs[1] + answer.log_evidence, 1e-13);
        crd_classifier_destroy(classifier);
        crd_hypotheses_destroy(hypotheses);
    }
}

/* Three rows a, a, b of one class: under Dirichlet(1, 1) 2! 1! / 4! = 1/12, under Dirichlet(1/2, 1/2)
 * (1/2 3/2 1/2) / (1 2 3) = 1/16. */
static void test_rows_learned(void **state) {
    (void)state;
    static const char rows[] = "x,y\na,p\na,p\nb,p\n";
    crd_model *models[] = {model_with(rows, "y", WITH("smoothing", "laplace:1", "prior", "laplace:1")),
                           model_with(rows, "y", WITH("smoothing", "m:1", "prior", "uniform"))};
    crd_error error;
    static const double priors[] = {3, 1};
    crd_hypotheses *hypotheses = hypotheses_of(models, 2, priors);
    assert_near(hypothesis_at(hypotheses, 0).prior, .75, 0);
    assert_done(crd_hypotheses_weigh(hypotheses, NULL, CRD_LIKELIHOOD_CLOSED, &error), error);
    assert_near(hypothesis_at(hypotheses, 0).log_likelihood, log(1 / 12.0), 1e-15);
    assert_near(hypothesis_at(hypotheses, 1).log_likelihood, log(1 / 16.0), 1e-15);
    assert_near(hypothesis_at(hypotheses, 0).posterior, 3 / 12.0 / (3 / 12.0 + 1 / 16.0), 1e-15);
    crd_hypotheses_destroy(hypotheses);
    /* Columns meet by name, and so do values: x has three, of which the first model has met two. Under
     * Dirichlet(1, 1, 1) a, a, b have 2! / (3 4 5) and a, b, c 1 / (3 4 5); w, of one value, is certain. */
    crd_model *apart[] = {
        model_with("x,w,y\na,k,p\na,k,p\nb,k,p\n", "y", WITH("smoothing", "laplace:1", "prior", "uniform")),
        model_with("y,w,x\np,k,a\np,k,b\np,k,c\n", "y", WITH("smoothing", "laplace:1", "prior", "uniform"))};
    hypotheses = hypotheses_of(apart, 2, NULL);
    assert_done(crd_hypotheses_weigh(hypotheses, NULL, CRD_LIKELIHOOD_CLOSED, &error), error);
    assert_near(hypothesis_at(hypotheses, 0).log_likelihood, log(2 / 60.0), 1e-15);
    assert_near(hypothesis_at(hypotheses, 1).log_likelihood, log(1 / 60.0), 1e-15);
    crd_hypotheses_destroy(hypotheses);
    /* Other rows, or a prior that has no form, cannot be compared so. */
    crd_model *others[] = {model_with(rows, "y", WITH("prior", "uniform")),
                           model_with("x,y\na,p\nb,p\n", "y", WITH("prior", "uniform"))};
    hypotheses = hypotheses_of(others, 2, NULL);
    assert_int_equal(crd_hypotheses_weigh(hypotheses, NULL, CRD_LIKELIHOOD_CLOSED, &error), CRD_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "different rows"));
    crd_hypotheses_destroy(hypotheses);
    crd_model *frequent[] = {trained(context, rows, "y")};
    hypotheses = hypotheses_of(frequent, 1, NULL);
    assert_int_equal(crd_hypotheses_weigh(hypotheses, NULL, CRD_LIKELIHOOD_CLOSED, &error), CRD_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "frequency"));
    crd_hypotheses_destroy(hypotheses);
}

/* ---- Row by row ---- */

/* Models of different columns are compared by the classes; the result is that of the classifiers, in any order. */
static void test_classes(void **state) {
    (void)state;
    crd_model *models[] = {trained(context, "a,n,y\nu,1,p\nv,2,q\nu,3,p\nv,4,p\n", "y"),
                           trained(context, "a,y,z\nu,p,k\nv,q,l\nv,q,k\n", "y")};
    crd_error error;
    crd_hypotheses *hypotheses = hypotheses_of(models, 2, NULL);
    assert_done(weigh(hypotheses, "n,a,z,y\n2,u,k,p\n7,v,l,q\n?,?,k,?\n1,?,k,q\n", CRD_LIKELIHOOD_NONE, &error), error);
    crd_hypothesis members[] = {hypothesis_at(hypotheses, 0), hypothesis_at(hypotheses, 1)};
    static const struct {
        double n;
        const char *a, *z;
        size_t class;
    } rows[] = {{2, "u", "k", 0}, {7, "v", "l", 1}, {1, NULL, "k", 1}};
    for (size_t i = 0; i < 2; i++) {
        crd_classifier *classifier;
        double sum = 0, logs[2];
        crd_answer answer;
        assert_int_equal(members[i].likelihood, CRD_LIKELIHOOD_CLASSES);
        assert_done(crd_classifier_create(members[i].model, NULL, &classifier, &error), error);
        for (size_t row = 0; row < 3; row++) {
            crd_value a = rows[row].a == NULL ? missing_value() : text_value(rows[row].a);
            crd_value values[] = {a, i == 0 ? number_value(rows[row].n) : text_value(rows[row].z)};
            assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
            sum += logs[rows[row].class];
        }
        crd_classifier_destroy(classifier);
        assert_near(members[i].log_likelihood, sum, 1e-14);
    }
    assert_done(weigh(hypotheses, "n,a,z,y\n1,?,k,q\n7,v,l,q\n2,u,k,p\n", CRD_LIKELIHOOD_CLASSES, &error), error);
    assert_true(hypothesis_at(hypotheses, 0).log_likelihood == members[0].log_likelihood);
    assert_int_equal(weigh(hypotheses, "n,a,z,y\n1,?,k,q\n", CRD_LIKELIHOOD_ROWS, &error), CRD_ERROR_ARGUMENT);
    /* Where data could not weigh them, they are as before there were any. */
    assert_int_equal(hypothesis_at(hypotheses, 0).likelihood, CRD_LIKELIHOOD_NONE);
    assert_near(hypothesis_at(hypotheses, 0).posterior, .5, 0);
    crd_hypotheses_destroy(hypotheses);
}

static void test_impossible(void **state) {
    (void)state;
    crd_model *models[] = {model_with("a,y\nu,p\nv,q\n", "y", WITH("smoothing", "none")),
                           model_with("a,y\nu,p\nv,p\nv,r\nu,r\n", "y", WITH("smoothing", "none"))};
    crd_error error;
    crd_hypotheses *hypotheses = hypotheses_of(models, 2, NULL);
    assert_done(weigh(hypotheses, "a,y\nu,p\nv,p\n", CRD_LIKELIHOOD_ROWS, &error), error);
    assert_true(hypothesis_at(hypotheses, 0).log_likelihood == -INFINITY &&
                hypothesis_at(hypotheses, 0).impossible == 1);
    assert_true(hypothesis_at(hypotheses, 1).impossible == 0 && hypothesis_at(hypotheses, 1).posterior == 1);
    assert_near(hypothesis_at(hypotheses, 1).log_likelihood, 2 * log(.25), 1e-15);
    assert_int_equal(weigh(hypotheses, "a,y\nu,q\nv,r\nu,new\n", CRD_LIKELIHOOD_CLASSES, &error),
                     CRD_ERROR_PROBABILITY);
    crd_hypotheses_destroy(hypotheses);
}

/* In closed form, too: a class that the hypothesis has never met, and one that its prior rules out. */
static void test_impossible_classes(void **state) {
    (void)state;
    crd_model *models[] = {trained(context, "a,y\nu,p\nv,q\n", "y"),
                           model_with("a,y\nu,p\nv,q\nv,r\n", "y", WITH("prior", "p=0.5,q=0,r=0.5")),
                           trained(context, "a,y\nu,p\nv,q\nv,r\n", "y")};
    crd_error error;
    crd_hypotheses *hypotheses = hypotheses_of(models, 3, NULL);
    assert_done(weigh(hypotheses, "a,y\nu,p\nv,q\nu,r\nv,r\n", CRD_LIKELIHOOD_CLOSED, &error), error);
    for (size_t i = 0; i < 3; i++) {
        static const double impossible[] = {2, 1, 0};
        assert_true(hypothesis_at(hypotheses, i).impossible == impossible[i]);
        assert_true((hypothesis_at(hypotheses, i).log_likelihood == -INFINITY) == (i < 2));
        assert_true(hypothesis_at(hypotheses, i).posterior == (i == 2));
    }
    crd_hypotheses_destroy(hypotheses);
}

/* ---- The model that they make ---- */

static const char whole_table[] = "n,a,z,y\n2,u,k,p\n7,v,l,q\n?,?,k,r\n1,?,k,q\n2.5,other,?,p\n-3,u,l,r\n";

static crd_model *mixed(crd_combine_rule rule) {
    static const double posterior[] = {.25, .75};
    crd_model *models[] = {trained(context, "a,n,y\nu,1,p\nv,2,q\nu,3,p\nv,4,p\n", "y"),
                           trained(context, "z,y,a\nk,r,u\nl,q,v\nk,q,v\nk,r,w\n", "y")};
    crd_error error;
    crd_hypotheses *hypotheses = hypotheses_of(models, 2, NULL);
    assert_done(crd_hypotheses_set_posterior(hypotheses, posterior, &error), error);
    crd_model *model = combined(hypotheses, rule, 7);
    crd_hypotheses_destroy(hypotheses);
    return model;
}

/* Its columns, values and classes are those of either; rows of a table are answered as they are alone. */
static void test_union(void **state) {
    (void)state;
    for (crd_combine_rule rule = CRD_COMBINE_OPTIMAL; rule <= CRD_COMBINE_MAP; rule++) {
        crd_model *model = mixed(rule);
        crd_classifier *classifier;
        crd_posteriors *posteriors;
        crd_reader *reader;
        const crd_frame *frame;
        crd_error error;
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        assert_int_equal(crd_classifier_class_count(classifier), 3);
        assert_int_equal(crd_classifier_attribute_count(classifier), 3); /* a, n, z */
        assert_true(crd_text_equal(crd_classifier_attribute(classifier, 2), crd_text_of("z")));
        assert_done(open_text(context, whole_table, strlen(whole_table), NULL, &reader, &error), error);
        assert_done(crd_model_bind(model, reader, &error), error);
        assert_done(crd_reader_next(reader, &frame, &error), error);
        assert_done(crd_posteriors_create(context, &posteriors, &error), error);
        assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            crd_value values[3];
            double logs[3];
            crd_answer answer;
            static const size_t columns[] = {0, 1, 3}; /* a, n, y, z */
            for (size_t i = 0; i < 3; i++) values[i] = crd_frame_value(frame, row, columns[i]);
            assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
            assert_memory_equal(logs, crd_posteriors_log(posteriors, row), sizeof logs);
        }
        crd_posteriors_destroy(posteriors);
        crd_reader_close(reader);
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

/* By hand, from what the members say. */
static void test_average(void **state) {
    (void)state;
    crd_model *model = mixed(CRD_COMBINE_OPTIMAL);
    crd_value all[] = {text_value("v"), number_value(2.25), text_value("k")};
    crd_value first[] = {all[0], all[1]}, second[] = {all[2], all[0]};
    double pooled[3], of_first[2], of_second[2]; /* p q r; p q; q r */
    crd_member members[2] = {CRD_MEMBER_INIT, CRD_MEMBER_INIT};
    crd_error error;
    for (size_t i = 0; i < 2; i++) assert_done(crd_model_member(model, i, &members[i], &error), error);
    ask(model, all, pooled);
    ask(members[0].model, first, of_first);
    ask(members[1].model, second, of_second);
    assert_near(pooled[0], .25 * of_first[0], 1e-15);
    assert_near(pooled[1], .25 * of_first[1] + .75 * of_second[0], 1e-15);
    assert_near(pooled[2], .75 * of_second[1], 1e-15);
    assert_int_equal(crd_model_member(model, 2, &members[0], &error), CRD_ERROR_ARGUMENT);
    crd_model_destroy(model);
}

static void test_file(void **state) {
    (void)state;
    for (crd_combine_rule rule = CRD_COMBINE_OPTIMAL; rule <= CRD_COMBINE_ML; rule++) {
        crd_model *model = mixed(rule), *again;
        crd_error error;
        model_bytes bytes = bytes_of(model, context);
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
        model_bytes back = bytes_of(again, context);
        assert_same_bytes(bytes, back);
        assert_int_equal(crd_model_rule(again), rule);
        assert_int_equal(crd_model_member_count(again), 2);
        crd_value row[] = {text_value("v"), number_value(2.25), text_value("k")};
        double before[3], after[3];
        assert_int_equal(ask(model, row, before), ask(again, row, after));
        assert_memory_equal(before, after, sizeof before);
        /* Cut anywhere it is none. */
        for (size_t length = 0; length < bytes.length; length += 7) {
            crd_model *none;
            assert_int_not_equal(crd_model_decode(context, bytes.bytes, length, &none, &error), CRD_OK);
            assert_null(none);
        }
        free_bytes(bytes);
        free_bytes(back);
        crd_model_destroy(model);
        crd_model_destroy(again);
    }
}

static void test_refusals(void **state) {
    (void)state;
    crd_model *model = mixed(CRD_COMBINE_OPTIMAL), *plain = trained(context, "a,n,y\nu,1,p\nv,2,q\n", "y");
    crd_error error;
    crd_frame *frame;
    crd_query *query;
    crd_what_if *what_if;
    crd_dependence *dependence;
    crd_i_leave_one_out *leaving;
    crd_settings *settings;
    crd_classifier *classifier;
    int same;
    assert_done(crd_frame_create(context, 0, &frame, &error), error);
    assert_int_equal(crd_model_update(model, frame, &error), CRD_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "combines 2 others"));
    assert_int_equal(crd_model_forget(model, frame, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_merge(model, plain, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_merge(plain, model, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_keep(model, crd_text_of("rows"), &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_query_create(model, NULL, &query, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_dependence_create(model, &dependence, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_i_leave_one_out_create(model, NULL, &leaving, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_model_same_tally(model, plain, &same, &error), CRD_ERROR_ARGUMENT);
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_int_equal(crd_what_if_create(model, classifier, &what_if, &error), CRD_ERROR_ARGUMENT);
    crd_classifier_destroy(classifier);
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    assert_int_equal(crd_model_set_settings(model, settings, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_classifier_create(model, settings, &classifier, &error), CRD_ERROR_ARGUMENT);
    crd_settings_destroy(settings);
    crd_frame_destroy(frame);
    crd_model_destroy(model);
    crd_model_destroy(plain);
}

static void test_what_does_not_fit(void **state) {
    (void)state;
    crd_model *first[] = {trained(context, "a,n,y\nu,1,p\nv,2,q\n", "y")};
    crd_hypotheses *hypotheses = hypotheses_of(first, 1, NULL);
    crd_model *target = trained(context, "a,n,y\nu,1,p\nv,2,q\n", "a");
    crd_model *kind = trained(context, "a,n,y\nu,one,p\nv,two,q\n", "y"), *nested = mixed(CRD_COMBINE_OPTIMAL);
    crd_text name = crd_text_of("x");
    crd_error error;
    assert_int_equal(crd_hypotheses_add(hypotheses, name, target, 1, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_int_equal(crd_hypotheses_add(hypotheses, name, kind, 1, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.subject, "n");
    assert_int_equal(crd_hypotheses_add(hypotheses, name, nested, 1, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_hypotheses_add(hypotheses, name, target, -1, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_hypotheses_add(hypotheses, name, target, NAN, &error), CRD_ERROR_PROBABILITY);
    assert_int_equal(crd_hypotheses_count(hypotheses), 1);
    crd_model_destroy(target);
    crd_model_destroy(kind);
    crd_model_destroy(nested);
    crd_hypotheses_destroy(hypotheses);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lecture),
        cmocka_unit_test(test_gibbs),
        cmocka_unit_test(test_categories_one_by_one),
        cmocka_unit_test(test_numbers_one_by_one),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_rows_learned),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_impossible_classes),
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_average),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
