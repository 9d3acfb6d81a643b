/* SPDX-License-Identifier: MIT */
/* sequences.h - declarations that the sequence files share. */
#ifndef CREDENCE_PYTHON_SEQUENCES_H
#define CREDENCE_PYTHON_SEQUENCES_H

#include "module.h"

/* Immutable sequences. `kept` holds the object that they were read from. */
typedef struct sequences_object {
    core_object head;
    crd_sequences *sequences;
    PyObject *kept;
} sequences_object;

/* A hidden Markov model with settings. It owns a copy of the model, because the original can continue to learn. */
typedef struct hmm_object {
    core_object head;
    crd_model *model;
    crd_hmm *hmm;
} hmm_object;

/* A classifier of whole sequences. It also owns a copy of the model. */
typedef struct classes_object {
    core_object head;
    crd_model *model;
    crd_sequence_classifier *classifier;
} classes_object;

/* Returns the sequences of an argument; NULL with TypeError if it has another type. */
const crd_sequences *sequences_of(module_state *state, PyObject *object);

/* Adds the fields of show_model() that come after the classes: contrasts, components, attributes. `class_names` is a tuple. Returns
 * 0, or -1 with an exception. */
int show_parts(module_state *state, const crd_summary *summary, const crd_classifier *classifier, PyObject *class_names,
               PyObject *selection, bool has_contrasts, size_t words, PyObject *record);

#endif
