/* SPDX-License-Identifier: MIT */
/* sequence_part.h - sequences without their labels, for example when labels are classes of whole sequences. */
#ifndef CRD_SEQUENCE_SEQUENCE_PART_H
#define CRD_SEQUENCE_SEQUENCE_PART_H

#include "sequence/data/sequences_internal.h"

/* Creates a selection of all sequences without the target. `sequences` must outlive the selection. */
CRD_MUST_USE crd_status crd_i_sequences_unlabelled(const crd_sequences *sequences, crd_sequences **out,
                                                   crd_error *error);

#endif
