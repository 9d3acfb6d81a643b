/* SPDX-License-Identifier: MIT */
/* Settings: every spelling that means the same has one canonical text, and what is refused leaves all as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "settings/settings_internal.h"

#include <credence/number.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static crd_context *context;
static crd_settings *settings;

static int set_up(void **state) {
    crd_error error;
    (void)state;
    if (crd_context_create(NULL, &context) != CRD_OK) return 1;
    return crd_settings_create(context, &settings, &error) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return 0;
}

static void defaults(void **state) {
    (void)state;
    size_t count = crd_setting_count();
    assert_true(count >= 20);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(crd_settings_get(settings, crd_setting_at(i)->name), crd_setting_at(i)->default_value);
        assert_true(strlen(crd_setting_at(i)->help) > 0 && strlen(crd_setting_at(i)->syntax) > 0);
        assert_non_null(strstr("tables|text|network|sequence|fit", crd_setting_at(i)->group));
    }
    assert_null(crd_settings_get(settings, "smoothness"));
}

/* A binding builds its signature from the forms, and people read the syntax: both have to mean the same. */
static void syntax_lists_the_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        char joined[512] = "";
        for (size_t j = 0; j < setting->form_count; j++) {
            const crd_setting_form *form = &setting->forms[j];
            const char *parts[] = {form->word, form->argument, form->suffix};
            const char *separator = j == 0 ? "" : "|";
            for (size_t k = 0; k < 3; k++) {
                if (parts[k] == NULL) continue;
                strcat(strcat(joined, separator), parts[k]);
                separator = ":";
            }
            assert_true(strlen(form->help) > 0);
            assert_int_equal(form->argument == NULL, form->type == CRD_SETTING_ARGUMENT_NONE);
        }
        /* A method can be chosen where a model is trained; it is not a value of the setting. */
        const bool is_chosen = strcmp(setting->name, "method") == 0;
        assert_true(!is_chosen || strncmp(setting->syntax, "auto|", 5) == 0);
        assert_string_equal(joined, setting->syntax + (is_chosen ? 5 : 0));
    }
    assert_null(crd_setting_at(crd_setting_count()));
}

/* What a form says of its bounds is what is accepted: the bounds themselves, and nothing beyond. */
static void bounds_are_enforced(void **state) {
    (void)state;
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        for (size_t j = 0; j < setting->form_count; j++) {
            const crd_setting_form *form = &setting->forms[j];
            if (form->type != CRD_SETTING_ARGUMENT_NUMBER && form->type != CRD_SETTING_ARGUMENT_INTEGER) continue;
            const bool whole = form->type == CRD_SETTING_ARGUMENT_INTEGER;
            const double tried[] = {form->least, whole ? form->least - 1 : nextafter(form->least, -1), form->greatest,
                                    whole ? form->greatest + 1 : nextafter(form->greatest, INFINITY)};
            for (size_t k = 0; k < 4; k++) {
                char number[CRD_NUMBER_ROOM], text[128];
                crd_error error;
                if (isinf(tried[k])) continue;
                crd_number_format(tried[k], number);
                snprintf(text, sizeof text, "%s%s%s%s%s", form->word == NULL ? "" : form->word,
                         form->word == NULL ? "" : ":", number, form->suffix == NULL ? "" : ":",
                         form->suffix == NULL ? "" : form->suffix);
                crd_status status = crd_settings_set(settings, setting->name, crd_text_of(text), &error);
                assert_int_equal(status, k % 2 == 0 ? CRD_OK : CRD_ERROR_SETTING);
            }
        }
    }
}

