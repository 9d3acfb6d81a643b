/* SPDX-License-Identifier: MIT */
/* model_show.c - returns the contents of a model as records with the keys of the command's verb show. */
#include "sequences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parts to show, and the classifier that computes them. */
typedef struct view {
    module_state *state;
    const crd_summary *summary;
    const crd_classifier *classifier;
    PyObject *class_names;
    size_t classes;
    size_t words; /* number of most informative words per class */
} view;

static int fail(const view *v, const crd_error *error) {
    raise_error(v->state, error);
    return -1;
}

static PyObject *class_name(const view *v, size_t class_index) {
    return Py_NewRef(PyTuple_GetItem(v->class_names, (Py_ssize_t)class_index));
}

/* Returns the probability of a term; None for a value that has no effect. */
static PyObject *term_probability(const crd_term *term) {
    bool counts = term->form == CRD_TERM_RATIO || term->form == CRD_TERM_DENSITY || term->form == CRD_TERM_GIVEN;
    return number_of(counts ? crd_exp(term->log_value) : NAN);
}

/* ---- Classes ---- */

static int add_classes(const view *v, PyObject *record) {
    PyObject *list = PyList_New(0);
    int result = list == NULL ? -1 : 0;
    for (size_t c = 0; result == 0 && c < v->classes; c++) {
        crd_term term = CRD_TERM_INIT;
        crd_error error;
        if (crd_classifier_prior(v->classifier, c, &term, &error) != CRD_OK) result = fail(v, &error);
        else
            result = append_item(list, Py_BuildValue("{s:N,s:d,s:N}", "class", class_name(v, c), "rows",
                                                     v->summary->classes[c].rows, "prior", term_probability(&term)));
    }
    if (result == 0) return put(record, "classes", list);
    Py_XDECREF(list);
    return -1;
}

static PyObject *estimates_of(const crd_classifier *classifier) {
    enum { ROOM = 32 };
    crd_estimate estimates[ROOM];
    size_t count = crd_classifier_estimates(classifier, estimates, ROOM);
    PyObject *record = PyDict_New();
    for (size_t i = 0; record != NULL && i < count && i < ROOM; i++)
        if (put(record, estimates[i].what, PyLong_FromUnsignedLongLong(estimates[i].count)) < 0) Py_CLEAR(record);
    return record;
}

