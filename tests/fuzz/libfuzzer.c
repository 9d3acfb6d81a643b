/* SPDX-License-Identifier: MIT */
/* libfuzzer.c - hands libFuzzer's inputs to the target FUZZ_INPUT. */
#include <stddef.h>
#include <stdint.h>

int FUZZ_INPUT(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    return FUZZ_INPUT(bytes, length);
}
