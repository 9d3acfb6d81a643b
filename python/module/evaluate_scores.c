/* SPDX-License-Identifier: MIT */
/* evaluate_scores.c - returns the results of an assessment as records. */
#include "evaluate.h"

PyObject *list_of(size_t count, PyObject *(*record_at)(const void *user, size_t index), const void *user) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *record = record_at(user, i);
        if (record == NULL || PyList_SetItem(list, (Py_ssize_t)i, record) < 0) Py_CLEAR(list);
    }
    return list;
}

/* Returns the scores of an assessment after its run; NULL with an exception if it has not run. */
static const crd_scores *scores_of(PyObject *object) {
    const crd_scores *scores = ((assessment_object *)object)->scores;
    if (scores == NULL) PyErr_SetString(PyExc_RuntimeError, "the assessment is not finished");
    return scores;
}

/* Returns the scores, or the scores without calibration. If there are no uncalibrated scores, returns NULL without an exception. */
static const crd_scores *either_scores(PyObject *object, PyObject *is_uncalibrated) {
    const int before = PyObject_IsTrue(is_uncalibrated);
    if (before < 0 || scores_of(object) == NULL) return NULL;
    return before != 0 ? ((assessment_object *)object)->before : ((assessment_object *)object)->scores;
}

PyObject *totals_record(const crd_totals *totals) {
    PyObject *record = PyDict_New();
    if (record == NULL) return NULL;
    if (put(record, "rows", PyLong_FromUnsignedLongLong(totals->rows)) < 0 ||
        put(record, "undecided", PyLong_FromUnsignedLongLong(totals->undecided)) < 0 ||
        put(record, "zero_rows", PyLong_FromUnsignedLongLong(totals->zero_rows)) < 0 ||
        put(record, "weight", number_of(totals->weight)) < 0 ||
        put(record, "baseline", number_of(totals->baseline)) < 0 ||
        put(record, "baseline_log_loss", number_of(totals->baseline_log_loss)) < 0 ||
        put(record, "is_unranked", PyBool_FromLong(totals->is_unranked)) < 0 ||
        put(record, "is_overconfident", PyBool_FromLong(crd_totals_is_overconfident(totals))) < 0)
        goto fail;
    for (crd_measure m = 0; m < CRD_MEASURE_COUNT; m++)
        if (put(record, crd_measure_name(m), number_of(crd_totals_measure(totals, m))) < 0) goto fail;
    return record;
fail:
    Py_DECREF(record);
    return NULL;
}

/* Returns the warning about labels that are not classes; None if all labels are classes. */
static PyObject *label_warning(PyObject *object, const crd_scores *scores) {
    crd_context *context = state_of(object)->context;
    char *warning = NULL;
    if (crd_scores_label_warning(context, scores, &warning, NULL) != CRD_OK) return PyErr_NoMemory();
    PyObject *text = str_of_c(warning);
    crd_free(context, warning);
    return text;
}

PyObject *assessment_totals(PyObject *object, PyObject *is_uncalibrated) {
    const crd_scores *scores = either_scores(object, is_uncalibrated);
    crd_totals totals = CRD_TOTALS_INIT;
    if (scores == NULL && PyErr_Occurred() != NULL) return NULL;
    if (scores == NULL) return PyDict_New();
    crd_scores_totals(scores, &totals);
    PyObject *record = totals_record(&totals);
    if (record != NULL && put(record, "label_warning", label_warning(object, scores)) < 0) Py_CLEAR(record);
    return record;
}

PyObject *assessment_intervals(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_scores *scores = scores_of(object);
    PyObject *record = scores == NULL ? NULL : PyDict_New();
    for (crd_measure m = 0; record != NULL && m < CRD_MEASURE_COUNT; m++) {
        double low, high;
        if (!crd_scores_interval(scores, m, &low, &high)) continue;
        if (put(record, crd_measure_name(m), Py_BuildValue("[NN]", number_of(low), number_of(high))) < 0)
            Py_CLEAR(record);
    }
    return record;
}

static PyObject *class_record(const void *user, size_t index) {
    const crd_scores *scores = user;
    const crd_class_scores class_scores = scores->classes[index];
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:K,s:N}", "class", str_of(scores->classes[index].name), "precision",
        number_of(class_scores.precision), "recall", number_of(class_scores.recall), "f1", number_of(class_scores.f1),
        "auc", number_of(class_scores.auc), "support", number_of(class_scores.support_weight), "zero_rows",
        (unsigned long long)class_scores.zero_rows, "can_be_predicted", PyBool_FromLong(class_scores.can_be_predicted));
}

