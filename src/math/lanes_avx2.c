/* lanes_avx2.c - lanes for x86 processors that have AVX2. Fused multiply-add is left out on purpose: it would round
 * differently. Vectors of eight (AVX-512) were measured and gain a twentieth, too little for another way. */
#include "math/lanes.h"

#ifdef CRD_I_LANES_AVX2

#include <immintrin.h>

#define LANES 4
#define TARGET __attribute__((target("avx2")))
#define SELECT(test, a, b) ((lanes)_mm256_blendv_pd(b, a, (__m256d)(test)))
#define ANY(v) (_mm256_movemask_pd((__m256d)(v)) != 0)
#define TURN(rows, stride, turned)                                                                                     \
    do {                                                                                                               \
        const double *first = (rows);                                                                                  \
        __m256d row0 = _mm256_loadu_pd(first), row1 = _mm256_loadu_pd(first + (stride));                               \
        __m256d row2 = _mm256_loadu_pd(first + 2 * (stride)), row3 = _mm256_loadu_pd(first + 3 * (stride));            \
        __m256d even01 = _mm256_unpacklo_pd(row0, row1), odd01 = _mm256_unpackhi_pd(row0, row1);                       \
        __m256d even23 = _mm256_unpacklo_pd(row2, row3), odd23 = _mm256_unpackhi_pd(row2, row3);                       \
        (turned)[0] = _mm256_permute2f128_pd(even01, even23, 0x20);                                                    \
        (turned)[1] = _mm256_permute2f128_pd(odd01, odd23, 0x20);                                                      \
        (turned)[2] = _mm256_permute2f128_pd(even01, even23, 0x31);                                                    \
        (turned)[3] = _mm256_permute2f128_pd(odd01, odd23, 0x31);                                                      \
    } while (0)
#include "math/lanes_kernel.h"

static bool is_supported(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

const crd_i_lanes crd_i_lanes_avx2 = {
    .name = "avx2",
    .is_supported = is_supported,
    .exp = exp_all,
    .transpose = transpose,
    .fetch = fetch,
    .all_finite = all_finite,
    .add_parabolas = add_parabolas,
    .decide = decide,
    .conclude = conclude,
};

#endif
