/* SPDX-License-Identifier: MIT */
/* text_sampler.h - new texts of a class: as many words as one of its texts has, each drawn from the words of the class.
 *
 *   P(t | c) = (n_tc + A) / (n_c + A V)
 *
 * n_tc are the occurrences of the term in texts of the class, n_c those of all terms that count, V their number, and A
 * the setting term-smoothing: whatever the family, words are drawn one by one. */
#ifndef CRD_QUERY_TEXT_SAMPLER_H
#define CRD_QUERY_TEXT_SAMPLER_H

#include "base/buffer.h"
#include "density/univariate/term_density.h"
#include "math/random.h"

/* Immutable, shared by threads. */
typedef struct crd_i_text_sampler crd_i_text_sampler;

CRD_MUST_USE crd_status crd_i_text_sampler_create(const crd_i_term_density *density, crd_i_text_sampler **out,
                                                  crd_error *error);
void crd_i_text_sampler_destroy(crd_i_text_sampler *sampler); /* NULL is fine */

/* Adds the words of a text, with blanks between them. false: out of memory. */
CRD_MUST_USE bool crd_i_text_sampler_draw(const crd_i_text_sampler *sampler, size_t condition, crd_i_random *random,
                                          crd_i_buffer *to);

#endif