PyObject *assessment_per_class(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_scores *scores = scores_of(object);
    return scores == NULL ? NULL : list_of(scores->class_count, class_record, scores);
}

/* Returns the confusion matrix as a bytearray of float64, with a row for each true class and a column for each predicted class. */
PyObject *assessment_confusion(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_scores *scores = scores_of(object);
    if (scores == NULL) return NULL;
    const size_t count = scores->class_count;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * count * sizeof(double)));
    if (bytes == NULL) return NULL;
    double *values = (double *)(void *)PyByteArray_AsString(bytes);
    for (size_t truth = 0; truth < count; truth++)
        for (size_t named = 0; named < count; named++)
            values[truth * count + named] = crd_scores_confusion_weight(scores, truth, named);
    return bytes;
}

typedef struct pairs {
    const crd_scores *scores;
    const crd_confusion *items;
} pairs;

static PyObject *pair_record(const void *user, size_t index) {
    const pairs *confusions = user;
    const crd_confusion *pair = &confusions->items[index];
    const crd_class_scores truth = confusions->scores->classes[pair->truth];
    return Py_BuildValue("{s:N,s:N,s:N,s:N}", "class", str_of(confusions->scores->classes[pair->truth].name), "named",
                         str_of(confusions->scores->classes[pair->named].name), "rows", number_of(pair->weight),
                         "share", number_of(pair->weight / truth.support_weight));
}

/* Returns the most frequent confusions (pairs of different classes), and the number of all confusions. */
PyObject *assessment_confusions(PyObject *object, PyObject *most_argument) {
    const crd_scores *scores = scores_of(object);
    const size_t most = PyLong_AsSize_t(most_argument);
    if (scores == NULL || PyErr_Occurred() != NULL) return NULL;
    const size_t classes = scores->class_count, all = classes * classes;
    crd_confusion *items = PyMem_Malloc(((most < all ? most : all) + 1) * sizeof *items);
    if (items == NULL) return PyErr_NoMemory();
    const size_t total = crd_scores_confusions(scores, items, most < all ? most : all);
    PyObject *list = list_of(total < most ? total : most, pair_record, &(pairs){scores, items});
    PyMem_Free(items);
    return list == NULL ? NULL : Py_BuildValue("Nn", list, (Py_ssize_t)total);
}

static PyObject *bin_record(const void *user, size_t index) {
    const crd_calibration_bin bin = ((const crd_scores *)user)->bins[index];
    double low, high;
    crd_frequency_interval(bin.accuracy, bin.weight, &low, &high);
    return Py_BuildValue("{s:d,s:d,s:N,s:N,s:N,s:N,s:N}", "from", (double)index / CRD_CALIBRATION_BINS, "to",
                         (double)(index + 1) / CRD_CALIBRATION_BINS, "rows", number_of(bin.weight), "probability",
                         number_of(bin.probability), "accuracy", number_of(bin.accuracy), "low", number_of(low), "high",
                         number_of(high));
}

PyObject *assessment_calibration(PyObject *object, PyObject *is_uncalibrated) {
    const crd_scores *scores = either_scores(object, is_uncalibrated);
    if (scores == NULL && PyErr_Occurred() != NULL) return NULL;
    if (scores == NULL) return PyList_New(0);
    return list_of(CRD_CALIBRATION_BINS, bin_record, scores);
}

PyObject *assessment_top_accuracy(PyObject *object, PyObject *k_argument) {
    const assessment_object *self = (assessment_object *)object;
    const size_t k = PyLong_AsSize_t(k_argument);
    double accuracy;
    crd_error error;
    if (PyErr_Occurred() != NULL || scores_of(object) == NULL) return NULL;
    if (crd_evaluation_top_accuracy(self->evaluation, k, &accuracy, &error) == CRD_OK) return number_of(accuracy);
    raise_error(self->head.state, &error);
    return NULL;
}

/* ---- Folds ---- */

typedef struct fold_results {
    const crd_fold_scores *scores;
    const crd_split *split;
} fold_results;

