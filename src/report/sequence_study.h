/* SPDX-License-Identifier: MIT */
/* sequence_study.h - the sections of a report about a hidden Markov model. */
#ifndef CRD_REPORT_SEQUENCE_STUDY_H
#define CRD_REPORT_SEQUENCE_STUDY_H

#include "report/study.h"

/* Adds sections about the states of the study's model, their transitions and their observations. If there is a reader,
 * also adds scores for its sequences, and the path of one of them. Sets the study's settings and summary. */
CRD_MUST_USE crd_status crd_i_sequence_study(crd_i_study *study, crd_error *error);

#endif
