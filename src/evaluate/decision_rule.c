/* SPDX-License-Identifier: MIT */
/* decision_rule.c - decision rules, which choose an action from a posterior.
 *
 * With costs, the chosen action a minimizes the expected cost (Berger 1985):
 *
 *   sum over classes c of P(c | x) cost(c, a)
 *
 * The other rules are special cases, whose comparison is simpler and free of rounding errors:
 *
 *   cost 0 for the true class, 1 for another                  the most probable class
 *   in addition, cost 1 - p for no decision                   reject below p (Chow 1970)
 *   cost p for a false positive, 1 - p for a false negative   threshold at p
 *
 * Contents:
 *   1. Rules
 *   2. Decisions
 *   3. Cost tables
 *   4. Outcomes */
#include "evaluate/decision_rule.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "math/exact/exact_sums.h"
#include "stats/exact_sums_file.h"

#include <credence/number.h>
#include <math.h>

/* ======== 1. Rules ======== */

/* With costs up to this limit, sums over the maximum number of classes and rows are finite. */
static const double MOST_COST = 1e280;

void crd_rule_destroy(crd_rule *rule) {
    if (rule == NULL) return;
    crd_i_dictionary_destroy(rule->class_codes);
    crd_i_dictionary_destroy(rule->action_codes);
    crd_free(rule->context, rule->actions);
    crd_free(rule->context, rule->action_classes);
    crd_free(rule->context, rule->costs);
    crd_free(rule->context, rule);
}

/* ---- Creation ---- */

/* Adds the name of a class or an action. Names must be distinct. */
static crd_status decision_rule_add_name(crd_i_dictionary *names, crd_text name, size_t index, const char *description,
                                         crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    int32_t code = crd_i_dictionary_add(names, name);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code == index) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_COLUMN, "the %s '%s' occurs twice", description, crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Creates a rule with classes and without actions. */
static crd_status open_rule(crd_context *context, crd_rule_kind kind, const crd_text *classes, size_t class_count,
                            crd_rule **out, crd_error *error) {
    *out = NULL;
    if (class_count == 0 || class_count > INT32_MAX / 2)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are no classes to decide between, or too many");
    crd_rule *rule = crd_i_alloc_zeroed(context, 1, sizeof *rule);
    if (rule == NULL) return crd_i_fail_memory(error);
    rule->context = context;
    rule->kind = kind;
    rule->class_count = class_count;
    rule->least = NAN;
    rule->positive = -1;
    rule->class_codes = crd_i_dictionary_create(context);
    rule->action_codes = crd_i_dictionary_create(context);
    crd_status status = CRD_OK;
    if (rule->class_codes == NULL || rule->action_codes == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < class_count; i++)
        status = decision_rule_add_name(rule->class_codes, classes[i], i, "class", error);
    if (status != CRD_OK) {
        crd_rule_destroy(rule);
        return status;
    }
    *out = rule;
    return CRD_OK;
}

