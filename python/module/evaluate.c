/* SPDX-License-Identifier: MIT */
/* evaluate.c - Assessment: evaluates predictions for rows that the model has not learned. */
#include "evaluate.h"

#include <string.h>

static void free_list(row_list *list) {
    core_block *const blocks[] = {&list->rows,          &list->decisions,  &list->actions,
                                  &list->probabilities, &list->credits,    &list->truth_probabilities,
                                  &list->losses,        &list->truth_ends, &list->texts};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) block_free(blocks[i]);
}

static void assessment_dealloc(PyObject *object) {
    assessment_object *self = (assessment_object *)object;
    crd_scores_destroy(self->scores);
    crd_scores_destroy(self->before);
    crd_assessment_destroy(self->assessment);
    crd_sequence_evaluation_destroy(self->sequences);
    crd_evaluation_destroy(self->classes);
    block_free(&self->sequence_folds);
    crd_row_source_destroy(self->source);
    if (self->reader != NULL) reader_done(self->reader);
    Py_XDECREF(self->reader);
    Py_XDECREF(self->model);
    Py_XDECREF(self->classifier);
    Py_XDECREF(self->rule);
    free_list(&self->list);
    free_object(self);
}

/* Creates an assessment that holds the reader, unless the reader is None. Returns NULL with an exception on failure. */
static assessment_object *begin_assessment(module_state *state, PyObject *reader) {
    if (reader != Py_None && reader_take(state, reader) == NULL) return NULL;
    assessment_object *self = new_object(state, CORE_ASSESSMENT);
    if (self == NULL && reader != Py_None) reader_done(reader);
    else if (self != NULL && reader != Py_None) self->reader = Py_NewRef(reader);
    return self;
}

static PyObject *end_assessment(assessment_object *self, core_call *call, crd_status status) {
    if (call_end(call, status) == 0) return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

/* assess_model(model, classifier, reader, is_strict=False): reader is None if the rows come from parts. */
static PyObject *assess_model(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model, *classifier, *reader;
    int is_strict = 0;
    if (!PyArg_ParseTuple(arguments, "OOO|p", &model, &classifier, &reader, &is_strict) ||
        !check_type(state, model, CORE_MODEL, "model") || !check_type(state, classifier, CORE_CLASSIFIER, "classifier"))
        return NULL;
    assessment_object *self = begin_assessment(state, reader);
    if (self == NULL) return NULL;
    model_object *wrapper = (model_object *)model;
    self->model = Py_NewRef(model);
    self->classifier = Py_NewRef(classifier);
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(wrapper);
    if (status == CRD_OK) {
        status = crd_assessment_of_model(wrapper->model, ((classifier_object *)classifier)->classifier,
                                         reader == Py_None ? NULL : ((reader_object *)reader)->reader, is_strict,
                                         &self->assessment, &call.error);
        model_unlock(wrapper);
    }
    return end_assessment(self, &call, status);
}

/* assess_folds(reader, settings=None, folds=10, held_out=0, seed=1, column=-1, given=None, unlabeled=None): `column` contains the folds; the
 * reader must ignore it and keep texts. `given` is a buffer of int32 with the fold of each row, -1 for no fold. `unlabeled` is the weight
 * of rows without a label; a value below 0 means that the weight is chosen automatically. */
static PyObject *assess_folds(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "settings", "folds", "held_out", "seed", "column", "given", "unlabeled", NULL};
    module_state *state = state_of_module(module);
    PyObject *reader, *settings_argument = Py_None, *given = Py_None, *unlabeled_argument = Py_None;
    unsigned folds = 10, held_out = 0;
    unsigned long long seed = 1;
    Py_ssize_t column = -1;
    const crd_settings *settings;
    crd_unlabeled_options unlabeled = CRD_UNLABELED_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OIIKnOO", names, &reader, &settings_argument, &folds,
                                     &held_out, &seed, &column, &given, &unlabeled_argument) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    if (unlabeled_argument != Py_None) {
        unlabeled.weight = PyFloat_AsDouble(unlabeled_argument);
        if (PyErr_Occurred() != NULL) return NULL;
    }
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = folds;
    split.held_out = held_out;
    split.seed = seed;
    if (column >= 0) split.column = (size_t)column;
    Py_buffer buffer = {0};
    if (given != Py_None) {
        if (buffer_of(given, "folds", "i", false, false, &buffer) < 0) return NULL;
        split.given = buffer.buf;
        split.given_count = (size_t)(buffer.len / buffer.itemsize);
    }
    assessment_object *self = begin_assessment(state, reader);
    PyObject *result = NULL;
    if (self != NULL) {
        crd_reader *rows = ((reader_object *)reader)->reader;
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_row_source_create(rows, &self->source, &call.error);
        if (status == CRD_OK)
            status = crd_assessment_of_folds(self->source, settings, &split,
                                             unlabeled_argument == Py_None ? NULL : &unlabeled, &self->assessment,
                                             &call.error);
        result = end_assessment(self, &call, status);
    }
    if (given != Py_None) PyBuffer_Release(&buffer);
    return result;
}

