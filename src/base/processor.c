/* SPDX-License-Identifier: MIT */
/* processor.c - detects instruction sets with the instructions cpuid and xgetbv.
 *
 * cpuid reports what the processor has; xgetbv reports which registers the operating system saves when it switches
 * threads. AVX needs both (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, sections 14.3 and
 * 15.2). */
#include "base/processor.h"

#if defined __x86_64__ || defined __i386__

#include <cpuid.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A bit of cpuid's answer, and the feature that it reports. */
typedef struct {
    unsigned bit;
    unsigned feature;
} processor_bit;

enum {
    LEAF_FEATURES = 1,
    LEAF_EXTENDED_FEATURES = 7,
    BIT_OSXSAVE = 27,    /* leaf 1, ecx: xgetbv exists, and the operating system uses it */
    SAVES_AVX = 0x6,     /* register XCR0: xmm and ymm */
    SAVES_AVX512 = 0xE6, /* also the mask registers and zmm */
};

/* Marks a stored set as detected. */
#define PROCESSOR_IS_DETECTED (UINT32_C(1) << 31)

static unsigned processor_select(unsigned reported, const processor_bit *bits, size_t count) {
    unsigned features = 0;
    for (size_t i = 0; i < count; i++)
        if (reported >> bits[i].bit & 1) features |= bits[i].feature;
    return features;
}

/* The lower half of register XCR0. */
static unsigned processor_saved_registers(void) {
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static unsigned processor_detect(void) {
    static const processor_bit first_ecx[] = {
        {12, CRD_I_PROCESSOR_FMA}, {20, CRD_I_PROCESSOR_SSE42}, {23, CRD_I_PROCESSOR_POPCNT}};
    static const processor_bit extended_ebx[] = {{3, CRD_I_PROCESSOR_BMI},
                                                 {5, CRD_I_PROCESSOR_AVX2},
                                                 {16, CRD_I_PROCESSOR_AVX512F},
                                                 {17, CRD_I_PROCESSOR_AVX512DQ},
                                                 {31, CRD_I_PROCESSOR_AVX512VL}};
    static const processor_bit extended_ecx[] = {{14, CRD_I_PROCESSOR_AVX512_VPOPCNTDQ}};
    const unsigned avx512 = CRD_I_PROCESSOR_AVX512F | CRD_I_PROCESSOR_AVX512DQ | CRD_I_PROCESSOR_AVX512VL |
                            CRD_I_PROCESSOR_AVX512_VPOPCNTDQ;
    unsigned eax, ebx, ecx, edx, features = 0;
    if (!__get_cpuid(LEAF_FEATURES, &eax, &ebx, &ecx, &edx)) return 0;
    features |= processor_select(ecx, first_ecx, sizeof first_ecx / sizeof first_ecx[0]);
    const unsigned saved = ecx >> BIT_OSXSAVE & 1 ? processor_saved_registers() : 0;
    if (__get_cpuid_count(LEAF_EXTENDED_FEATURES, 0, &eax, &ebx, &ecx, &edx)) {
        features |= processor_select(ebx, extended_ebx, sizeof extended_ebx / sizeof extended_ebx[0]);
        features |= processor_select(ecx, extended_ecx, sizeof extended_ecx / sizeof extended_ecx[0]);
    }
    if ((saved & SAVES_AVX) != SAVES_AVX) features &= ~(CRD_I_PROCESSOR_AVX2 | CRD_I_PROCESSOR_FMA | avx512);
    if ((saved & SAVES_AVX512) != SAVES_AVX512) features &= ~avx512;
    return features;
}

/* Detected once, because cpuid takes microseconds in virtual machines. Threads that detect at the same time store the
 * same set. */
bool crd_i_processor_has(unsigned features) {
    static _Atomic uint32_t detected;
    uint32_t set = atomic_load_explicit(&detected, memory_order_relaxed);
    if (set == 0) {
        set = processor_detect() | PROCESSOR_IS_DETECTED;
        atomic_store_explicit(&detected, set, memory_order_relaxed);
    }
    return (set & features) == features;
}

#else

bool crd_i_processor_has(unsigned features) {
    return features == 0;
}

#endif
