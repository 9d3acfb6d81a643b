/* SPDX-License-Identifier: MIT */
/* text_sampler.h - draws new texts of a class from its text density under the current settings.
 *
 *   multinomial       The number of words is drawn from the training texts of the class. Each word is drawn from
 *                     P(t | c).
 *   words-dirichlet   The number of words is drawn in the same way. Words are drawn from a Polya urn: after i words,
 *                     the next word repeats one of these, each equally likely, with probability i / (s_c + i).
 *                     Otherwise it is drawn from P(t | c) = a_tc / s_c.
 *   bernoulli         Each term occurs once with probability P(t | c), in the order of the terms.
 *
 * A term that never occurred in the class is drawn with the probability that the family assigns to it. */
#ifndef CRD_QUERY_TEXT_SAMPLER_H
#define CRD_QUERY_TEXT_SAMPLER_H

#include "base/buffer.h"
#include "density/univariate/term_density.h"
#include "math/random.h"

/* Immutable, shared by threads. */
typedef struct crd_i_text_sampler crd_i_text_sampler;

/* Creates a sampler. Fails with CRD_ERROR_SETTING if the family has term scores instead of probabilities P(t | c). */
CRD_MUST_USE crd_status crd_i_text_sampler_create(const crd_i_term_density *density, crd_i_text_sampler **out,
                                                  crd_error *error);
void crd_i_text_sampler_destroy(crd_i_text_sampler *sampler); /* NULL is fine */

/* Appends the words of a new text to the buffer, separated by spaces. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_text_sampler_draw(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                                          crd_i_buffer *buffer);

#endif
