/* bundles.h - what a model keeps of several attributes together; see tally/bundle.h.
 *
 * Which bundles a model keeps is settled before its first row, by its settings or by name. They stand in the order of
 * their types, of one type those of all attributes first, then by the columns that they cover; no two are the same. A
 * column of a bundle is settled exactly where the model has cells of it. */
#ifndef CRD_MODEL_BUNDLES_H
#define CRD_MODEL_BUNDLES_H

#include "joint/joint.h"
#include "model/model.h"
#include "model/order.h"

/* The bundle as the classifier sees it: conditions are the classes of the order, and the values of each column those of
 * its view there, both by their places. The order outlives it; closed with _close, which also takes one that was never
 * opened, all zero. */
CRD_MUST_USE crd_status crd_i_bundles_open(const crd_model *model, const crd_i_model_bundle *kept,
                                           const crd_i_order *order, crd_i_bundled *out, crd_error *error);
void crd_i_bundles_close(crd_i_bundled *bundled);

#endif
