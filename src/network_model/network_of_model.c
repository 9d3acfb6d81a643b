/* SPDX-License-Identifier: MIT */
/* network_of_model.c - the network that a model is: as it states it, or as its counts make it. */
#include "network_model/searched_network.h"
#include "network_model/stated_network.h"

crd_status crd_network_from_model(const crd_model *model, const crd_settings *settings, crd_network **out,
                                  crd_error *error) {
    crd_i_schema_view *order;
    *out = NULL;
    if (crd_i_stated_network_of(model) != NULL) return crd_i_stated_network(model, settings, out, error);
    crd_status status = crd_i_model_check_of_rows(model, "be turned into a network", error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &order, error);
    if (status != CRD_OK) return status;
    status = crd_i_network_of_rows(model, settings == NULL ? model->settings : settings, order, NULL, NULL, out, error);
    crd_i_schema_view_destroy(order);
    return status;
}

int crd_model_is_network(const crd_model *model) {
    return crd_i_stated_network_of(model) != NULL || model->settings->method == CRD_I_METHOD_NETWORK;
}
