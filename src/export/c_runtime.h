/* SPDX-License-Identifier: MIT */
/* c_runtime.h - source texts of the functions that exported C files call: densities, joint densities, pooling,
 * calibration. An exported file contains only the functions that its model needs. */
#ifndef CRD_EXPORT_C_RUNTIME_H
#define CRD_EXPORT_C_RUNTIME_H

/* The functions in the order in which they appear in a file. Each function calls only functions before it. */
typedef enum crd_i_c_function {
    CRD_I_C_FIND_SORTED,
    CRD_I_C_FIND,
    CRD_I_C_LOG_SUM_EXP,
    CRD_I_C_CONCLUDE,
    CRD_I_C_SCALED,
    CRD_I_C_NORMAL,
    CRD_I_C_STUDENT,
    CRD_I_C_POISSON,
    CRD_I_C_UNIFORM,
    CRD_I_C_HISTOGRAM,
    CRD_I_C_KERNEL,
    CRD_I_C_MIXTURE,
    CRD_I_C_ELLIPTIC,
    CRD_I_C_JOINT_NORMAL,
    CRD_I_C_JOINT_MIXTURE,
    CRD_I_C_JOINT_TABLE,
    CRD_I_C_ITEM,
    CRD_I_C_AODE,
    CRD_I_C_PAIRS,
    CRD_I_C_TREES,
    CRD_I_C_AVERAGE,
    CRD_I_C_PRODUCT,
    CRD_I_C_VOTE,
    CRD_I_C_PRIOR_RATIO,
    CRD_I_C_SCALING,
    CRD_I_C_ISOTONIC,
    CRD_I_C_FUNCTIONS
} crd_i_c_function;

/* Source text of each function, and the bits of the functions that it calls. */
extern const char *const crd_i_c_texts[CRD_I_C_FUNCTIONS];
extern const unsigned crd_i_c_uses[CRD_I_C_FUNCTIONS];
#endif