/* Adds actions to a rule. */
static crd_status add_actions(crd_rule *rule, const crd_text *actions, size_t count, crd_error *error) {
    if (count == 0 || count > INT32_MAX / 2)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are no actions to choose from, or too many");
    for (size_t i = 0; i < count; i++) {
        crd_status status = decision_rule_add_name(rule->action_codes, actions[i],
                                                   crd_i_dictionary_size(rule->action_codes), "action", error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Finds the class of each action. Called after all actions were added. */
static crd_status name_classes_of_actions(crd_rule *rule, crd_error *error) {
    rule->action_count = crd_i_dictionary_size(rule->action_codes);
    rule->action_classes = crd_i_alloc(rule->context, rule->action_count, sizeof *rule->action_classes);
    rule->actions = crd_i_alloc(rule->context, rule->action_count, sizeof *rule->actions);
    if (rule->action_classes == NULL || rule->actions == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < rule->action_count; a++) {
        rule->actions[a] = crd_i_dictionary_text(rule->action_codes, a);
        int32_t code = crd_i_dictionary_find(rule->class_codes, rule->actions[a]);
        rule->action_classes[a] = code < 0 || (size_t)code >= rule->class_count ? -1 : code;
    }
    return CRD_OK;
}

/* Sets *out to the rule, or destroys the rule if creating it failed. */
static crd_status close_rule(crd_rule *rule, crd_status status, crd_rule **out) {
    if (status == CRD_OK) *out = rule;
    else crd_rule_destroy(rule);
    return status;
}

/* Copies the rows of the cost table to their classes. Rows whose name is not a class follow after the classes. */
static crd_status place_costs(crd_rule *rule, const crd_cost_table *table, crd_error *error) {
    size_t actions = rule->action_count, classes = rule->class_count;
    bool *is_there = crd_i_alloc_zeroed(rule->context, classes, sizeof *is_there);
    rule->costs = table->row_count > SIZE_MAX / actions - classes
                      ? NULL
                      : crd_i_alloc(rule->context, (classes + table->row_count) * actions, sizeof *rule->costs);
    crd_status status = is_there == NULL || rule->costs == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < table->row_count; row++) {
        char class_name[CRD_I_QUOTED_ROOM], action_name[CRD_I_QUOTED_ROOM];
        crd_i_quote(table->rows[row], class_name);
        int32_t code = crd_i_dictionary_find(rule->class_codes, table->rows[row]);
        bool is_new = code < 0;
        if (is_new) code = crd_i_dictionary_add(rule->class_codes, table->rows[row]);
        if (code < 0) {
            status = crd_i_fail_memory(error);
        } else if ((size_t)code < classes ? is_there[code] : !is_new) {
            status = crd_i_fail(error, CRD_ERROR_COLUMN, "the class '%s' occurs twice", class_name);
        }
        if (status != CRD_OK) break;
        if ((size_t)code < classes) is_there[code] = true;
        for (size_t a = 0; status == CRD_OK && a < actions; a++) {
            double cost = table->costs[row * actions + a];
            rule->costs[(size_t)code * actions + a] = cost;
            if (fabs(cost) <= MOST_COST) continue;
            status =
                crd_i_fail(error, CRD_ERROR_NUMBER, "the cost of '%s' for the class '%s' is not finite, or too large",
                           crd_i_quote(table->actions[a], action_name), class_name);
        }
    }
    for (size_t k = 0; status == CRD_OK && k < classes; k++) {
        char quoted[CRD_I_QUOTED_ROOM];
        if (is_there[k]) continue;
        crd_text name = crd_i_dictionary_text(rule->class_codes, k);
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "the cost table has no row for the class '%s'",
                            crd_i_quote(name, quoted));
        crd_i_error_subject(error, name);
    }
    crd_free(rule->context, is_there);
    return status;
}

crd_status crd_rule_create_costs(crd_context *context, const crd_text *classes, size_t class_count,
                                 const crd_cost_table *given, crd_rule **out, crd_error *error) {
    crd_rule *rule = NULL;
    crd_cost_table table = CRD_COST_TABLE_INIT;
    *out = NULL;
    if (!crd_i_copy_in(given, &table, sizeof table))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the cost table has no size");
    crd_status status = open_rule(context, CRD_RULE_COSTS, classes, class_count, &rule, error);
    if (status == CRD_OK) status = add_actions(rule, table.actions, table.action_count, error);
    if (status == CRD_OK) status = name_classes_of_actions(rule, error);
    if (status == CRD_OK) status = place_costs(rule, &table, error);
    return close_rule(rule, status, out);
}

static crd_status check_least(double least, crd_error *error) {
    if (least > 0 && least <= 1) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the minimum probability must be above 0 and at most 1");
}

/* Creates a rule that may reject. If `least` is NaN, only posteriors that are equal for all classes are rejected. */
static crd_status create_reject(crd_context *context, const crd_text *classes, size_t class_count, double least,
                                crd_text unsure, crd_rule **out, crd_error *error) {
    crd_rule *rule = NULL;
    *out = NULL;
    crd_status status = open_rule(context, CRD_RULE_REJECT, classes, class_count, &rule, error);
    if (status == CRD_OK && crd_i_dictionary_find(rule->class_codes, unsure) >= 0) {
        char quoted[CRD_I_QUOTED_ROOM];
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name '%s' is also the name of a class",
                            crd_i_quote(unsure, quoted));
        crd_i_error_subject(error, unsure);
    }
    if (status == CRD_OK) status = add_actions(rule, classes, class_count, error);
    if (status == CRD_OK) status = add_actions(rule, &unsure, 1, error);
    if (status == CRD_OK) status = name_classes_of_actions(rule, error);
    if (status == CRD_OK) rule->least = least;
    return close_rule(rule, status, out);
}

crd_status crd_rule_create_reject(crd_context *context, const crd_text *classes, size_t class_count, double least,
                                  crd_text unsure, crd_rule **out, crd_error *error) {
    *out = NULL;
    crd_status status = check_least(least, error);
    return status == CRD_OK ? create_reject(context, classes, class_count, least, unsure, out, error) : status;
}

