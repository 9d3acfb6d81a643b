/* SPDX-License-Identifier: MIT */
/* random.c - see random.h. */
#include "math/random.h"

#include "math/exact/limbs.h"
#include "math/functions/elementary.h"

#include <math.h>

/* The multipliers and key increments of the publication. The increments are the golden ratio and sqrt(3) - 1. */
static const uint32_t MULTIPLIER[2] = {0xD2511F53, 0xCD9E8D57};
static const uint32_t KEY_STEP[2] = {0x9E3779B9, 0xBB67AE85};
enum { ROUNDS = 10 };

void crd_i_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t even = (uint64_t)MULTIPLIER[0] * c[0], odd = (uint64_t)MULTIPLIER[1] * c[2];
        c[0] = (uint32_t)(odd >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)odd;
        c[2] = (uint32_t)(even >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)even;
        k[0] += KEY_STEP[0];
        k[1] += KEY_STEP[1];
    }
    for (int i = 0; i < 4; i++) out[i] = c[i];
}

crd_i_random crd_i_random_at(uint64_t seed, uint64_t stream) {
    return (crd_i_random){seed, stream, 0, {0, 0}};
}

uint64_t crd_i_random_bits(crd_i_random *random) {
    uint64_t place = random->place++;
    if (place % 2 == 0) {
        uint64_t index = place / 2;
        uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)}, out[4];
        uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)random->stream,
                               (uint32_t)(random->stream >> 32)};
        crd_i_philox(counter, key, out);
        random->block[0] = (uint64_t)out[1] << 32 | out[0];
        random->block[1] = (uint64_t)out[3] << 32 | out[2];
    }
    return random->block[place % 2];
}

double crd_i_random_uniform(crd_i_random *random) {
    return (double)(crd_i_random_bits(random) >> 11) * 0x1p-53;
}

double crd_i_random_open(crd_i_random *random) {
    return (double)(crd_i_random_bits(random) >> 12) * 0x1p-52 + 0x1p-53;
}

/* Returns the upper half of bits * limit, which treats the bits as a fraction of 2^64. The 2^64 mod limit values of the
 * lower half that would occur once too often are drawn again. */
uint64_t crd_i_random_below(crd_i_random *random, uint64_t limit) {
    uint64_t surplus = (0 - limit) % limit;
    crd_i_limb product;
    do {
        product = crd_i_limb_multiply(crd_i_random_bits(random), limit);
    } while (product.low < surplus);
    return product.high;
}

double crd_i_random_normal(crd_i_random *random) {
    double x, y, square;
    do {
        x = 2 * crd_i_random_open(random) - 1;
        y = 2 * crd_i_random_open(random) - 1;
        square = x * x + y * y;
    } while (square >= 1);
    return x * sqrt(-2 * crd_log(square) / square);
}

/* Marsaglia and Tsang: (shape - 1/3) (1 + z / sqrt(9 shape - 3))^3, z standard normal, is accepted if ln u is below the
 * logarithm of the ratio of the two densities. A shape below 1 is drawn as shape + 1 and multiplied by u^(1/shape). */
double crd_i_random_log_gamma(crd_i_random *random, double shape) {
    double raised = shape < 1 ? shape + 1 : shape;
    double size = raised - 1.0 / 3, slope = 1 / sqrt(9 * size);
    double log_drawn;
    for (;;) {
        double z = crd_i_random_normal(random), root = 1 + slope * z;
        double log_u = crd_log(crd_i_random_open(random));
        if (root <= 0) continue;
        double log_cube = 3 * crd_log(root);
        if (log_u < z * z / 2 + size * (1 - root * root * root + log_cube)) {
            log_drawn = crd_log(size) + log_cube;
            break;
        }
    }
    return shape < 1 ? log_drawn + crd_log(crd_i_random_open(random)) / shape : log_drawn;
}

size_t crd_i_random_choice(crd_i_random *random, const double *cumulative, size_t count) {
    double point = crd_i_random_uniform(random) * cumulative[count - 1];
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cumulative[middle] > point) high = middle;
        else low = middle + 1;
    }
    /* The product may have been rounded up to the total itself. */
    while (low > 0 && cumulative[low] == cumulative[low - 1]) low--;
    return low;
}