static void canonical_texts(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"smoothing", "none", "none"},
        {"histogram", "scott", "scott"},
        {"histogram", "width:10.0", "width:10"},
        {"histogram", "frequency:1e2", "frequency:100"},
        {"histogram", "edges:-1.50:-0:2", "edges:-1.5:0:2"},
        {"bandwidth", "weka", "weka"},
        {"bandwidth", "0.50", "0.5"},
        {"mixture", "bic:2", "bic:2"},
        {"mixture", "4.0", "4"},
        {"student", "2.50", "2.5"},
        {"student", "-0", "0"},
        {"student", "likelihood", "likelihood"},
        {"student", "smoothing", "smoothing"},
        {"smoothing", "m:1.0", "m:1"},
        {"smoothing", "m:0", "none"},
        {"smoothing", "m:-0", "none"},
        {"smoothing", "m:0:marginal", "none"},
        {"smoothing", "laplace:0", "none"},
        {"smoothing", "laplace:5e-1", "laplace:0.5"},
        {"smoothing", "m:2:marginal", "m:2:marginal"},
        {"prior", "laplace:0", "frequency"},
        {"prior", "laplace:1.50", "laplace:1.5"},
        {"prior", "uniform", "uniform"},
        {"prior", "Yes=0.3,No=0.7", "No=0.7,Yes=0.3"},
        {"prior", " Yes=.3 , No=0.70", "No=0.7,Yes=0.3"},
        {"prior", "Yes=.3", "Yes=0.3"}, /* another class has the rest */
        {"prior", "a=b=1", "a=b=1"},
        {"prior", "Yes=9/14,No=5/14", "No=0.35714285714285715,Yes=0.6428571428571429"},
        {"prior", "Yes=90%,No=1e1%", "No=0.1,Yes=0.9"},
        {"prior", "x=3/3,y=-0/3", "x=1,y=0"},
        {"prior", "\"a,b=0.5\",\"say \"\"x\"\"=0.5\"", "\"a,b=0.5\",\"say \"\"x\"\"=0.5\""},
        {"prior", "\"plain=1\"", "plain=1"},
        {"prior", "x=1,y=-0", "x=1,y=0"},
        {"variance", "sample", "sample"},
        {"pool-variance", "all", "all"},
        {"pool-variance", "classes", "classes"},
        {"pool-variance", "attributes", "attributes"},
        {"min-sd", "1e-2", "0.01"},
        {"min-sd", "-0", "0"},
        {"method", "pairwise", "pairwise"},
        {"method", "trees", "trees"},
        {"method", "bagging:10", "bagging:10"},
        {"joint", "categories", "categories"},
        {"joint", "d,c;b,a", "a,b;c,d"},
        {"joint", "\"x,y\",a", "a,\"x,y\""},
        {"joint", "\"b \",\"b\",\"\tb\",\"b\t\"", "\"\tb\",b,\"b\t\",\"b \""},
        {"prior", "\"a =0.5\",\" a=0.25\",a=0.25", "\" a=0.25\",a=0.25,a =0.5"},
        {"family", "\"a =uniform\",a=auto", "a=auto,a =uniform"},
        {"covariance", "full:0.50", "full:0.5"},
        {"joint-mixture", "3", "3"},
        {"attribute-weights", "fitted", "fitted"},
        {"calibration", "isotonic", "isotonic"},
        {"calibration", "known-words", "known-words"},
        {"smoothing", "bdeu:10.0", "bdeu:10"},
        {"smoothing", "bdeu:0", "none"},
        {"smoothing", "k2", "laplace:1"},
        {"method", "network", "network"},
        {"arcs", "none", "none"},
        {"arcs", "A->B,C->B,D", "A->B,C->B,D"},
        {"arcs", " D , C -> B<-A", "A->B,C->B,D"},
        {"arcs", "A->B->C", "A->B,B->C"},
        {"arcs", "c<-b<-a", "a->b,b->c"},
        {"arcs", "b->a->c,b->c", "b->a,a->c,b->c"},
        {"arcs", "a,a->b,a", "a->b"},
        {"arcs", "\"x,y\"->\"say \"\"hi\"\"\"", "\"x,y\"->\"say \"\"hi\"\"\""},
        {"arcs", "\"a->b\",\"<-\"->\" c\"", "\"<-\"->\" c\",\"a->b\""},
        {"arcs", "\"none\"", "\"none\""},
        {"arcs", "\"b\"->a", "b->a"},
        {"arcs", "a-b->c-,\"d<\"->c-", "a-b->c-,\"d<\"->c-"},
        {"estimator", "gradient", "gradient"},
        {"em-starts", "3.0", "3"},
        {"latent-nodes", " b:3 ,a:2", "a:2,b:3"},
        {"latent-nodes", "\"x,y:4\",z", "\"x,y:4\",z"},
        {"latent-nodes", "a:b:2", "a:b:2"},
        {"latent-nodes", "none", "none"},
        {"search", "hill-climb", "hill-climb"},
        {"search", "kdb:2.0", "kdb:2"},
        {"arcs", "\"tan\"", "tan"},
        {"arcs", "\"tan\"->\"kdb:1\"", "tan->kdb:1"},
        {"method", "tan", "tan"},
        {"method", "kdb:0", "kdb:0"},
        {"score", "bdeu:10.0", "bdeu:10"},
        {"score", "bge", "bge"},
        {"ci-test", "x2", "x2"},
        {"alpha", "0.010", "0.01"},
        {"required-arcs", " c -> b<-a", "a->b,c->b"},
        {"forbidden-arcs", "a->b,b->a", "b->a,a->b"},
        {"tiers", "b,a;\"c;d\"", "a,b;\"c;d\""},
        {"tiers", "none", "none"},
        {"max-parents", "3", "3"},
        {"max-parents", "none", "none"},
        {"max-conditioning", "2", "2"},
        {"max-conditioning", "none", "none"},
        {"restarts", "5", "5"},
        {"forbidden-transitions", "a->a,start->b,b->end", "a->a,start->b,b->end"},
        {"method", "sequence", "sequence"},
        {"states", "12.0", "12"},
        {"order", "3", "3"},
        {"topology", "left-to-right:0", "left-to-right:0"},
        {"topology", "left-to-right", "left-to-right"},
        {"end-probabilities", "yes", "yes"},
        {"transitions", "m:0", "none"},
        {"transitions", "laplace:0.50", "laplace:0.5"},
        {"transitions", "interpolated", "interpolated"},
        {"state-mixture", "3", "3"},
        {"unseen-words", "suffix:10", "suffix:10"},
        {"term-smoothing", "0.10", "0.1"},
        {"length-normalization", "40.0", "40"},
        {"min-df", "2.5", "2"},
        {"max-df", "0.50", "0.5"},
        {"stop-words", "the,a,\"a,b\",the", "a,\"a,b\",the"},
        {"max-terms", "1e3", "1000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_error error;
        if (crd_settings_set(settings, cases[i][0], crd_text_of(cases[i][1]), &error) != CRD_OK)
            fail_msg("%s=%s: %s", cases[i][0], cases[i][1], error.message);
        assert_string_equal(crd_settings_get(settings, cases[i][0]), cases[i][2]);
        /* A canonical text is its own. */
        assert_int_equal(crd_settings_set(settings, cases[i][0], crd_text_of(cases[i][2]), &error), CRD_OK);
        assert_string_equal(crd_settings_get(settings, cases[i][0]), cases[i][2]);
    }
}

