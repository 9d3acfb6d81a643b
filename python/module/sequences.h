/* SPDX-License-Identifier: MIT */
/* sequences.h - what the files about sequences share. */
#ifndef CREDENCE_PYTHON_SEQUENCES_H
#define CREDENCE_PYTHON_SEQUENCES_H

#include "module.h"

/* Sequences, which are immutable; `kept` is what they were read from. */
typedef struct sequences_object {
    core_object head;
    crd_sequences *sequences;
    PyObject *kept;
} sequences_object;

/* A model of sequences under settings, which owns a copy of its model: that may go on learning. */
typedef struct hmm_object {
    core_object head;
    crd_model *model;
    crd_hmm *hmm;
} hmm_object;

/* Classes of whole sequences, as well. */
typedef struct classes_object {
    core_object head;
    crd_model *model;
    crd_sequence_classifier *classifier;
} classes_object;

/* The sequences of an argument; NULL with TypeError. */
const crd_sequences *sequences_of(module_state *state, PyObject *object);

/* What show_model() puts into a record behind the classes: contrasts, components, attributes. `class_names` is a tuple. Returns
 * 0, or -1 with an exception. */
int show_parts(module_state *state, const crd_summary *summary, const crd_classifier *classifier, PyObject *class_names,
               PyObject *of, bool has_contrasts, size_t words, PyObject *record);

#endif