/* assess_leaving_one_out(reader, settings=None) */
static PyObject *assess_leaving_one_out(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *reader, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &reader, &settings_argument) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    assessment_object *self = begin_assessment(state, reader);
    if (self == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_row_source_create(((reader_object *)reader)->reader, &self->source, &call.error);
    if (status == CRD_OK)
        status = crd_assessment_leaving_one_out(self->source, settings, &self->assessment, &call.error);
    return end_assessment(self, &call, status);
}

/* split_of_share(share): (folds, held_out) */
static PyObject *split_of_share(PyObject *module, PyObject *argument) {
    const double share = PyFloat_AsDouble(argument);
    if (PyErr_Occurred() != NULL) return NULL;
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    crd_error error;
    if (crd_split_hold_out(&options, share, &error) != CRD_OK) {
        raise_error(state_of_module(module), &error);
        return NULL;
    }
    return Py_BuildValue("II", options.folds, options.held_out);
}

/* ---- Evaluation ---- */

/* Adds a row to the list. Returns non-zero if there is no memory left. */
static int add_row(void *user, const crd_assessed_row *row) {
    row_list *list = user;
    uint64_t *number = block_grow(&list->rows, sizeof *number), *end = block_grow(&list->truth_ends, sizeof *end);
    int32_t *decision = block_grow(&list->decisions, sizeof *decision),
            *action = block_grow(&list->actions, sizeof *action);
    double *probability = block_grow(&list->probabilities, sizeof *probability),
           *credit = block_grow(&list->credits, sizeof *credit),
           *truth_probability = block_grow(&list->truth_probabilities, sizeof *truth_probability),
           *loss = block_grow(&list->losses, sizeof *loss);
    char *text = block_grow(&list->texts, row->truth.length + 1);
    if (number == NULL || end == NULL || decision == NULL || action == NULL || probability == NULL || credit == NULL ||
        truth_probability == NULL || loss == NULL || text == NULL)
        return 1;
    if (row->truth.length > 0) memcpy(text, row->truth.bytes, row->truth.length);
    *number = row->row;
    *decision = row->score->decision;
    *truth_probability = row->score->truth_probability;
    *loss = row->score->loss;
    *action = row->decision == NULL ? -1 : row->decision->action;
    *probability = row->score->probability;
    *credit = row->score->credit;
    *end = list->texts.length;
    return 0;
}

static int read_run_options(assessment_object *self, PyObject *rule, unsigned repeats, bool lists_rows,
                            crd_importance_options *importance, crd_assessment_options *options) {
    if (rule != Py_None) {
        if (!check_type(self->head.state, rule, CORE_RULE, "rule")) return -1;
        self->rule = Py_NewRef(rule);
        options->rule = ((rule_object *)rule)->rule;
    }
    importance->repeats = repeats;
    if (repeats > 0) options->importance = importance;
    if (lists_rows) {
        options->each = add_row;
        options->user = &self->list;
    }
    return 0;
}

/* Evaluates the rows, or reads the rows of parts, permutes columns if requested, and computes the scores. Runs without the GIL. */
static crd_status run_all(assessment_object *self, const crd_assessment_options *options, const byte_list *parts,
                          crd_error *error) {
    model_object *model = (model_object *)self->model;
    crd_status status = model == NULL ? CRD_OK : model_lock_read(model);
    if (status != CRD_OK) return status;
    status = parts == NULL ? crd_assessment_run(self->assessment, options, error)
                           : crd_assessment_run_parts(self->assessment, options, parts->bytes, parts->lengths,
                                                      parts->count, error);
    if (model != NULL) model_unlock(model);
    crd_importance *importance = crd_assessment_facts_of(self->assessment)->importance;
    if (status == CRD_OK && importance != NULL) status = crd_importance_run(importance, error);
    self->evaluation = crd_assessment_evaluation(self->assessment);
    if (status == CRD_OK) status = crd_scores_create(self->evaluation, &self->scores, error);
    const crd_evaluation *before = crd_assessment_facts_of(self->assessment)->uncalibrated;
    if (status == CRD_OK && before != NULL) status = crd_scores_create(before, &self->before, error);
    return status;
}