static void refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"smoothing", ""},
        {"histogram", "width:0"},
        {"histogram", "width:2.5"},
        {"histogram", "edges:1"},
        {"histogram", "edges:2:1"},
        {"histogram", "bins:3"},
        {"bandwidth", "0"},
        {"bandwidth", "wide"},
        {"mixture", "0"},
        {"mixture", "bic:17"},
        {"method", "forest"},
        {"method", "bagging:0"},
        {"method", "boosting:x"},
        {"joint", "a"},
        {"joint", "a,a"},
        {"joint", "a,b;b,c"},
        {"covariance", "full:2"},
        {"joint-mixture", "0"},
        {"attribute-weights", "some"},
        {"calibration", "scaling"},
        {"smoothing", "bdeu"},
        {"smoothing", "bdeu:-1"},
        {"smoothing", "bdeu:1:marginal"},
        {"smoothing", "k2:1"},
        {"method", "network:3"},
        {"arcs", ""},
        {"arcs", "a->"},
        {"arcs", "->a"},
        {"arcs", "a,,b"},
        {"arcs", "a->b,"},
        {"arcs", "a<->b"},
        {"arcs", "a->a"},
        {"arcs", "a->b,b<-a"},
        {"arcs", "a->b->c->a"},
        {"arcs", "\"a->b"},
        {"arcs", "\"a\"b"},
        {"estimator", "em:3"},
        {"em-starts", "0"},
        {"latent-nodes", ""},
        {"latent-nodes", ":3"},
        {"latent-nodes", "a:0"},
        {"latent-nodes", "a:2.5"},
        {"latent-nodes", "a:2,a:3"},
        {"latent-nodes", "a:2,"},
        {"iterations", "0"},
        {"tolerance", "-1"},
        {"search", "kdb:17"},
        {"method", "kdb"},
        {"score", "bdeu:0"},
        {"score", "bdeu"},
        {"alpha", "1.5"},
        {"required-arcs", "a"},
        {"required-arcs", "a->b->a"},
        {"forbidden-arcs", "a->b,c"},
        {"tiers", "a,b"},
        {"tiers", "a;b,a"},
        {"max-parents", "0"},
        {"max-conditioning", "-1"},
        {"restarts", "-1"},
        {"required-arcs", "a->a"},
        {"method", "sequence:2"},
        {"states", "0"},
        {"order", "4"},
        {"order", "1.5"},
        {"topology", "left-to-right:-1"},
        {"transitions", "k2"},
        {"unseen-words", "suffix"},
        {"term-smoothing", "0"},
        {"tf", "counts"},
        {"length-normalization", "0"},
        {"max-df", "0"},
        {"stop-words", "a,,b"},
        {"max-terms", "0"},
        {"student", "m:1"},
        {"student", "-1"},
        {"student", "1e101"},
        {"smoothing", "m"},
        {"smoothing", "m:"},
        {"smoothing", "m:-1"},
        {"smoothing", "m:inf"},
        {"smoothing", "m:1:marginals"},
        {"smoothing", "m:nan"},
        {"smoothing", "laplace"},
        {"smoothing", "laplace:1:marginal"},
        {"smoothing", "m:1e101"},
        {"smoothing", "NONE"},
        {"smoothing", ":marginal"},
        {"prior", ""},
        {"prior", "even"},
        {"prior", "Yes=0.9,No=0.2"},
        {"prior", "Yes=0.3,No=x"},
        {"prior", "Yes=1/0,No=1"},
        {"prior", "Yes=0/0,No=1"},
        {"prior", "Yes=1/,No=0"},
        {"prior", "Yes=/2,No=1"},
        {"prior", "Yes=1/2/1,No=0.5"},
        {"prior", "Yes=50%%,No=0.5"},
        {"prior", "Yes=100%5,No=0"},
        {"prior", "Yes=101%,No=-1%"},
        {"prior", "a=0.5,a=0.5"},
        {"prior", "a=0.5,b"},
        {"prior", "a=1,"},
        {"prior", "\"a=1"},
        {"prior", "\"a=1\"b"},
        {"prior", "a=-0.5,b=1.5"},
        {"variance", "MLE"},
        {"pool-variance", "both"},
        {"min-sd", "-0.1"},
        {"min-sd", "inf"},
        {"min-sd", ""},
        {"min-sd", "1 "},
        {"smoothness", "m:1"},
    };
    crd_error error;
    assert_int_equal(crd_settings_set(settings, "prior", crd_text_of("a=0.25,b=0.75"), &error), CRD_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *held = crd_settings_get(settings, cases[i][0]);
        if (crd_settings_set(settings, cases[i][0], crd_text_of(cases[i][1]), &error) != CRD_ERROR_SETTING)
            fail_msg("%s=%s was taken", cases[i][0], cases[i][1]);
        assert_true(error.message[0] != '\0');
        assert_ptr_equal(crd_settings_get(settings, cases[i][0]), held);
    }
    const crd_text nul = {"a\0=1", 4};
    assert_int_equal(crd_settings_set(settings, "prior", nul, &error), CRD_ERROR_SETTING);
    assert_string_equal(crd_settings_get(settings, "prior"), "a=0.25,b=0.75");
}

