/* SPDX-License-Identifier: MIT */
/* processor.h - which instruction sets of x86 processors this machine has. The library has its own detection because
 * __builtin_cpu_supports is missing in some compilers. */
#ifndef CRD_I_BASE_PROCESSOR_H
#define CRD_I_BASE_PROCESSOR_H

#include <stdbool.h>

/* Instruction sets, as bits of a set. */
enum {
    CRD_I_PROCESSOR_SSE42 = 1 << 0,
    CRD_I_PROCESSOR_POPCNT = 1 << 1,
    CRD_I_PROCESSOR_FMA = 1 << 2,
    CRD_I_PROCESSOR_BMI = 1 << 3,
    CRD_I_PROCESSOR_AVX2 = 1 << 4,
    CRD_I_PROCESSOR_AVX512F = 1 << 5,
    CRD_I_PROCESSOR_AVX512DQ = 1 << 6,
    CRD_I_PROCESSOR_AVX512VL = 1 << 7,
    CRD_I_PROCESSOR_AVX512_VPOPCNTDQ = 1 << 8
};

/* Whether the processor and the operating system support every instruction set of `features`. Always false for other
 * processors than x86. Any thread may call it. */
bool crd_i_processor_has(unsigned features);

#endif