/* run(rule=None, repeats=0, seed=1, threads=0, lists_rows=False, is_part=False, parts=None): repeats > 0 permutes columns; parts are
 * the bytes of other assessments, as returned by encode(). */
static PyObject *assessment_run(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"rule", "repeats", "seed", "threads", "lists_rows", "is_part", "parts", NULL};
    assessment_object *self = (assessment_object *)object;
    PyObject *rule = Py_None, *parts_argument = Py_None;
    byte_list parts = {0};
    unsigned repeats = 0, threads = 0;
    unsigned long long seed = 1;
    int lists_rows = 0, is_part = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OIKIppO", names, &rule, &repeats, &seed, &threads,
                                     &lists_rows, &is_part, &parts_argument))
        return NULL;
    if (row_assessment(object) == NULL) return NULL;
    if (self->scores != NULL || self->rule != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "an assessment can be run only once");
        return NULL;
    }
    crd_importance_options importance = CRD_IMPORTANCE_OPTIONS_INIT;
    importance.seed = seed;
    importance.threads = threads;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    options.is_part = is_part;
    if (read_run_options(self, rule, repeats, lists_rows != 0, &importance, &options) < 0 ||
        (parts_argument != Py_None && byte_list_of(parts_argument, &parts) < 0))
        return NULL;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = run_all(self, &options, parts_argument == Py_None ? NULL : &parts, &call.error);
    const int ended = call_end(&call, status);
    byte_list_free(&parts);
    if (ended < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- Facts and rows ---- */

crd_assessment *row_assessment(PyObject *object) {
    crd_assessment *assessment = ((assessment_object *)object)->assessment;
    if (assessment == NULL) PyErr_SetString(PyExc_RuntimeError, "the assessment is of sequences");
    return assessment;
}

static PyObject *class_at(const void *user, size_t index) {
    return str_of(((const crd_text *)user)[index]);
}

static PyObject *assessment_classes(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_assessment *assessment = row_assessment(object);
    if (assessment == NULL) return NULL;
    return list_of(crd_assessment_facts_of(assessment)->class_count, class_at,
                   crd_assessment_facts_of(assessment)->classes);
}

static PyObject *assessment_target(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_assessment *assessment = row_assessment(object);
    return assessment == NULL ? NULL : str_of(crd_assessment_facts_of(assessment)->target);
}

static PyObject *assessment_target_checks(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_assessment *assessment = row_assessment(object);
    crd_summary *summary = NULL;
    crd_error error;
    if (assessment == NULL) return NULL;
    if (crd_assessment_summary(assessment, &summary, &error) != CRD_OK) {
        raise_error(state_of(object), &error);
        return NULL;
    }
    PyObject *result = target_checks(summary);
    crd_summary_destroy(summary);
    return result;
}

static PyObject *assessment_settings(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_assessment *assessment = row_assessment(object);
    return assessment == NULL ? NULL : settings_record(crd_assessment_settings(assessment));
}

static PyObject *assessment_facts(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_assessment *assessment = row_assessment(object);
    crd_assessment_facts facts;
    if (assessment == NULL) return NULL;
    facts = *crd_assessment_facts_of(assessment);
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:N,s:N,s:N,s:n}", "rows", (unsigned long long)facts.rows, "judged",
                         (unsigned long long)facts.judged, "unlabeled", (unsigned long long)facts.unlabeled,
                         "weightless", (unsigned long long)facts.weightless, "unseen", (unsigned long long)facts.unseen,
                         "rows_with_unseen", (unsigned long long)facts.rows_with_unseen, "has_weights",
                         PyBool_FromLong(facts.has_weights), "lacks_weight", PyBool_FromLong(facts.lacks_weight),
                         "is_learned", PyBool_FromLong(facts.is_learned), "empty_folds", (Py_ssize_t)facts.empty_folds);
}