static void clones_are_equal_and_apart(void **state) {
    (void)state;
    crd_error error;
    crd_settings *copy;
    assert_int_equal(crd_settings_set(settings, "prior", crd_text_of("x=1"), &error), CRD_OK);
    assert_int_equal(crd_settings_clone(settings, &copy, &error), CRD_OK);
    assert_true(crd_i_settings_equal(settings, copy));
    assert_int_equal(crd_settings_set(copy, "prior", crd_text_of("uniform"), &error), CRD_OK);
    assert_false(crd_i_settings_equal(settings, copy));
    assert_string_equal(crd_settings_get(settings, "prior"), "x=1");
    crd_settings_destroy(copy);
}

/* Priors that miss a sum of 1 by just about what is allowed: adding them in another order rounds to the other side of
 * it. Whether they are taken must not depend on that order, or a copy of settings could be refused. */
static void priors_at_the_edge_in_any_order(void **state) {
    (void)state;
    enum { CLASSES = 6 };
    uint64_t bits = 1;
    size_t taken = 0;
    for (int round = 0; round < 3000; round++) {
        double probabilities[CLASSES], sum = 0;
        for (int i = 0; i + 1 < CLASSES; i++) {
            bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sum += probabilities[i] = (double)(bits >> 33) / 2147483648.0 / CLASSES;
        }
        probabilities[CLASSES - 1] = 1.000001 - sum;
        char texts[2][512] = {"", ""};
        for (int i = 0; i < CLASSES; i++)
            for (int way = 0; way < 2; way++) {
                int class = way == 0 ? i : CLASSES - 1 - i;
                char number[CRD_NUMBER_ROOM];
                crd_number_format(probabilities[class], number);
                size_t length = strlen(texts[way]);
                snprintf(texts[way] + length, sizeof texts[way] - length, "%sc%d=%s", i > 0 ? "," : "", 9 - class,
                         number);
            }
        crd_error error;
        crd_status first = crd_settings_set(settings, "prior", crd_text_of(texts[0]), &error);
        assert_int_equal(crd_settings_set(settings, "prior", crd_text_of(texts[1]), &error), first);
        if (first != CRD_OK) continue;
        crd_settings *copy;
        assert_int_equal(crd_settings_clone(settings, &copy, &error), CRD_OK);
        crd_settings_destroy(copy);
        taken++;
    }
    assert_true(taken > 100 && taken < 2900);
}