crd_status crd_rule_create_untied(crd_context *context, const crd_text *classes, size_t class_count, crd_text unsure,
                                  crd_rule **out, crd_error *error) {
    return create_reject(context, classes, class_count, NAN, unsure, out, error);
}

crd_status crd_rule_create_threshold(crd_context *context, const crd_text *classes, size_t class_count, size_t positive,
                                     double least, crd_rule **out, crd_error *error) {
    crd_rule *rule = NULL;
    crd_status status = check_least(least, error);
    *out = NULL;
    if (status == CRD_OK && class_count != 2)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "a threshold needs two classes, but there are %zu", class_count);
    if (status == CRD_OK && positive > 1)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "class %zu does not exist", positive);
    if (status == CRD_OK) status = open_rule(context, CRD_RULE_THRESHOLD, classes, class_count, &rule, error);
    if (status == CRD_OK) status = add_actions(rule, classes, class_count, error);
    if (status == CRD_OK) status = name_classes_of_actions(rule, error);
    if (status == CRD_OK) {
        rule->least = least;
        rule->positive = (int32_t)positive;
    }
    return close_rule(rule, status, out);
}

/* ---- Access ---- */

double crd_rule_cost(const crd_rule *rule, size_t class_index, size_t action) {
    return rule->costs == NULL ? NAN : rule->costs[class_index * rule->action_count + action];
}

/* ======== 2. Decisions ======== */

/* Returns the largest log posterior. Sets *first to the first class that ties with it, and *tied to the number of
 * tied classes. If all classes have probability 0: -INFINITY, -1 and 0. */
static double rule_greatest(const double *log_posterior, size_t classes, int32_t *first, uint32_t *tied) {
    double greatest = -INFINITY;
    *first = -1;
    *tied = 0;
    for (size_t k = 0; k < classes; k++)
        if (log_posterior[k] > greatest) greatest = log_posterior[k];
    for (size_t k = classes; greatest > -INFINITY && k-- > 0;) {
        if (log_posterior[k] - greatest < -CRD_TIE_MARGIN) continue;
        *first = (int32_t)k;
        ++*tied;
    }
    return greatest;
}

/* Log posteriors and, if known, posteriors; otherwise `probabilities` is NULL. */
typedef struct posteriors {
    const double *logs, *probabilities;
} posteriors;

static double decision_rule_probability(const posteriors *source_posteriors, size_t class_index) {
    return source_posteriors->probabilities == NULL ? crd_exp(source_posteriors->logs[class_index])
                                                    : source_posteriors->probabilities[class_index];
}

/* Returns whether a probability reaches the rule's minimum. */
static bool decision_rule_reaches(const crd_rule *rule, double probability) {
    return probability >= rule->least * (1 - CRD_TIE_MARGIN);
}

static double decision_rule_greatest(const posteriors *source_posteriors, size_t classes) {
    double greatest = 0;
    for (size_t k = 0; k < classes; k++) greatest = fmax(greatest, decision_rule_probability(source_posteriors, k));
    return greatest;
}

/* Returns the expected cost of an action. Sets *scale to the expected absolute cost. The sum is divided by the sum
 * of the posteriors, which may differ from 1 by rounding. So an action that always costs 1 has an expected cost of
 * exactly 1. */
static double expected_cost(const crd_rule *rule, const posteriors *source_posteriors, size_t action, double *scale) {
    double sum = 0, size = 0, total = 0;
    for (size_t k = 0; k < rule->class_count; k++) {
        double posterior = decision_rule_probability(source_posteriors, k);
        double part = posterior * rule->costs[k * rule->action_count + action];
        total += posterior;
        sum += part;
        size += fabs(part);
    }
    *scale = size / total;
    return sum / total;
}

/* Chooses the action with the lowest expected cost. Computes the costs twice instead of storing them: the first pass
 * finds the minimum, the second pass finds the actions that tie with it. */
static void decide_by_costs(const crd_rule *rule, const posteriors *source_posteriors, double *expected,
                            crd_decision *decision) {
    double least = INFINITY, least_scale = 0;
    for (size_t a = 0; a < rule->action_count; a++) {
        double scale, cost = expected_cost(rule, source_posteriors, a, &scale);
        if (expected != NULL) expected[a] = cost;
        if (cost < least) {
            least = cost;
            least_scale = scale;
        }
    }
    for (size_t a = rule->action_count; a-- > 0;) {
        double scale, cost = expected_cost(rule, source_posteriors, a, &scale);
        if (cost - least > CRD_TIE_MARGIN * fmax(scale, least_scale)) continue;
        decision->action = (int32_t)a;
        decision->expected_cost = cost;
        decision->tied++;
    }
}