static PyObject *kept_of(const crd_summary *summary) {
    size_t tallies = summary->tally_count, joint_tallies = summary->joint_tally_count;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < tallies + joint_tallies; i++) {
        size_t joint = i - tallies;
        PyObject *row =
            Py_BuildValue("{s:s}", "statistic", i < tallies ? summary->tallies[i] : summary->joint_tallies[joint].name);
        PyObject *names = row == NULL || i < tallies ? NULL : PyList_New(0);
        for (size_t a = 0; names != NULL && a < summary->joint_tallies[joint].attribute_count; a++)
            if (append_item(names, str_of(summary->attributes[summary->joint_tallies[joint].attributes[a]].name)) < 0)
                Py_CLEAR(names);
        bool failed = row == NULL || (i >= tallies && put(row, "attributes", names) < 0);
        if (failed || PyList_Append(list, row) < 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ---- Components beyond naive Bayes ---- */

static PyObject *names_of(const view *v, const size_t *attributes, size_t count) {
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < count; i++)
        if (append_item(names, str_of(crd_classifier_attribute(v->classifier, attributes[i]))) < 0) Py_CLEAR(names);
    return names;
}

static int add_joints(const view *v, PyObject *record) {
    size_t count = crd_classifier_joint_count(v->classifier);
    if (count == 0) return 0;
    size_t *attributes = PyMem_Malloc((crd_classifier_attribute_count(v->classifier) + 1) * sizeof *attributes);
    PyObject *list = PyList_New(0);
    int result = attributes == NULL || list == NULL ? -1 : 0;
    if (attributes == NULL) PyErr_NoMemory();
    for (size_t i = 0; result == 0 && i < count; i++) {
        crd_joint joint = CRD_JOINT_INIT;
        crd_error error;
        if (crd_classifier_joint(v->classifier, i, &joint, &error) != CRD_OK ||
            crd_classifier_joint_attributes(v->classifier, i, attributes, &error) != CRD_OK)
            result = fail(v, &error);
        else
            result = append_item(list, Py_BuildValue("{s:s,s:N,s:s}", "joint", joint.name, "attributes",
                                                     names_of(v, attributes, joint.attribute_count), "description",
                                                     joint.description));
    }
    PyMem_Free(attributes);
    if (result == 0) return put(record, "joints", list);
    Py_XDECREF(list);
    return -1;
}

static int compare_pairs(const void *a, const void *b) {
    const crd_pair *x = a, *y = b;
    if (x->exponent != y->exponent) return x->exponent < y->exponent ? 1 : -1;
    if (x->attributes[0] != y->attributes[0]) return x->attributes[0] < y->attributes[0] ? -1 : 1;
    return (x->attributes[1] > y->attributes[1]) - (x->attributes[1] < y->attributes[1]);
}

/* Adds the pairs whose exponent is above zero, the largest exponent first. */
static int add_pairs(const view *v, PyObject *record) {
    size_t all = crd_classifier_pair_count(v->classifier), count = 0;
    if (all == 0) return 0;
    crd_pair *pairs = PyMem_Malloc(all * sizeof *pairs);
    PyObject *list = PyList_New(0);
    int result = pairs == NULL || list == NULL ? -1 : 0;
    if (pairs == NULL) PyErr_NoMemory();
    for (size_t i = 0; result == 0 && i < all; i++) {
        crd_error error;
        pairs[count] = (crd_pair)CRD_PAIR_INIT;
        if (crd_classifier_pair(v->classifier, i, &pairs[count], &error) != CRD_OK) result = fail(v, &error);
        else count += pairs[count].exponent > 0;
    }
    if (result == 0 && count > 0) qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; result == 0 && i < count; i++) {
        bool is_single = pairs[i].attributes[0] == pairs[i].attributes[1];
        result = append_item(list, Py_BuildValue("{s:N,s:d}", "attributes",
                                                 names_of(v, pairs[i].attributes, is_single ? 1 : 2),
                                                 "attribute_weight", pairs[i].exponent));
    }
    PyMem_Free(pairs);
    if (result == 0) return put(record, "pairs", list);
    Py_XDECREF(list);
    return -1;
}

/* Returns a dict with one number per class. */
static PyObject *by_class(const view *v, double (*number)(const crd_classifier *, size_t)) {
    PyObject *record = PyDict_New();
    for (size_t c = 0; record != NULL && c < v->classes; c++) {
        PyObject *value = number_of(number(v->classifier, c));
        if (value == NULL || PyDict_SetItem(record, PyTuple_GetItem(v->class_names, (Py_ssize_t)c), value) < 0)
            Py_CLEAR(record);
        Py_XDECREF(value);
    }
    return record;
}

static int add_members(const view *v, PyObject *record) {
    const char *rule = crd_classifier_ensemble_rule(v->classifier);
    if (rule == NULL) return 0;
    PyObject *list = PyList_New(0);
    int result = list == NULL ? -1 : put(record, "pool", str_of_c(rule));
    for (size_t i = 0; result == 0 && i < crd_classifier_member_count(v->classifier); i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        crd_error error;
        if (crd_classifier_member(v->classifier, i, &member, &error) != CRD_OK) result = fail(v, &error);
        else
            result = append_item(list, Py_BuildValue("{s:d,s:N}", "weight", member.weight, "settings",
                                                     settings_record(crd_classifier_settings(member.classifier))));
    }
    if (result == 0)
        return put(record, "members", list) < 0
                   ? -1
                   : put(record, "log_factors", by_class(v, crd_classifier_ensemble_factor));
    Py_XDECREF(list);
    return -1;
}

static double offset_of(const crd_classifier *classifier, size_t class_index) {
    double input, offset = 0;
    crd_classifier_calibration_point(classifier, class_index, 0, &input, &offset);
    return offset;
}

/* Returns the points of the isotonic calibration line of each class. */
static PyObject *lines_of(const view *v) {
    PyObject *lines = PyDict_New();
    double input, output;
    for (size_t c = 0; lines != NULL && c < v->classes; c++) {
        PyObject *points = PyList_New(0);
        for (size_t i = 0; points != NULL && crd_classifier_calibration_point(v->classifier, c, i, &input, &output);
             i++)
            if (append_item(points, Py_BuildValue("[dd]", input, output)) < 0) Py_CLEAR(points);
        if (points == NULL || PyDict_SetItem(lines, PyTuple_GetItem(v->class_names, (Py_ssize_t)c), points) < 0)
            Py_CLEAR(lines);
        Py_XDECREF(points);
    }
    return lines;
}

