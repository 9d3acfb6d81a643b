/* bif_tokens.h - a BIF file cut into words and marks, each with its place. */
#ifndef CRD_NETWORK_BIF_TOKENS_H
#define CRD_NETWORK_BIF_TOKENS_H

#include <credence/base.h>

typedef enum crd_i_bif_kind { CRD_I_BIF_END, CRD_I_BIF_WORD, CRD_I_BIF_MARK, CRD_I_BIF_UNCLOSED } crd_i_bif_kind;

/* The latest token, and where the next one is looked for. Copies go on from the same place. */
typedef struct crd_i_bif_tokens {
    const char *at, *end, *line_start;
    uint64_t line_at; /* of `at` */
    crd_i_bif_kind kind;
    crd_text text;
    int is_quoted;
    uint64_t line, column; /* of the token, from 1 */
} crd_i_bif_tokens;

crd_i_bif_tokens crd_i_bif_begin(crd_text bytes);
/* Commas and bars are passed over like blanks. A mark is one of ( ) { } [ ] ; and a comment or a quote that does not
 * end is CRD_I_BIF_UNCLOSED. */
void crd_i_bif_next(crd_i_bif_tokens *tokens);

#endif