/* Applies the rule to a posterior. See crd_rule_decide. */
static void decision_rule_decide(const crd_rule *rule, const posteriors *source_posteriors, double *expected,
                                 crd_decision *decision) {
    const crd_decision none = {sizeof none, -1, 0, NAN};
    int32_t first;
    uint32_t tied;
    (void)rule_greatest(source_posteriors->logs, rule->class_count, &first, &tied);
    *decision = none;
    for (size_t a = 0; expected != NULL && a < rule->action_count; a++) expected[a] = NAN;
    if (rule->kind == CRD_RULE_REJECT) {
        bool answers =
            first >= 0 &&
            (isnan(rule->least)
                 ? tied < rule->class_count
                 : decision_rule_reaches(rule, decision_rule_greatest(source_posteriors, rule->class_count)));
        decision->action = answers ? first : (int32_t)rule->action_count - 1;
        decision->tied = answers ? tied : 1;
    } else if (first >= 0 && rule->kind == CRD_RULE_THRESHOLD) {
        bool is_positive =
            decision_rule_reaches(rule, decision_rule_probability(source_posteriors, (size_t)rule->positive));
        decision->action = is_positive ? rule->positive : 1 - rule->positive;
        decision->tied = 1;
    } else if (first >= 0) {
        decide_by_costs(rule, source_posteriors, expected, decision);
    }
}

void crd_rule_decide(const crd_rule *rule, const double *log_posterior, double *expected, crd_decision *decision) {
    crd_rule_decide_probabilities(rule, log_posterior, NULL, expected, decision);
}

void crd_rule_decide_probabilities(const crd_rule *rule, const double *log_posterior, const double *probabilities,
                                   double *expected, crd_decision *decision) {
    const posteriors source_posteriors = {log_posterior, probabilities};
    crd_decision new_decision;
    decision_rule_decide(rule, &source_posteriors, expected, &new_decision);
    crd_i_copy_out(&new_decision, sizeof new_decision, decision);
}

/* ======== 3. Cost tables ========
 *
 * A cost table is read from a file with one row per class and one column per action. */

/* The rows read so far: class names and costs. The costs of a row are consecutive, in the order of actions. */
typedef struct cost_rows {
    crd_context *context;
    crd_i_dictionary *names;
    double *costs;
    size_t costs_capacity;
} cost_rows;

/* Adds the place of a cell to the error, and returns `status`. */
static crd_status cost_table_fail(const crd_reader *reader, size_t row, size_t column, crd_status status,
                                  crd_error *error) {
    crd_i_error_place(error, crd_reader_place(reader), crd_reader_line(reader, row), column + 1);
    return status;
}

/* Opens the file and checks its columns. All columns are read as categories, so errors about numbers can name the
 * action. */
static crd_status cost_table_open_file(crd_context *context, const char *path, crd_reader **out, crd_error *error) {
    const crd_text missing = {"", 0};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.header = CRD_CHOICE_YES;
    options.missing = &missing;
    options.missing_count = 1;
    options.threads = 1;
    crd_status status = crd_reader_open(context, &path, 1, &options, out, error);
    if (status != CRD_OK) return status;
    size_t columns = crd_reader_column_count(*out);
    for (size_t i = 0; status == CRD_OK && i < columns; i++)
        status = crd_reader_set_column_type(*out, i, CRD_TYPE_CATEGORICAL, error);
    if (status == CRD_OK && columns < 2) {
        status = crd_i_fail(error, CRD_ERROR_COLUMN,
                            "a cost table must have a column of classes, then one column for each action");
        crd_i_error_place(error, path, 1, 0);
    }
    return status;
}

/* Reads one cost, which must be a finite number. */
static crd_status read_cost(const crd_reader *reader, const crd_frame *frame, size_t row, size_t column, double *cost,
                            crd_error *error) {
    char action[CRD_I_QUOTED_ROOM], quoted[CRD_I_QUOTED_ROOM];
    crd_value cell = crd_frame_value(frame, row, column);
    crd_i_quote(crd_reader_column_name(reader, column), action);
    if (cell.type == CRD_TYPE_NONE) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the cost of '%s' is missing", action);
        return cost_table_fail(reader, row, column, CRD_ERROR_SYNTAX, error);
    }
    if (crd_number_parse(cell.text, cost) != CRD_NUMBER_FINITE) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the cost of '%s' is not a finite number: '%s'", action,
                   crd_i_quote(cell.text, quoted));
        return cost_table_fail(reader, row, column, CRD_ERROR_SYNTAX, error);
    }
    return CRD_OK;
}