static int add_calibration(const view *v, PyObject *record) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    if (crd_classifier_calibration(v->classifier, &calibration) == 0) return 0;
    if (strcmp(calibration.rule, "known-words") == 0)
        return put(record, "calibration", Py_BuildValue("{s:s}", "rule", calibration.rule));
    bool is_isotonic = strcmp(calibration.rule, "isotonic") == 0;
    PyObject *details = is_isotonic ? Py_BuildValue("{s:s,s:N}", "rule", calibration.rule, "lines", lines_of(v))
                                    : Py_BuildValue("{s:s,s:d,s:N}", "rule", calibration.rule, "slope",
                                                    calibration.slope, "offsets", by_class(v, offset_of));
    return put(record, "calibration", details);
}

/* ---- Numbers ---- */

static PyObject *density_of(const view *v, size_t attribute, size_t class_index) {
    crd_moments cells = crd_summary_moments(v->summary, attribute, class_index);
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    size_t count = 0;
    double mean = NAN, deviation = NAN, spread = sqrt(cells.sample_variance);
    bool is_known =
        crd_classifier_moments(v->classifier, attribute, class_index, &mean, &deviation, NULL) == CRD_OK &&
        crd_classifier_parameters(v->classifier, attribute, class_index, parameters, &count, NULL) == CRD_OK;
    PyObject *row = Py_BuildValue("{s:N,s:d}", "class", class_name(v, class_index), "rows",
                                  crd_summary_present(v->summary, attribute, class_index));
    if (row == NULL) return NULL;
    if ((is_known && (put(row, "mean", number_of(mean)) < 0 || put(row, "sd", number_of(deviation)) < 0)) ||
        (isfinite(cells.mean) && put(row, "sample_mean", number_of(cells.mean)) < 0) ||
        (isfinite(spread) && put(row, "sample_sd", number_of(spread)) < 0)) {
        Py_DECREF(row);
        return NULL;
    }
    for (size_t i = 0; is_known && row != NULL && i < count; i++) {
        if (strcmp(parameters[i].name, "mean") == 0 || strcmp(parameters[i].name, "sd") == 0) continue;
        if (put(row, parameters[i].name, number_of(parameters[i].value)) < 0) Py_CLEAR(row);
    }
    return row;
}

static int add_densities(const view *v, size_t attribute, PyObject *record) {
    PyObject *list = PyList_New(0);
    for (size_t c = 0; list != NULL && c < v->classes; c++)
        if (append_item(list, density_of(v, attribute, c)) < 0) Py_CLEAR(list);
    return put(record, "densities", list);
}

/* Adds the histogram bins or the mixture components of each class. Adds nothing for other densities. */
static int add_components(const view *v, size_t attribute, PyObject *record) {
    crd_density_component part = CRD_DENSITY_COMPONENT_INIT;
    if (v->classes == 0 || !crd_classifier_component(v->classifier, attribute, 0, 0, &part)) return 0;
    const bool is_bin = !isnan(part.from);
    PyObject *list = PyList_New(0);
    for (size_t c = 0; list != NULL && c < v->classes; c++)
        for (size_t i = 0; list != NULL && crd_classifier_component(v->classifier, attribute, c, i, &part); i++) {
            PyObject *row;
            if (is_bin) {
                const crd_value middle = {CRD_TYPE_NUMERIC, part.from / 2 + part.to / 2, {NULL, 0}};
                crd_term term = CRD_TERM_INIT;
                crd_status status = crd_classifier_term(v->classifier, attribute, c, &middle, &term, NULL);
                bool is_density = status == CRD_OK && term.form == CRD_TERM_DENSITY;
                row = Py_BuildValue("{s:N,s:N,s:N,s:N,s:d}", "class", class_name(v, c), "from", number_of(part.from),
                                    "to", number_of(part.to), "probability", number_of(part.weight), "density",
                                    is_density ? crd_exp(term.log_value) : 0.0);
            } else {
                row = Py_BuildValue("{s:N,s:N,s:N,s:N}", "class", class_name(v, c), "weight", number_of(part.weight),
                                    "mean", number_of(part.mean), "sd", number_of(part.sd));
            }
            if (append_item(list, row) < 0) Py_CLEAR(list);
        }
    return put(record, is_bin ? "bins" : "components", list);
}

