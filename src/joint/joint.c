/* joint.c - see joint.h. */
#include "joint/joint.h"

void crd_i_joint_destroy(crd_i_joint *joint) {
    if (joint != NULL) joint->type->destroy(joint);
}