/* Reads the class and the costs of a row. */
static crd_status cost_table_read_row(const crd_reader *reader, const crd_frame *frame, size_t row, cost_rows *cost,
                                      crd_error *error) {
    size_t count = crd_i_dictionary_size(cost->names), actions = crd_reader_column_count(reader) - 1;
    crd_value name = crd_frame_value(frame, row, 0);
    if (name.type == CRD_TYPE_NONE) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the class name is missing");
        return cost_table_fail(reader, row, 0, CRD_ERROR_SYNTAX, error);
    }
    if (count >= SIZE_MAX / actions - 1 ||
        !crd_i_reserve(cost->context, &cost->costs, &cost->costs_capacity, (count + 1) * actions, sizeof *cost->costs))
        return crd_i_fail_memory(error);
    int32_t code = crd_i_dictionary_add(cost->names, name.text);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code != count) {
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN, "the class '%s' occurs twice", crd_i_quote(name.text, quoted));
        return cost_table_fail(reader, row, 0, CRD_ERROR_COLUMN, error);
    }
    for (size_t a = 0; a < actions; a++) {
        crd_status status = read_cost(reader, frame, row, a + 1, &cost->costs[count * actions + a], error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Reads all rows. */
static crd_status cost_table_read_rows(crd_reader *reader, cost_rows *cost, crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) return status;
        if (crd_frame_column_count(frame) < crd_reader_column_count(reader)) {
            crd_i_fail(error, CRD_ERROR_COLUMN, "the first line has one column fewer than the rows");
            return cost_table_fail(reader, 0, 0, CRD_ERROR_COLUMN, error);
        }
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            status = cost_table_read_row(reader, frame, row, cost, error);
            if (status != CRD_OK) return status;
        }
    }
}

/* Creates the rule from the table by crd_rule_create_costs. */
static crd_status make_rule(const crd_reader *reader, const cost_rows *cost, const char *path, const crd_text *classes,
                            size_t class_count, crd_rule **out, crd_error *error) {
    size_t rows = crd_i_dictionary_size(cost->names), actions = crd_reader_column_count(reader) - 1;
    crd_text *names = crd_i_alloc(cost->context, rows + actions, sizeof *names);
    if (names == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < rows; i++) names[i] = crd_i_dictionary_text(cost->names, i);
    for (size_t a = 0; a < actions; a++) names[rows + a] = crd_reader_column_name(reader, a + 1);
    crd_cost_table table = CRD_COST_TABLE_INIT;
    table.rows = names;
    table.row_count = rows;
    table.actions = names + rows;
    table.action_count = actions;
    table.costs = cost->costs;
    crd_status status = crd_rule_create_costs(cost->context, classes, class_count, &table, out, error);
    if (status != CRD_OK && status != CRD_ERROR_MEMORY) crd_i_error_place(error, path, 0, 0);
    crd_free(cost->context, names);
    return status;
}