/* Adds the families that the setting auto compared. Adds nothing if the family was specified. */
static int add_candidates(const view *v, size_t attribute, PyObject *record) {
    crd_candidate one = CRD_CANDIDATE_INIT;
    if (!crd_classifier_candidate(v->classifier, attribute, 0, &one)) return 0;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && crd_classifier_candidate(v->classifier, attribute, i, &one); i++) {
        PyObject *row = one.left_out != NULL
                            ? Py_BuildValue("{s:s,s:s}", "family", one.family, "left_out", one.left_out)
                            : Py_BuildValue("{s:s,s:N,s:N}", "family", one.family, "score", number_of(one.score),
                                            "standard_error", number_of(one.standard_error));
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    return put(record, "candidates", list);
}

/* Adds the decision boundaries. Adds nothing for families whose curves can cross anywhere, because their boundaries are unknown. */
static int add_cuts(const view *v, size_t attribute, PyObject *record) {
    size_t count = 0, capacity = 0;
    crd_cut_point *cuts = NULL;
    crd_error error;
    if (crd_classifier_cut_points(v->classifier, attribute, NULL, 0, &count, NULL) == CRD_ERROR_COLUMN) return 0;
    do {
        capacity = count == 0 ? 16 : count;
        crd_cut_point *moved = PyMem_Realloc(cuts, capacity * sizeof *cuts);
        if (moved == NULL) {
            PyMem_Free(cuts);
            PyErr_NoMemory();
            return -1;
        }
        cuts = moved;
        if (crd_classifier_cut_points(v->classifier, attribute, cuts, capacity, &count, &error) != CRD_OK) {
            PyMem_Free(cuts);
            return fail(v, &error);
        }
    } while (count > capacity);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (append_item(list, Py_BuildValue("{s:d,s:N,s:N}", "at", cuts[i].at, "below", class_name(v, cuts[i].below),
                                            "above", class_name(v, cuts[i].above))) < 0)
            Py_CLEAR(list);
    PyMem_Free(cuts);
    return put(record, "cuts", list);
}

/* ---- Categories ---- */

static PyObject *probability_of(const view *v, size_t attribute, size_t class_index, crd_text text) {
    const crd_value value = {CRD_TYPE_CATEGORICAL, 0, text};
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    if (crd_classifier_term(v->classifier, attribute, class_index, &value, &term, &error) == CRD_OK)
        return term_probability(&term);
    fail(v, &error);
    return NULL;
}

/* Returns the probabilities of a value under the listed classes. */
static PyObject *probabilities_of(const view *v, size_t attribute, crd_text text, const uint32_t *classes,
                                  size_t count) {
    PyObject *record = PyDict_New();
    for (size_t i = 0; record != NULL && i < count; i++) {
        size_t c = classes == NULL ? i : classes[i];
        PyObject *p = probability_of(v, attribute, c, text);
        if (p == NULL || PyDict_SetItem(record, PyTuple_GetItem(v->class_names, (Py_ssize_t)c), p) < 0)
            Py_CLEAR(record);
        Py_XDECREF(p);
    }
    return record;
}

/* Adds a table of all values and classes. If the table would be very large, it contains only the pairs that occur in rows. */
static int add_values(const view *v, size_t attribute, PyObject *record) {
    enum { MOST_CELLS = 1 << 20 };
    size_t count = v->summary->attributes[attribute].value_count;
    bool is_whole = count <= MOST_CELLS / (v->classes + 1);
    PyObject *all = is_whole ? PyList_New(0) : PyDict_New();
    for (size_t i = 0; all != NULL && i < count; i++) {
        crd_text text = crd_summary_value(v->summary, attribute, i);
        if (is_whole) {
            if (append_item(all, Py_BuildValue("{s:N,s:N}", "value", str_of(text), "probability",
                                               probabilities_of(v, attribute, text, NULL, v->classes))) < 0)
                Py_CLEAR(all);
            continue;
        }
        const uint32_t *classes = NULL;
        size_t seen = crd_summary_value_classes(v->summary, attribute, i, &classes);
        PyObject *name = str_of(text), *row = probabilities_of(v, attribute, text, classes, seen);
        if (name == NULL || row == NULL || PyDict_SetItem(all, name, row) < 0) Py_CLEAR(all);
        Py_XDECREF(name);
        Py_XDECREF(row);
    }
    return put(record, is_whole ? "values" : "seen_values", all);
}

