/* SPDX-License-Identifier: MIT */
/* random.h - random numbers that are a function of seed, stream and place, with no state but a counter.
 *
 * Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011) encrypts a counter
 * under a key. Here the key is the seed, and the counter a stream number, one a row or draw, beside a place in the
 * stream. So row 1,000,000 is drawn without drawing those before it, any thread may draw it, and every machine gets the
 * same bits. */
#ifndef CRD_MATH_RANDOM_H
#define CRD_MATH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The function itself: a block of 128 bits. */
void crd_i_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A place in a stream. Copies go on from the same place, alike. */
typedef struct crd_i_random {
    uint64_t seed, stream;
    uint64_t place;    /* of the next 64 bits; block place / 2 has them */
    uint64_t block[2]; /* that block, where place is odd */
} crd_i_random;

crd_i_random crd_i_random_at(uint64_t seed, uint64_t stream);

uint64_t crd_i_random_bits(crd_i_random *random);
/* A multiple of 2^-53 in [0, 1). */
double crd_i_random_uniform(crd_i_random *random);
/* An odd multiple of 2^-54: in (0, 1), and so is 1 minus it. */
double crd_i_random_open(crd_i_random *random);
/* 0 .. limit - 1, each as likely as the other; limit > 0. */
uint64_t crd_i_random_below(crd_i_random *random, uint64_t limit);
/* Standard normal, by the polar method. */
double crd_i_random_normal(crd_i_random *random);
/* The logarithm of a gamma variate of scale 1 (Marsaglia and Tsang 2000): of small shapes many are below the least
 * double, their logarithms are not. */
double crd_i_random_log_gamma(crd_i_random *random, double shape);
/* An index with probability in proportion to its weight; cumulative[i] is the sum of weights 0 .. i, the last > 0.
 * Indices of weight 0 are never drawn. */
size_t crd_i_random_choice(crd_i_random *random, const double *cumulative, size_t count);

#endif