crd_status crd_rule_read_costs(crd_context *context, const char *path, const crd_text *classes, size_t class_count,
                               crd_rule **out, crd_error *error) {
    crd_reader *reader = NULL;
    cost_rows rows = {.context = context};
    *out = NULL;
    crd_status status = cost_table_open_file(context, path, &reader, error);
    if (status == CRD_OK) rows.names = crd_i_dictionary_create(context);
    if (status == CRD_OK && rows.names == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = cost_table_read_rows(reader, &rows, error);
    if (status == CRD_OK) status = make_rule(reader, &rows, path, classes, class_count, out, error);
    crd_i_dictionary_destroy(rows.names);
    crd_free(context, rows.costs);
    crd_reader_close(reader);
    return status;
}

/* ======== 4. Outcomes ========
 *
 * The outcomes are the weight of the rows with each true class and action. All measures are computed from them. */

static const double MOST_WEIGHT = 0x1p63;

/* Indices of the sums: first the sums over all rows, then a block for each true class. A block contains the weight
 * for each action, then for no action; and the weight for each most probable class, then for none. Sums are exact,
 * so the order of rows does not matter. */
enum { SUM_WEIGHT, SUM_ANSWERED, SUM_UNDECIDED, SUM_CREDIT, SUMS_OF_ALL };

struct crd_outcomes {
    crd_context *context;
    const crd_rule *rule;
    /* the rule's classes and its additional rows; without costs, new true classes are added */
    crd_i_dictionary *truths;
    crd_i_sums sums;
    size_t stride; /* number of sums in a block */
    uint64_t rows;
};

crd_status crd_i_outcomes_create(crd_context *context, const crd_rule *rule, crd_outcomes **out, crd_error *error) {
    *out = NULL;
    crd_outcomes *outcomes = crd_i_alloc_zeroed(context, 1, sizeof *outcomes);
    if (outcomes == NULL) return crd_i_fail_memory(error);
    outcomes->context = context;
    outcomes->rule = rule;
    outcomes->stride = rule->action_count + 1 + rule->class_count + 1;
    crd_i_sums_init(&outcomes->sums, context);
    outcomes->truths = crd_i_dictionary_clone(rule->class_codes);
    if (outcomes->truths == NULL ||
        !crd_i_sums_extend(&outcomes->sums, SUMS_OF_ALL + crd_i_dictionary_size(outcomes->truths) * outcomes->stride)) {
        crd_i_outcomes_destroy(outcomes);
        return crd_i_fail_memory(error);
    }
    *out = outcomes;
    return CRD_OK;
}

void crd_i_outcomes_destroy(crd_outcomes *outcomes) {
    if (outcomes == NULL) return;
    crd_i_dictionary_destroy(outcomes->truths);
    crd_i_sums_clear(&outcomes->sums);
    crd_free(outcomes->context, outcomes);
}

/* ---- One row ---- */

/* Finds the code of a true class, which is added if it is new. A rule with costs requires a row for it. */
static crd_status decision_outcomes_find_truth(crd_outcomes *outcomes, crd_text truth, int32_t *code,
                                               crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *code = crd_i_dictionary_find(outcomes->truths, truth);
    if (*code >= 0) return CRD_OK;
    if (outcomes->rule->costs != NULL) {
        crd_i_fail(error, CRD_ERROR_COLUMN, "the cost table has no row for the class '%s'", crd_i_quote(truth, quoted));
        crd_i_error_subject(error, truth);
        return CRD_ERROR_COLUMN;
    }
    /* The memory is reserved first. Otherwise a failure could leave a class without sums. */
    size_t places = SUMS_OF_ALL + (crd_i_dictionary_size(outcomes->truths) + 1) * outcomes->stride;
    if (!crd_i_sums_extend(&outcomes->sums, places)) return crd_i_fail_memory(error);
    *code = crd_i_dictionary_add(outcomes->truths, truth);
    return *code < 0 ? crd_i_fail_memory(error) : CRD_OK;
}

static size_t place_of_action(const crd_outcomes *outcomes, size_t truth, size_t action) {
    return SUMS_OF_ALL + truth * outcomes->stride + action;
}

static size_t place_of_class(const crd_outcomes *outcomes, size_t truth, size_t class_index) {
    return place_of_action(outcomes, truth, outcomes->rule->action_count + 1 + class_index);
}

/* Returns the credit of a decision that names a class. See crd_outcome_totals. */
static double credit_of(const crd_rule *rule, const double *log_posterior, const crd_decision *decision,
                        int32_t truth) {
    int32_t named = rule->action_classes[decision->action];
    if (rule->kind != CRD_RULE_REJECT) return named == truth ? 1 : 0;
    int32_t first;
    uint32_t tied;
    double greatest = rule_greatest(log_posterior, rule->class_count, &first, &tied);
    bool hit = (size_t)truth < rule->class_count && log_posterior[truth] - greatest >= -CRD_TIE_MARGIN;
    return hit ? 1.0 / tied : 0;
}

/* A row of weight 0 is decided, but not counted. */
crd_status crd_i_outcomes_add(crd_outcomes *outcomes, const double *log_posterior, crd_text truth, double weight,
                              crd_decision *decision, crd_error *error) {
    const crd_rule *rule = outcomes->rule;
    const crd_decision none = {sizeof none, -1, 0, NAN};
    crd_decision new_decision = CRD_DECISION_INIT;
    int32_t plain, code;
    uint32_t tied;
    if (decision != NULL) crd_i_copy_out(&none, sizeof none, decision);
    if (!(weight >= 0 && weight <= MOST_WEIGHT))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not between 0 and 2^63");
    crd_rule_decide(rule, log_posterior, NULL, &new_decision);
    if (weight > 0) {
        crd_status status = decision_outcomes_find_truth(outcomes, truth, &code, error);
        if (status != CRD_OK) return status;
        rule_greatest(log_posterior, rule->class_count, &plain, &tied);
        size_t action = new_decision.action < 0 ? rule->action_count : (size_t)new_decision.action;
        size_t class_index = plain < 0 ? rule->class_count : (size_t)plain;
        bool answers = new_decision.action >= 0 && rule->action_classes[new_decision.action] >= 0;
        double credit = answers ? credit_of(rule, log_posterior, &new_decision, code) : 0;
        crd_i_sums *sums = &outcomes->sums;
        if (!crd_i_sums_add(sums, place_of_action(outcomes, (size_t)code, action), weight) ||
            !crd_i_sums_add(sums, place_of_class(outcomes, (size_t)code, class_index), weight) ||
            !crd_i_sums_add(sums, SUM_WEIGHT, weight) || !crd_i_sums_add(sums, SUM_ANSWERED, answers ? weight : 0) ||
            !crd_i_sums_add(sums, SUM_UNDECIDED, new_decision.action < 0 ? weight : 0) ||
            !crd_i_sums_add_product(sums, SUM_CREDIT, weight, credit))
            return crd_i_fail_memory(error);
        outcomes->rows++;
    }
    if (decision != NULL) crd_i_copy_out(&new_decision, sizeof new_decision, decision);
    return CRD_OK;
}

/* ---- Parts ---- */

/* Returns whether the true classes begin with the classes of the rule, as in all outcomes of the rule. */
static bool begins_with_rule(const crd_i_dictionary *truths, const crd_rule *rule) {
    const size_t count = crd_i_dictionary_size(rule->class_codes), all = crd_i_dictionary_size(truths);
    if (all < count || (rule->costs != NULL && all > count)) return false;
    for (size_t i = 0; i < count; i++)
        if (!crd_text_equal(crd_i_dictionary_text(truths, i), crd_i_dictionary_text(rule->class_codes, i)))
            return false;
    return true;
}

/* Maps the sums of other outcomes to the sums of these outcomes. New true classes are added. */
static crd_status map_cells(crd_outcomes *outcomes, const crd_outcomes *other, size_t *map, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < SUMS_OF_ALL; i++) map[i] = i;
    for (size_t t = 0; status == CRD_OK && t < crd_i_dictionary_size(other->truths); t++) {
        int32_t code = 0;
        status = decision_outcomes_find_truth(outcomes, crd_i_dictionary_text(other->truths, t), &code, error);
        for (size_t i = 0; status == CRD_OK && i < other->stride; i++)
            map[place_of_action(other, t, i)] = place_of_action(outcomes, (size_t)code, i);
    }
    return status;
}