/* What is wrong with arcs is named, as structures have hundreds of them. */
static void structures_say_what_is_wrong(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a->b,c->b,b<-a", "arcs has the arc a->b twice"},
        {"b->b", "arcs has an arc from 'b' to itself"},
        {"x->a->b->c->a,d->x", "arcs has a directed cycle: a<-c<-b<-a"},
        {"a->b,", "arcs has a column without a name: it accepts none, or arcs and columns such as A->B,C->B,D"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_error error;
        assert_int_equal(crd_settings_set(settings, "arcs", crd_text_of(cases[i][0]), &error), CRD_ERROR_SETTING);
        assert_string_equal(error.message, cases[i][1]);
        assert_string_equal(error.subject, "arcs");
    }
}

/* A chain that would need a deep stack, were it walked by calls; closed to a cycle its message is cut. */
static void long_structures(void **state) {
    (void)state;
    enum { NODES = 20000, ROOM = NODES * 9 };
    char *text = test_malloc(ROOM);
    crd_error error;
    size_t used = 0;
    for (int i = 0; i < NODES; i++)
        used += (size_t)snprintf(text + used, ROOM - used, "%sn%05d", i == 0 ? "" : "->", i);
    assert_int_equal(crd_settings_set(settings, "arcs", crd_text_of(text), &error), CRD_OK);
    assert_int_equal(crd_i_dictionary_size(settings->structure_nodes), NODES);
    assert_int_equal(settings->structure_ends[NODES - 1], NODES - 1);
    assert_int_equal(settings->structure_parents[NODES - 2], NODES - 2);
    snprintf(text + used, ROOM - used, "->n00000");
    assert_int_equal(crd_settings_set(settings, "arcs", crd_text_of(text), &error), CRD_ERROR_SETTING);
    assert_non_null(strstr(error.message, "has a directed cycle: n"));
    assert_non_null(strstr(error.message, "..."));
    assert_int_equal(crd_i_dictionary_size(settings->structure_nodes), NODES);
    test_free(text);
}

static void bdeu_for_classes(void **state) {
    (void)state;
    crd_error error;
    assert_int_equal(crd_settings_set(settings, "smoothing", crd_text_of("bdeu:6"), &error), CRD_OK);
    crd_i_settings_for_classes(settings, 4);
    assert_int_equal(settings->smoothing, CRD_I_SMOOTHING_M);
    assert_true(settings->smoothing_strength == 1.5 && settings->smoothing_bdeu == 6 && !settings->smoothing_marginal);
    assert_string_equal(crd_settings_get(settings, "smoothing"), "bdeu:6");
    assert_int_equal(crd_settings_set(settings, "smoothing", crd_text_of("m:2"), &error), CRD_OK);
    crd_i_settings_for_classes(settings, 4);
    assert_true(settings->smoothing_strength == 2 && settings->smoothing_bdeu == 0);
    /* So little that a class has none of it. */
    assert_int_equal(crd_settings_set(settings, "smoothing", crd_text_of("bdeu:5e-324"), &error), CRD_OK);
    crd_i_settings_for_classes(settings, 4);
    assert_int_equal(settings->smoothing, CRD_I_SMOOTHING_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(syntax_lists_the_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bounds_are_enforced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(canonical_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(priors_at_the_edge_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(structures_say_what_is_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_structures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bdeu_for_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clones_are_equal_and_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
