/* model_compare.c - whether two models have counted the same: taking one out of the other must leave nothing. */
#include "model/merge.h"
#include "model/model_create.h"

#include <credence/evaluate.h>

crd_status crd_model_same_tally(const crd_model *model, const crd_model *other, int *same, crd_error *error) {
    crd_model *left;
    *same = 0;
    crd_status status = crd_i_model_check_of_rows(model, "be compared with rows", error);
    if (status == CRD_OK) status = crd_i_model_check_of_rows(other, "be compared with rows", error);
    if (status == CRD_OK) status = crd_i_model_clone(model, &left, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_subtract_main(left, other, error);
    if (status == CRD_OK) {
        bool is_empty = true;
        for (size_t i = 0; i < left->schema->count; i++) {
            const crd_i_tally *tally = left->variables[i].tally;
            if (tally != NULL && !crd_i_tally_is_empty(tally)) is_empty = false;
        }
        *same = is_empty;
    } else if (status == CRD_ERROR_NOT_LEARNED || status == CRD_ERROR_SCHEMA_DIFFERS) {
        status = CRD_OK;
    }
    crd_model_destroy(left);
    return status;
}
