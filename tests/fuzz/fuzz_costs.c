/* SPDX-License-Identifier: MIT */
/* fuzz_costs.c - hostile bytes as a file of costs: refused, or a rule whose decisions are those of its costs.
 *
 * The first byte is the allocation that fails in a run of its own; the rest is the file. */
#include "evaluate/decision_rule.h"
#include "fuzz.h"

#include <credence/decide.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLASSES = 3, MOST_ACTIONS = 256 };
static const double GREATEST = 1e280; /* cost */

/* The bytes as an open file without a name, to be read by its descriptor. */
static FILE *file_of(const uint8_t *bytes, size_t length, char *path, size_t capacity) {
    FILE *file = tmpfile();
    FUZZ_CHECK(file != NULL && fwrite(bytes, 1, length, file) == length && fflush(file) == 0);
    rewind(file);
    snprintf(path, capacity, "/dev/fd/%d", fileno(file));
    return file;
}

static void check_decision(const crd_rule *rule, const double *log_posterior) {
    double expected[MOST_ACTIONS];
    crd_decision decision = CRD_DECISION_INIT;
    const size_t actions = rule->action_count;
    crd_rule_decide(rule, log_posterior, expected, &decision);
    if (isinf(log_posterior[0]) && isinf(log_posterior[1]) && isinf(log_posterior[2])) {
        FUZZ_CHECK(decision.action == -1 && isnan(decision.expected_cost));
        return;
    }
    FUZZ_CHECK(decision.action >= 0 && (size_t)decision.action < actions);
    FUZZ_CHECK(decision.tied >= 1 && decision.tied <= actions);
    FUZZ_CHECK(decision.expected_cost == expected[decision.action] && isfinite(decision.expected_cost));
    double size = 0; /* the greatest product that any sum has */
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t a = 0; a < actions; a++)
            size = fmax(size, fabs(crd_exp(log_posterior[c]) * crd_rule_cost(rule, c, a)));
    for (size_t a = 0; a < actions; a++) FUZZ_CHECK(expected[decision.action] <= expected[a] + 1e-6 * size);
}

static void check_rule(crd_context *context, const crd_rule *rule, const crd_text *classes) {
    static const double posteriors[][CLASSES] = {{-1.0986122886681098, -1.0986122886681098, -1.0986122886681098},
                                                 {0, -INFINITY, -INFINITY},
                                                 {-700, -1e-300, -INFINITY},
                                                 {-0.6931471805599453, -INFINITY, -0.6931471805599453},
                                                 {-INFINITY, -INFINITY, -INFINITY}};
    const size_t actions = rule->action_count;
    crd_outcomes *outcomes = NULL;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    FUZZ_CHECK(rule->kind == CRD_RULE_COSTS && rule->class_count == CLASSES && actions > 0);
    if (actions > MOST_ACTIONS) return;
    for (size_t a = 0; a < actions; a++) {
        for (size_t c = 0; c < CLASSES; c++) FUZZ_CHECK(fabs(crd_rule_cost(rule, c, a)) <= GREATEST);
        const int32_t named = rule->action_classes[a];
        FUZZ_CHECK(named >= -1 && named < CLASSES);
        FUZZ_CHECK(named == -1 || crd_text_equal(classes[named], rule->actions[a]));
    }
    FUZZ_CHECK(crd_i_outcomes_create(context, rule, &outcomes, NULL) == CRD_OK);
    for (size_t i = 0; i < sizeof posteriors / sizeof *posteriors; i++) {
        check_decision(rule, posteriors[i]);
        FUZZ_CHECK(crd_i_outcomes_add(outcomes, posteriors[i], classes[i % CLASSES], 1, NULL, NULL) == CRD_OK);
    }
    crd_outcomes_totals(outcomes, &totals);
    FUZZ_CHECK(fabs(totals.cost) <= GREATEST * 1.001 && fabs(totals.single_cost) <= GREATEST * 1.001);
    crd_i_outcomes_destroy(outcomes);
}

static void read_costs(const uint8_t *bytes, size_t length, unsigned refuse) {
    const crd_text classes[CLASSES] = {crd_text_of("ham"), crd_text_of("spam"), crd_text_of("1")};
    fuzz_accounts accounts;
    char path[32];
    FILE *file = file_of(bytes, length, path, sizeof path);
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_rule *rule = NULL;
    crd_error error = {0};
    crd_status status = crd_rule_read_costs(context, path, classes, CLASSES, &rule, &error);
    FUZZ_CHECK((status == CRD_OK) == (rule != NULL));
    FUZZ_CHECK(status == CRD_OK || (error.status == status && error.message[0] != '\0'));
    FUZZ_CHECK(status != CRD_ERROR_MEMORY || refuse != 0);
    if (status == CRD_OK && refuse == 0) check_rule(context, rule, classes);
    crd_rule_destroy(rule);
    fuzz_context_end(context, &accounts);
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1) return 0;
    read_costs(bytes + 1, length - 1, 0);
    if (bytes[0] != 0) read_costs(bytes + 1, length - 1, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const files[] = {
        "true,deliver,delete,1\nspam,1,0,.5\nham,0,1e1,0.5\n1,2,3,4\nother,0,0,0\n",
        "\tham\tspam\nham\t0\t1\n1\t1e280\t-1e280\nspam\t-1\t0\n",
        "c;\"a;b\"\nham;1,5\nspam;-0\n1;1e-320\n",
        "c,a,b\nham,1,2\nspam,3,4\n1,1e308,-1e308\n",
        "c,a,a\nham,1,2\nspam,3,4\n1,5,6\n",
        "c,a\nham,\nspam,much\n1,inf\n",
        "c,a\nham,0\nham,0\nspam,1\n",
        "c,a\n,0\n?,1\nNA,2\n",
        "c\nham\nspam\n1\n",
        "{\"c\": \"ham\", \"a\": 1}\n{\"c\": \"spam\", \"a\": 2}\n{\"c\": \"1\", \"a\": -3}\n",
        "@relation r\n@attribute c {ham,spam,1}\n@attribute a real\n@data\nham,1\nspam,2\n1,3\n",
        "",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (unsigned char refuse = 0; refuse < 60; refuse = (unsigned char)(refuse + 13)) {
            unsigned char input[256];
            const size_t length = strlen(files[i]);
            input[0] = refuse;
            memcpy(input + 1, files[i], length);
            emit(user, input, 1 + length);
        }
}
