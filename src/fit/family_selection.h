/* family_selection.h - the family auto: which family a number column has, by how well each tells the classes of rows that were
 * held out. */
#ifndef CRD_FIT_FAMILY_SELECTION_H
#define CRD_FIT_FAMILY_SELECTION_H

#include "model/model_internal.h"

typedef struct crd_i_candidate {
    const crd_i_family *family;
    char left_out[120]; /* why it was not considered; "": it was */
    bool is_chosen;
    double score, standard_error; /* of the mean of the scores of the rows held out */
} crd_i_candidate;

/* All families of numbers, in the order of their table. */
typedef struct crd_i_comparison {
    crd_context *context;
    size_t count;
    const crd_i_family *chosen;
    crd_i_candidate each[];
} crd_i_comparison;

/* Chooses for a column that has a tally; `classes` are those of the view's conditions. CRD_ERROR_SETTING where the
 * model did not keep the grid. */
CRD_MUST_USE crd_status crd_i_family_selection(const crd_model *model, size_t column, const crd_i_view *view,
                                               const crd_i_dictionary *classes, const crd_settings *settings,
                                               crd_i_comparison **out, crd_error *error);
void crd_i_comparison_destroy(crd_i_comparison *comparison); /* NULL is fine */

#endif
