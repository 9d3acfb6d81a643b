/* SPDX-License-Identifier: MIT */
/* The instruction sets that are detected are the ones that the operating system lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/processor.h"

#include <stdio.h>
#include <string.h>

/* Reads the flags of the first processor from Linux, with a space before and after each. */
static bool read_flags(char *line, int size) {
    bool is_read = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return false;
    while (!is_read && fgets(line, size, file) != NULL) is_read = strncmp(line, "flags", 5) == 0;
    fclose(file);
    if (is_read) line[strcspn(line, "\n")] = ' ';
    return is_read;
}

static void test_features_agree_with_the_system(void **state) {
    (void)state;
    static const struct {
        unsigned feature;
        const char *flag;
    } known[] = {{CRD_I_PROCESSOR_SSE42, " sse4_2 "},
                 {CRD_I_PROCESSOR_POPCNT, " popcnt "},
                 {CRD_I_PROCESSOR_FMA, " fma "},
                 {CRD_I_PROCESSOR_BMI, " bmi1 "},
                 {CRD_I_PROCESSOR_AVX2, " avx2 "},
                 {CRD_I_PROCESSOR_AVX512F, " avx512f "},
                 {CRD_I_PROCESSOR_AVX512DQ, " avx512dq "},
                 {CRD_I_PROCESSOR_AVX512VL, " avx512vl "},
                 {CRD_I_PROCESSOR_AVX512_VPOPCNTDQ, " avx512_vpopcntdq "}};
    char line[16384];
    if (!read_flags(line, sizeof line)) skip();
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(crd_i_processor_has(known[i].feature), strstr(line, known[i].flag) != NULL);
}

static void test_a_set_needs_all_features(void **state) {
    (void)state;
    const unsigned both = CRD_I_PROCESSOR_AVX2 | CRD_I_PROCESSOR_AVX512_VPOPCNTDQ;
    assert_true(crd_i_processor_has(0));
    assert_int_equal(crd_i_processor_has(both), crd_i_processor_has(CRD_I_PROCESSOR_AVX2) &&
                                                    crd_i_processor_has(CRD_I_PROCESSOR_AVX512_VPOPCNTDQ));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_agree_with_the_system),
        cmocka_unit_test(test_a_set_needs_all_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