static PyObject *truths_of(const row_list *list) {
    const uint64_t *ends = (const uint64_t *)(const void *)list->truth_ends.bytes;
    const size_t count = list->truth_ends.length / sizeof *ends;
    PyObject *truths = PyList_New((Py_ssize_t)count);
    uint64_t begin = 0;
    for (size_t i = 0; truths != NULL && i < count; i++) {
        /* A separator byte that is not part of the text comes after each text. */
        PyObject *truth = str_of((crd_text){list->texts.bytes + begin, (size_t)(ends[i] - begin) - 1});
        begin = ends[i];
        if (truth == NULL || PyList_SetItem(truths, (Py_ssize_t)i, truth) < 0) Py_CLEAR(truths);
    }
    return truths;
}

/* rows(): the listed rows, which can be taken only once: Blocks of uint64, int32, float64 and int32, and a list of true classes. */
static PyObject *assessment_rows(PyObject *object, PyObject *unused) {
    (void)unused;
    assessment_object *self = (assessment_object *)object;
    row_list *list = &self->list;
    module_state *state = self->head.state;
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "truth", truths_of(list), "row", block_wrap(state, &list->rows),
        "prediction", block_wrap(state, &list->decisions), "probability", block_wrap(state, &list->probabilities),
        "credit", block_wrap(state, &list->credits), "truth_probability", block_wrap(state, &list->truth_probabilities),
        "loss", block_wrap(state, &list->losses), "decision", block_wrap(state, &list->actions));
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))assessment_run, METH_VARARGS | METH_KEYWORDS,
     "run(rule=None, repeats=0, seed=1, threads=0, lists_rows=False, is_part=False, parts=None)"},
    {"encode", assessment_encode, METH_NOARGS, "encode() -> bytes"},
    {"classes", assessment_classes, METH_NOARGS, "classes() -> list[str]"},
    {"target", assessment_target, METH_NOARGS, "target() -> str"},
    {"target_checks", assessment_target_checks, METH_NOARGS, "target_checks() -> dict"},
    {"settings", assessment_settings, METH_NOARGS, "settings() -> dict[str, str]"},
    {"facts", assessment_facts, METH_NOARGS, "facts() -> dict"},
    {"rows", assessment_rows, METH_NOARGS, "rows() -> dict"},
    {"intervals", assessment_intervals, METH_NOARGS, "intervals() -> dict"},
    {"totals", assessment_totals, METH_O, "totals(is_uncalibrated) -> dict"},
    {"per_class", assessment_per_class, METH_NOARGS, "per_class() -> list[dict]"},
    {"confusion", assessment_confusion, METH_NOARGS, "confusion() -> bytearray"},
    {"confusions", assessment_confusions, METH_O, "confusions(most) -> tuple[list[dict], int]"},
    {"calibration", assessment_calibration, METH_O, "calibration(is_uncalibrated) -> list[dict]"},
    {"top_accuracy", assessment_top_accuracy, METH_O, "top_accuracy(k) -> float | None"},
    {"fold_scores", assessment_fold_scores, METH_NOARGS, "fold_scores() -> dict"},
    {"folds", assessment_folds, METH_NOARGS, "folds() -> dict"},
    {"outcomes", assessment_outcomes, METH_NOARGS, "outcomes() -> dict | None"},
    {"importance", assessment_importance, METH_NOARGS, "importance() -> dict | None"},
    {"curve", assessment_curve, METH_O, "curve(class_index) -> Curve"},
    {"sequences", assessment_sequences, METH_NOARGS, "sequences() -> dict"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef evaluate_functions[] = {
    {"assess_model", assess_model, METH_VARARGS,
     "assess_model(model, classifier, reader, is_strict=False) -> Assessment"},
    {"assess_folds", (PyCFunction)(void (*)(void))assess_folds, METH_VARARGS | METH_KEYWORDS,
     "assess_folds(reader, settings=None, folds=10, held_out=0, seed=1, column=-1, given=None, unlabeled=None) "
     "-> Assessment"},
    {"assess_leaving_one_out", assess_leaving_one_out, METH_VARARGS,
     "assess_leaving_one_out(reader, settings=None) -> Assessment"},
    {"split_of_share", split_of_share, METH_O, "split_of_share(share) -> tuple[int, int]"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(evaluate, CORE_ASSESSMENT, "Assessment", assessment_object, assessment_dealloc, methods,
          "An evaluation of predictions. Created by assess_model(), assess_folds() and assess_leaving_one_out(); "
          "run() computes it.");
