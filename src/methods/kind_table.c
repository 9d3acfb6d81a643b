/* SPDX-License-Identifier: MIT */
/* kind_table.c - the table of all kinds of models: see model/model_internal.h. */
#include "model/model_internal.h"

#include <stddef.h>

const crd_i_model_kind *const crd_i_model_kinds[] = {&crd_i_tallied_kind,          &crd_i_members_kind,
                                                     &crd_i_network_kind,          &crd_i_sequence_kind,
                                                     &crd_i_sequence_classes_kind, NULL};
