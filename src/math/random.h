/* SPDX-License-Identifier: MIT */
/* random.h - counter-based random numbers: a function of seed, stream and position, without any other state.
 *
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011) encrypts a counter
 * under a key. Here the key is the seed. The counter consists of a stream number, one per row or draw, and a position
 * in the stream. Row 1,000,000 can therefore be drawn without drawing the rows before it, by any thread, and every
 * machine computes the same bits. */
#ifndef CRD_MATH_RANDOM_H
#define CRD_MATH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Computes one Philox block of 128 bits. */
void crd_i_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A position in a stream. A copy continues from the same position with the same numbers. */
typedef struct crd_i_random {
    uint64_t seed, stream;
    uint64_t place;    /* position of the next 64 bits, in block place / 2 */
    uint64_t block[2]; /* that block, if place is odd */
} crd_i_random;

crd_i_random crd_i_random_at(uint64_t seed, uint64_t stream);

uint64_t crd_i_random_bits(crd_i_random *random);
/* Returns a uniform multiple of 2^-53 in [0, 1). */
double crd_i_random_uniform(crd_i_random *random);
/* Returns a uniform odd multiple of 2^-54. Both the result and 1 minus the result are in (0, 1). */
double crd_i_random_open(crd_i_random *random);
/* Returns a uniform integer in 0 .. limit - 1; limit > 0. */
uint64_t crd_i_random_below(crd_i_random *random, uint64_t limit);
/* Returns a standard normal variate, by Marsaglia's polar method. */
double crd_i_random_normal(crd_i_random *random);
/* Returns the logarithm of a gamma variate with scale 1 (Marsaglia and Tsang 2000). With a small shape, many variates
 * are below the smallest double, but their logarithms are not. */
double crd_i_random_log_gamma(crd_i_random *random, double shape);
/* Returns an index with probability proportional to its weight. cumulative[i] is the sum of weights 0 .. i; the last
 * one is > 0. Indices with weight 0 are never drawn. */
size_t crd_i_random_choice(crd_i_random *random, const double *cumulative, size_t count);

#endif