/* ---- Texts ---- */

static PyObject *word_of(const view *v, size_t attribute, size_t class_index, const crd_informative_word *word,
                         double *probabilities) {
    crd_error error;
    if (crd_classifier_word(v->classifier, attribute, word->term, NULL, probabilities, NULL, &error) != CRD_OK) {
        fail(v, &error);
        return NULL;
    }
    PyObject *row =
        Py_BuildValue("{s:N,s:N,s:d,s:d,s:d,s:d,s:d}", "class", class_name(v, class_index), "word", str_of(word->term),
                      "texts", word->documents, "other_texts", word->others, "occurrences", word->occurrences, "weight",
                      word->weight, "divergence", word->divergence);
    if (row != NULL && !isnan(probabilities[class_index]) &&
        put(row, "probability", number_of(probabilities[class_index])) < 0)
        Py_CLEAR(row);
    return row;
}

static PyObject *words_of(const view *v, size_t attribute, const crd_informative_words *words) {
    double *probabilities = PyMem_Malloc((v->classes + 1) * sizeof *probabilities);
    if (probabilities == NULL) return PyErr_NoMemory();
    PyObject *list = PyList_New(0);
    for (size_t c = 0; list != NULL && c < v->classes; c++)
        for (size_t i = 0; list != NULL && i < words->classes[c].count; i++) {
            crd_informative_word word;
            word = words->classes[c].words[i];
            if (append_item(list, word_of(v, attribute, c, &word, probabilities)) < 0) Py_CLEAR(list);
        }
    PyMem_Free(probabilities);
    return list;
}