crd_status crd_i_outcomes_merge(crd_outcomes *outcomes, const crd_outcomes *other, crd_error *error) {
    if (outcomes->stride != other->stride || outcomes->rule->class_count != other->rule->class_count ||
        !begins_with_rule(other->truths, outcomes->rule))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "outcomes of different decision rules cannot be merged");
    size_t *map = crd_i_alloc_zeroed(outcomes->context, other->sums.cells, sizeof *map);
    crd_status status = map == NULL ? crd_i_fail_memory(error) : map_cells(outcomes, other, map, error);
    if (status == CRD_OK && !crd_i_sums_combine_all(&outcomes->sums, &other->sums, map, 1))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) outcomes->rows += other->rows;
    crd_free(outcomes->context, map);
    return status;
}

void crd_i_outcomes_write(const crd_outcomes *outcomes, crd_i_encoder *encoder) {
    crd_i_encode_names(encoder, outcomes->truths);
    crd_i_encode_u64(encoder, outcomes->rows);
    const crd_i_window window = crd_i_window_begin(encoder, &outcomes->sums);
    const size_t cells = SUMS_OF_ALL + crd_i_dictionary_size(outcomes->truths) * outcomes->stride;
    for (size_t i = 0; i < cells; i++) crd_i_window_cell(encoder, window, &outcomes->sums, i);
}

