/* SPDX-License-Identifier: MIT */
/* joint_density.c - the table of joint density types, and lookup by name. */
#include "density/multivariate/joint_density.h"

#include <string.h>

static const crd_i_joint_type *const types[] = {&crd_i_joint_table, &crd_i_joint_normal, &crd_i_joint_normal_mixture,
                                                &crd_i_joint_a1de, NULL};

const crd_i_joint_type *crd_i_joint_named(const char *name) {
    size_t i = 0;
    while (types[i] != NULL && strcmp(types[i]->name, name) != 0) i++;
    return types[i];
}

void crd_i_joint_destroy(crd_i_joint *joint) {
    if (joint != NULL) joint->type->destroy(joint);
}
