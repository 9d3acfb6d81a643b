/* SPDX-License-Identifier: MIT */
/* sequence_study.h - the part of a report that is about a model of sequences. */
#ifndef CRD_REPORT_SEQUENCE_STUDY_H
#define CRD_REPORT_SEQUENCE_STUDY_H

#include "report/study.h"

/* Sections about the states of the study's model, their transitions and observations; and, where there is a reader, about the sequences of
 * its rows: scores, and the path of one of them. The study gets its settings and its summary. */
CRD_MUST_USE crd_status crd_i_sequence_study(crd_i_study *study, crd_error *error);

#endif