/* Decodes the true classes, the number of rows and the sums, in this order. */
crd_status crd_i_outcomes_read(crd_context *context, const crd_rule *rule, crd_i_cursor *cursor, crd_outcomes **out,
                               crd_error *error) {
    crd_i_dictionary *truths = NULL;
    *out = NULL;
    crd_outcomes *read = crd_i_alloc_zeroed(context, 1, sizeof *read);
    if (read == NULL) return crd_i_fail_memory(error);
    read->context = context;
    read->rule = rule;
    read->stride = rule->action_count + 1 + rule->class_count + 1;
    crd_i_sums_init(&read->sums, context);
    crd_status status = crd_i_decode_names(context, cursor, &truths, error);
    read->truths = truths;
    read->rows = crd_i_decode_u64(cursor);
    if (status == CRD_OK && !begins_with_rule(truths, rule)) status = crd_i_evaluation_bytes_damaged(error);
    if (status == CRD_OK)
        status = crd_i_window_read(cursor, &read->sums,
                                   SUMS_OF_ALL + (uint64_t)crd_i_dictionary_size(truths) * read->stride, error);
    if (status == CRD_OK) *out = read;
    else crd_i_outcomes_destroy(read);
    return status;
}

/* ---- Totals ---- */

size_t crd_outcomes_truth_count(const crd_outcomes *outcomes) {
    return crd_i_dictionary_size(outcomes->truths);
}

crd_text crd_outcomes_truth(const crd_outcomes *outcomes, size_t truth) {
    return crd_i_dictionary_text(outcomes->truths, truth);
}

double crd_outcomes_weight(const crd_outcomes *outcomes, size_t truth, size_t action) {
    return crd_i_sums_value(&outcomes->sums, place_of_action(outcomes, truth, action));
}

static double plain_weight(const crd_outcomes *outcomes, size_t truth, size_t class_index) {
    return crd_i_sums_value(&outcomes->sums, place_of_class(outcomes, truth, class_index));
}

/* Returns the largest cost for a true class. Undecided rows get this cost. */
static double greatest_cost(const crd_rule *rule, size_t truth) {
    double greatest = -INFINITY;
    for (size_t a = 0; a < rule->action_count; a++) greatest = fmax(greatest, crd_rule_cost(rule, truth, a));
    return greatest;
}

/* Returns the action with the name of the class; -1 if there is none. */
static int32_t action_of_class(const crd_rule *rule, size_t class_index) {
    return crd_i_dictionary_find(rule->action_codes, crd_i_dictionary_text(rule->class_codes, class_index));
}

/* Computes the mean cost of the decisions, of always predicting the most probable class, and of the best single
 * action. Sums are computed in the order of true classes. */
static void decision_outcomes_add_costs(const crd_outcomes *outcomes, double weight, crd_outcome_totals *totals) {
    const crd_rule *rule = outcomes->rule;
    size_t truths = crd_outcomes_truth_count(outcomes);
    double cost = 0, plain = 0, best = INFINITY;
    for (size_t t = 0; t < truths; t++) {
        for (size_t a = 0; a < rule->action_count; a++)
            cost += crd_outcomes_weight(outcomes, t, a) * crd_rule_cost(rule, t, a);
        cost += crd_outcomes_weight(outcomes, t, rule->action_count) * greatest_cost(rule, t);
        for (size_t k = 0; k < rule->class_count; k++) {
            int32_t action = action_of_class(rule, k);
            plain += action < 0 ? NAN : plain_weight(outcomes, t, k) * crd_rule_cost(rule, t, (size_t)action);
        }
        plain += plain_weight(outcomes, t, rule->class_count) * greatest_cost(rule, t);
    }
    for (size_t a = 0; a < rule->action_count; a++) {
        double always = 0;
        for (size_t t = 0; t < truths; t++) {
            double rows = 0;
            for (size_t b = 0; b <= rule->action_count; b++) rows += crd_outcomes_weight(outcomes, t, b);
            always += rows * crd_rule_cost(rule, t, a);
        }
        if (!(always < best)) continue;
        best = always;
        totals->single_action = (int32_t)a;
    }
    totals->cost = cost / weight;
    totals->plain_cost = plain / weight;
    totals->single_cost = best / weight;
}

void crd_outcomes_totals(const crd_outcomes *outcomes, crd_outcome_totals *out) {
    const crd_i_sums *sums = &outcomes->sums;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    totals.rows = outcomes->rows;
    totals.weight = crd_i_sums_value(sums, SUM_WEIGHT);
    totals.answered = crd_i_sums_value(sums, SUM_ANSWERED);
    totals.undecided = crd_i_sums_value(sums, SUM_UNDECIDED);
    totals.coverage = totals.answered / totals.weight;
    totals.accuracy = crd_i_sums_value(sums, SUM_CREDIT) / totals.answered;
    totals.cost = totals.plain_cost = totals.single_cost = NAN;
    if (outcomes->rule->costs != NULL && totals.weight > 0)
        decision_outcomes_add_costs(outcomes, totals.weight, &totals);
    crd_i_copy_out(&totals, sizeof totals, out);
}