static PyObject *texts_of_classes(const view *v, const crd_informative_words *words) {
    PyObject *list = PyList_New(0);
    for (size_t c = 0; list != NULL && c < v->classes; c++) {
        double texts = words->classes[c].documents, occurrences = words->classes[c].occurrences;
        PyObject *row = Py_BuildValue("{s:N,s:d,s:d,s:K}", "class", class_name(v, c), "texts", texts, "occurrences",
                                      occurrences, "distinct", (unsigned long long)words->classes[c].distinct);
        if (row != NULL && texts > 0 && put(row, "mean_length", number_of(occurrences / texts)) < 0) Py_CLEAR(row);
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    return list;
}

static int add_texts(const view *v, size_t attribute, PyObject *record) {
    crd_informative_words *words = NULL;
    core_call call;
    call_begin(&call, v->state);
    crd_status status = crd_informative_words_create(v->classifier, attribute, v->words, &words, &call.error);
    bool is_empty = status == CRD_ERROR_EMPTY; /* all training texts were missing */
    if (call_end(&call, is_empty ? CRD_OK : status) < 0 || is_empty) {
        crd_informative_words_destroy(words);
        return is_empty && PyErr_Occurred() == NULL ? 0 : -1;
    }
    int result = put(record, "texts", texts_of_classes(v, words)) < 0 ||
                         put(record, "terms", PyLong_FromUnsignedLongLong(words->terms)) < 0 ||
                         put(record, "terms_counted", PyLong_FromUnsignedLongLong(words->counted)) < 0 ||
                         put(record, "informative_words", words_of(v, attribute, words)) < 0
                     ? -1
                     : 0;
    crd_informative_words_destroy(words);
    return result;
}

/* ---- Attributes ---- */

static PyObject *attribute_record(const view *v, size_t attribute) {
    crd_column_type type = v->summary->attributes[attribute].type;
    crd_family family_facts = CRD_FAMILY_INIT;
    const char *family = crd_classifier_family(v->classifier, attribute, &family_facts) ? family_facts.name : "";
    double weight = crd_classifier_attribute_weight(v->classifier, attribute);
    PyObject *record =
        Py_BuildValue("{s:N,s:s}", "attribute", str_of(v->summary->attributes[attribute].name), "family", family);
    if (record == NULL) return NULL;
    int result = weight != 1 ? put(record, "attribute_weight", number_of(weight)) : 0;
    if (result == 0 && type == CRD_TYPE_NUMERIC)
        result = add_densities(v, attribute, record) < 0 || add_components(v, attribute, record) < 0 ||
                         add_candidates(v, attribute, record) < 0 || add_cuts(v, attribute, record) < 0
                     ? -1
                     : 0;
    /* If an attribute is part of a joint density, the classifier does not use its separate terms. */
    else if (result == 0 && type == CRD_TYPE_CATEGORICAL && crd_classifier_is_joint(v->classifier, attribute) == 0)
        result = add_values(v, attribute, record);
    else if (result == 0 && type == CRD_TYPE_TEXT) result = add_texts(v, attribute, record);
    if (result == 0) return record;
    Py_DECREF(record);
    return NULL;
}

/* Chooses the attributes that match the selectors, or all attributes. */
static int choose_attributes(const view *v, PyObject *selection, bool *is_chosen) {
    size_t count = v->summary->attribute_count, matches = 0, selectors = 0;
    for (size_t i = 0; i < count; i++) is_chosen[i] = selection == Py_None;
    if (selection == Py_None) return 0;
    PyObject *owner;
    crd_text *texts;
    if (texts_of(selection, "of", &texts, &selectors, &owner) < 0) return -1;
    size_t *numbers = PyMem_Malloc((count + 1) * sizeof *numbers);
    int result = numbers == NULL ? -1 : 0;
    if (numbers == NULL) PyErr_NoMemory();
    for (size_t i = 0; result == 0 && i < selectors; i++) {
        crd_error error;
        if (crd_summary_select(v->summary, texts[i], numbers, &matches, &error) != CRD_OK) result = fail(v, &error);
        for (size_t j = 0; result == 0 && j < matches; j++) is_chosen[numbers[j]] = true;
    }
    PyMem_Free(numbers);
    PyMem_Free(texts);
    Py_DECREF(owner);
    return result;
}

static int add_attributes(const view *v, PyObject *selection, PyObject *record) {
    size_t count = v->summary->attribute_count;
    bool *is_chosen = PyMem_Malloc((count + 1) * sizeof *is_chosen);
    if (is_chosen == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *list = choose_attributes(v, selection, is_chosen) < 0 ? NULL : PyList_New(0);
    for (size_t a = 0; list != NULL && a < count; a++)
        if (is_chosen[a] && append_item(list, attribute_record(v, a)) < 0) Py_CLEAR(list);
    PyMem_Free(is_chosen);
    return put(record, "attributes", list);
}

/* ---- Classes against the rest ---- */

typedef struct contrast_line {
    crd_class_contrast contrast;
    size_t attribute;
} contrast_line;

static int by_divergence(const void *a, const void *b) {
    const contrast_line *x = a, *y = b;
    if (x->contrast.divergence != y->contrast.divergence)
        return x->contrast.divergence > y->contrast.divergence ? -1 : 1;
    return (x->attribute > y->attribute) - (x->attribute < y->attribute);
}

static PyObject *contrast_record(const view *v, size_t class_index, const contrast_line *line) {
    const crd_class_contrast *c = &line->contrast;
    crd_text none = {NULL, 0};
    bool is_number = v->summary->attributes[line->attribute].type == CRD_TYPE_NUMERIC;
    bool has_value = !is_number && c->value != SIZE_MAX;
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "class", class_name(v, class_index), "attribute",
                         str_of(v->summary->attributes[line->attribute].name), "divergence", number_of(c->divergence),
                         "mean", number_of(is_number ? c->mean : NAN), "others_mean",
                         number_of(is_number ? c->others_mean : NAN), "standardized_difference",
                         number_of(is_number ? c->standardized_difference : NAN), "value",
                         str_of(has_value ? crd_summary_value(v->summary, line->attribute, c->value) : none),
                         "frequency", number_of(has_value ? c->frequency : NAN), "others_frequency",
                         number_of(has_value ? c->others_frequency : NAN));
}

static int add_contrasts(const view *v, PyObject *record) {
    size_t count = v->summary->attribute_count;
    if (v->summary->class_count < 2) return 0; /* there are no other classes */
    contrast_line *lines = PyMem_Malloc((count + 1) * sizeof *lines);
    PyObject *list = PyList_New(0);
    int result = lines == NULL || list == NULL ? -1 : 0;
    if (lines == NULL) PyErr_NoMemory();
    for (size_t c = 0; result == 0 && c < v->classes; c++) {
        for (size_t a = 0; result == 0 && a < count; a++) {
            crd_error error;
            lines[a] = (contrast_line){CRD_CLASS_CONTRAST_INIT, a};
            if (crd_summary_contrast(v->summary, a, c, &lines[a].contrast, &error) != CRD_OK) result = fail(v, &error);
        }
        if (result == 0 && count > 0) qsort(lines, count, sizeof *lines, by_divergence);
        for (size_t a = 0; result == 0 && a < count; a++) result = append_item(list, contrast_record(v, c, &lines[a]));
    }
    PyMem_Free(lines);
    if (result == 0) return put(record, "contrasts", list);
    Py_XDECREF(list);
    return -1;
}

/* ---- Complete record ---- */

static int add_parts(const view *v, PyObject *selection, bool has_contrasts, PyObject *record) {
    bool has_kept = v->summary->tally_count + v->summary->joint_tally_count > 0;
    return (has_contrasts && add_contrasts(v, record) < 0) ||
                   (has_kept && put(record, "kept", kept_of(v->summary)) < 0) || add_joints(v, record) < 0 ||
                   add_pairs(v, record) < 0 || add_members(v, record) < 0 || add_calibration(v, record) < 0 ||
                   add_attributes(v, selection, record) < 0
               ? -1
               : 0;
}

int show_parts(module_state *state, const crd_summary *summary, const crd_classifier *classifier, PyObject *class_names,
               PyObject *selection, bool has_contrasts, size_t words, PyObject *record) {
    const view v = {.state = state,
                    .summary = summary,
                    .classifier = classifier,
                    .class_names = class_names,
                    .classes = crd_classifier_class_count(classifier),
                    .words = words};
    return add_parts(&v, selection, has_contrasts, record);
}

static int add_all(const view *v, PyObject *selection, bool has_contrasts, PyObject *record) {
    crd_text weight = v->summary->weight;
    return put(record, "target", str_of(v->summary->target)) < 0 ||
                   (weight.bytes != NULL && put(record, "weight", str_of(weight)) < 0) ||
                   put(record, "rows", number_of(v->summary->rows)) < 0 ||
                   put(record, "settings", settings_record(crd_classifier_settings(v->classifier))) < 0 ||
                   put(record, "estimated", estimates_of(v->classifier)) < 0 || add_classes(v, record) < 0 ||
                   add_parts(v, selection, has_contrasts, record) < 0
               ? -1
               : 0;
}

/* show_model(model, classifier, of=None, contrast=False, top_terms=10) */
static PyObject *show_model(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"model", "classifier", "of", "contrast", "top_terms", NULL};
    module_state *state = state_of_module(module);
    PyObject *model_argument, *classifier_argument, *selection = Py_None;
    int has_contrasts = 0;
    Py_ssize_t words = 10;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|Opn", names, &model_argument, &classifier_argument,
                                     &selection, &has_contrasts, &words) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        !check_type(state, classifier_argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    model_object *model = (model_object *)model_argument;
    classifier_object *classifier = (classifier_object *)classifier_argument;
    crd_summary *summary = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_summary_create(model->model, &summary, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) {
        crd_summary_destroy(summary);
        return NULL;
    }
    view v = {.state = state,
              .summary = summary,
              .classifier = classifier->classifier,
              .class_names = classifier->class_names,
              .classes = crd_classifier_class_count(classifier->classifier),
              .words = words > 0 ? (size_t)words : 0};
    PyObject *record = PyDict_New();
    if (summary->class_count != v.classes || summary->attribute_count != crd_classifier_attribute_count(v.classifier)) {
        PyErr_SetString(PyExc_RuntimeError, "the model was changed by another thread");
        Py_CLEAR(record);
    }
    if (record != NULL && add_all(&v, selection, has_contrasts != 0, record) < 0) Py_CLEAR(record);
    crd_summary_destroy(summary);
    return record;
}

PyMethodDef model_show_functions[] = {
    {"show_model", (PyCFunction)(void (*)(void))show_model, METH_VARARGS | METH_KEYWORDS,
     "show_model(model, classifier, of=None, contrast=False, top_terms=10) -> dict"},
    {NULL, NULL, 0, NULL},
};