static PyObject *fold_name(const crd_split *split, uint32_t fold) {
    const crd_text name = split == NULL ? (crd_text){NULL, 0} : crd_split_fold_name(split, fold);
    return name.bytes != NULL ? str_of(name) : PyLong_FromUnsignedLong((unsigned long)fold + 1);
}

static PyObject *fold_record(const void *user, size_t index) {
    const fold_results *results = user;
    crd_totals totals = CRD_TOTALS_INIT;
    totals = results->scores->totals[index];
    PyObject *record = PyDict_New();
    if (record == NULL) return NULL;
    if (put(record, "fold", fold_name(results->split, results->scores->folds[index])) < 0 ||
        put(record, "rows", PyLong_FromUnsignedLongLong(totals.rows)) < 0)
        goto fail;
    for (crd_measure m = 0; m < CRD_MEASURE_COUNT; m++)
        if (put(record, crd_measure_name(m), number_of(crd_totals_measure(&totals, m))) < 0) goto fail;
    return record;
fail:
    Py_DECREF(record);
    return NULL;
}

static PyObject *spread_record(const crd_fold_scores *scores, bool is_mean) {
    PyObject *record = PyDict_New();
    for (crd_measure m = 0; record != NULL && m < CRD_MEASURE_COUNT; m++) {
        const crd_spread spread = scores->spreads[m];
        if (put(record, crd_measure_name(m), number_of(is_mean ? spread.mean : spread.deviation)) < 0) Py_CLEAR(record);
    }
    return record;
}

/* Returns the scores of each fold, their means and standard deviations. The lists are empty without folds. */
PyObject *assessment_fold_scores(PyObject *object, PyObject *unused) {
    (void)unused;
    const assessment_object *self = (assessment_object *)object;
    if (scores_of(object) == NULL) return NULL;
    crd_fold_scores *scores = NULL;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_fold_scores_create(self->evaluation, &scores, &call.error);
    PyObject *result = NULL;
    if (call_end(&call, status) == 0) {
        const fold_results results = {
            scores, self->assessment == NULL ? NULL : crd_assessment_facts_of(self->assessment)->split};
        result = Py_BuildValue("{s:N,s:N,s:N}", "folds", list_of(scores->count, fold_record, &results), "fold_mean",
                               spread_record(scores, true), "fold_sd", spread_record(scores, false));
    }
    crd_fold_scores_destroy(scores);
    return result;
}

static PyObject *split_name(const void *user, size_t index) {
    return fold_name(user, (uint32_t)index);
}

/* Returns the fold of each row, as a bytearray of int32 (-1: no fold), the number of folds, and their names. They are empty without
 * folds. */
PyObject *assessment_folds(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_assessment *assessment = row_assessment(object);
    if (assessment == NULL) return NULL;
    const crd_split *split = crd_assessment_facts_of(assessment)->split;
    if (split == NULL) return PyDict_New();
    const size_t rows = crd_split_rows(split), count = crd_split_fold_count(split);
    return Py_BuildValue("{s:n,s:N,s:N}", "count", (Py_ssize_t)count, "rows",
                         PyByteArray_FromStringAndSize(rows == 0 ? "" : (const char *)crd_split_learned(split),
                                                       (Py_ssize_t)(rows * sizeof(uint32_t))),
                         "names", list_of(count, split_name, split));
}

/* ---- Decisions ---- */

static double sum_of_truth(const crd_outcomes *outcomes, const crd_rule *rule, size_t truth) {
    double sum = 0;
    for (size_t a = 0; a <= rule->action_count; a++) sum += crd_outcomes_weight(outcomes, truth, a);
    return sum;
}

/* Returns a table with one row for each true class that the rule has or that occurs in a row. */
static PyObject *outcome_table(const crd_outcomes *outcomes, const crd_rule *rule) {
    const size_t actions = rule->action_count;
    PyObject *table = PyList_New(0);
    for (size_t truth = 0; table != NULL && truth < crd_outcomes_truth_count(outcomes); truth++) {
        if (truth >= rule->class_count && !(sum_of_truth(outcomes, rule, truth) > 0)) continue;
        PyObject *rows = PyList_New((Py_ssize_t)actions);
        for (size_t a = 0; rows != NULL && a < actions; a++) {
            PyObject *weight = number_of(crd_outcomes_weight(outcomes, truth, a));
            if (weight == NULL || PyList_SetItem(rows, (Py_ssize_t)a, weight) < 0) Py_CLEAR(rows);
        }
        PyObject *record =
            rows == NULL ? NULL
                         : Py_BuildValue("{s:N,s:N,s:N}", "class", str_of(crd_outcomes_truth(outcomes, truth)), "rows",
                                         rows, "undecided", number_of(crd_outcomes_weight(outcomes, truth, actions)));
        if (append_item(table, record) < 0) Py_CLEAR(table);
    }
    return table;
}

