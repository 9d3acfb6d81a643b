/* SPDX-License-Identifier: MIT */
/* text_sampler.h - new texts of a class, drawn from its density under the settings in force.
 *
 *   multinomial       as many words as one of the texts of the class has, each by P(t | c)
 *   words-dirichlet   likewise as an urn of Polya: with i words drawn, the next is one of these, any of them alike, with
 *                     probability i / (s_c + i), else by P(t | c) = a_tc / s_c
 *   bernoulli         each term once with its P(t | c), in the order of the terms
 *
 * Terms that the class never had are drawn by what the family gives them. */
#ifndef CRD_QUERY_TEXT_SAMPLER_H
#define CRD_QUERY_TEXT_SAMPLER_H

#include "base/buffer.h"
#include "density/univariate/term_density.h"
#include "math/random.h"

/* Immutable, shared by threads. */
typedef struct crd_i_text_sampler crd_i_text_sampler;

/* CRD_ERROR_SETTING: the family has scores and no P(t | c). */
CRD_MUST_USE crd_status crd_i_text_sampler_create(const crd_i_term_density *density, crd_i_text_sampler **out,
                                                  crd_error *error);
void crd_i_text_sampler_destroy(crd_i_text_sampler *sampler); /* NULL is fine */

/* Adds the words of a text, with blanks between them. false: out of memory. */
CRD_MUST_USE bool crd_i_text_sampler_draw(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                                          crd_i_buffer *buffer);

#endif