/* Adds the precision and recall of the class that the threshold applies to. */
static int put_positive(PyObject *record, const crd_outcomes *outcomes, const crd_rule *rule) {
    const size_t positive = (size_t)rule->positive;
    const double correct = crd_outcomes_weight(outcomes, positive, positive);
    double named = 0;
    for (size_t t = 0; t < crd_outcomes_truth_count(outcomes); t++) named += crd_outcomes_weight(outcomes, t, positive);
    if (put(record, "class", str_of(rule->actions[positive])) < 0 ||
        put(record, "precision", number_of(correct / named)) < 0)
        return -1;
    return put(record, "recall", number_of(correct / sum_of_truth(outcomes, rule, positive)));
}

static int put_costs(PyObject *record, const crd_rule *rule, const crd_outcome_totals *totals) {
    if (put(record, "cost", number_of(totals->cost)) < 0 ||
        put(record, "plain_cost", number_of(totals->plain_cost)) < 0)
        return -1;
    if (totals->single_action >= 0 &&
        put(record, "single_action", str_of(rule->actions[(size_t)totals->single_action])) < 0)
        return -1;
    return put(record, "single_cost", number_of(totals->single_cost));
}

PyObject *assessment_outcomes(PyObject *object, PyObject *unused) {
    (void)unused;
    const assessment_object *self = (assessment_object *)object;
    if (scores_of(object) == NULL) return NULL;
    const crd_outcomes *outcomes =
        self->assessment == NULL ? NULL : crd_assessment_facts_of(self->assessment)->outcomes;
    if (outcomes == NULL) Py_RETURN_NONE;
    const crd_rule *rule = ((rule_object *)self->rule)->rule;
    const crd_rule_kind kind = rule->kind;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_outcomes_totals(outcomes, &totals);
    PyObject *record = PyDict_New();
    if (record == NULL) return NULL;
    const char *name = kind == CRD_RULE_COSTS ? "cost" : kind == CRD_RULE_REJECT ? "reject" : "threshold";
    int failed = put(record, "rule", str_of_c(name));
    if (failed == 0 && kind == CRD_RULE_COSTS) failed = put_costs(record, rule, &totals);
    else if (failed == 0) failed = put(record, "threshold", number_of(rule->least));
    if (failed == 0) failed = put(record, "coverage", number_of(totals.coverage));
    if (failed == 0) failed = put(record, "accuracy", number_of(totals.accuracy));
    if (failed == 0 && kind == CRD_RULE_THRESHOLD) failed = put_positive(record, outcomes, rule);
    if (failed == 0) failed = put(record, "actions", rule_actions(rule));
    if (failed == 0) failed = put(record, "table", outcome_table(outcomes, rule));
    if (failed < 0) Py_CLEAR(record);
    return record;
}

/* ---- Permutation importance ---- */

static PyObject *column_record(const void *user, size_t index) {
    crd_column_importance column = CRD_COLUMN_IMPORTANCE_INIT;
    crd_importance_at(user, index, &column);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "column", str_of(column.column), "log_loss",
                         number_of(column.log_loss), "log_loss_se", number_of(column.log_loss_error), "accuracy",
                         number_of(column.accuracy), "accuracy_se", number_of(column.accuracy_error));
}

PyObject *assessment_importance(PyObject *object, PyObject *unused) {
    (void)unused;
    if (scores_of(object) == NULL) return NULL;
    crd_assessment *core_assessment = ((assessment_object *)object)->assessment;
    const crd_importance *importance =
        core_assessment == NULL ? NULL : crd_assessment_facts_of(core_assessment)->importance;
    if (importance == NULL) Py_RETURN_NONE;
    return Py_BuildValue("{s:K,s:K,s:N}", "rows", (unsigned long long)crd_importance_rows(importance), "rows_added",
                         (unsigned long long)crd_importance_rows_added(importance), "columns",
                         list_of(crd_importance_count(importance), column_record, importance));
}
