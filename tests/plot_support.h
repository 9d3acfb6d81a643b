/* SPDX-License-Identifier: MIT */
/* plot_support.h - a picture of each kind, of names and numbers that a test gives, and whether it is well formed. */
#ifndef PLOT_SUPPORT_H
#define PLOT_SUPPORT_H

#include "model_support.h"

enum { PLOT_KINDS = 14, PLOT_ITEMS = 5 };

/* Two pictures in one. */
static inline crd_status draw_joined(crd_context *context, const crd_plot_bars *bars, const crd_plot_heat_map *heat,
                                     const crd_plot_options *options, char **svg, crd_error *error) {
    char *both[2] = {NULL, NULL};
    *svg = NULL;
    crd_status status = crd_plot_draw_bars(context, bars, options, &both[0], error);
    if (status == CRD_OK) status = crd_plot_draw_heat_map(context, heat, NULL, &both[1], error);
    if (status == CRD_OK) status = crd_plot_join(context, (const char *const *)both, 2, options, svg, error);
    crd_free(context, both[0]);
    crd_free(context, both[1]);
    return status;
}

/* Draws a picture of a kind from 0 to PLOT_KINDS - 1 with PLOT_ITEMS names and numbers, each used in all its places. */
static inline crd_status draw_kind(crd_context *context, int kind, const crd_text *names, const double *numbers,
                                   char **svg, crd_error *error) {
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    options.title = names[0];
    options.description = names[1];
    crd_plot_bar bars[PLOT_ITEMS];
    crd_plot_bin bins[PLOT_ITEMS];
    crd_plot_node nodes[PLOT_ITEMS];
    crd_plot_group groups[2] = {{names[0], bars, PLOT_ITEMS}, {names[1], bars, 1}};
    crd_plot_series series[2] = {{names[0], numbers, numbers, PLOT_ITEMS},
                                 {names[1], numbers, numbers + 1, PLOT_ITEMS - 1}};
    static const crd_plot_arc arcs[] = {{0, 1, 0, NAN}, {0, 2, 0, 0.5}, {1, 3, 0, NAN}, {0, 3, 0, NAN}, {4, 3, 1, NAN}};
    static const int32_t path[PLOT_ITEMS] = {0, 1, 1, -1, 4};
    double square[PLOT_ITEMS * PLOT_ITEMS];
    for (size_t i = 0; i < PLOT_ITEMS; i++) {
        bars[i] = (crd_plot_bar){names[i], names[(i + 1) % PLOT_ITEMS], numbers[i]};
        bins[i] = (crd_plot_bin){numbers[i], numbers[(i + 1) % PLOT_ITEMS], numbers[(i + 2) % PLOT_ITEMS], numbers[i],
                                 numbers[i]};
        nodes[i] = (crd_plot_node)CRD_PLOT_NODE_INIT;
        nodes[i].name = nodes[i].note = names[i];
        nodes[i].kind = (crd_plot_node_kind)(i % 3);
        nodes[i].states = names;
        nodes[i].beliefs = numbers;
        nodes[i].state_count = PLOT_ITEMS;
        nodes[i].evidence = i == 2 ? 1 : CRD_NONE;
        for (size_t k = 0; k < PLOT_ITEMS; k++) square[i * PLOT_ITEMS + k] = numbers[(i + k) % PLOT_ITEMS];
    }
    crd_plot_evidence evidence = {sizeof evidence, bars,     PLOT_ITEMS, numbers[0], numbers[1],
                                  names[2],        names[3], names[4],   3};
    crd_plot_bars plain = {sizeof plain, bars, PLOT_ITEMS, numbers[0] > 0, names[2], 3};
    crd_plot_groups grouped = {sizeof grouped, groups, 2, names[2], 3};
    crd_plot_curves curves = CRD_PLOT_CURVES_INIT;
    curves.series = series;
    curves.count = 2;
    curves.x_name = curves.y_name = names[2];
    curves.reference = CRD_PLOT_HORIZONTAL;
    curves.level = numbers[2];
    const crd_plot_region regions[2] = {{numbers[0], numbers[1], 0}, {numbers[1], numbers[2], 1}};
    const crd_plot_interval shades[2] = {{numbers[0], numbers[3], names[3]}, {numbers[2], numbers[4], names[4]}};
    crd_plot_densities densities = {sizeof densities, series, 2, names[2], numbers, PLOT_ITEMS, regions, 2, NULL, 0, 0};
    crd_plot_densities shaded = {sizeof shaded, series, 1, names[2], NULL, 0, NULL, 0, shades, 2, numbers[0] > 0};
    crd_plot_heat_map heat = {sizeof heat, names, PLOT_ITEMS, square, names[2], 4};
    const crd_plot_scale scales[3] = {{names[0], names, NULL, numbers, PLOT_ITEMS, numbers[0]},
                                      {names[1], NULL, numbers, square + 1, PLOT_ITEMS, numbers[1]},
                                      {names[2], NULL, numbers, numbers, 1, NAN}};
    crd_plot_nomogram nomogram = {sizeof nomogram, scales,     3,          numbers,  numbers,
                                  PLOT_ITEMS,      numbers[3], numbers[4], names[3], 2};
    crd_plot_calibration calibration = {sizeof calibration, bins, PLOT_ITEMS, names[2]};
    crd_plot_confusion confusion = {sizeof confusion, names, PLOT_ITEMS, square};
    crd_plot_table table = {sizeof table, names[2], names, PLOT_ITEMS, names, PLOT_ITEMS, square, 3};
    crd_plot_graph graph = {sizeof graph, nodes, PLOT_ITEMS, arcs, sizeof arcs / sizeof *arcs, 3};
    crd_plot_path steps = {sizeof steps, names, PLOT_ITEMS, PLOT_ITEMS, path, square, numbers, names[2]};
    switch (kind) {
    case 0: return crd_plot_draw_evidence(context, &evidence, &options, svg, error);
    case 1: return crd_plot_draw_bars(context, &plain, &options, svg, error);
    case 2: return crd_plot_draw_groups(context, &grouped, &options, svg, error);
    case 3: return crd_plot_draw_curves(context, &curves, &options, svg, error);
    case 4: return crd_plot_draw_densities(context, &densities, &options, svg, error);
    case 5: return crd_plot_draw_calibration(context, &calibration, &options, svg, error);
    case 6: return crd_plot_draw_confusion(context, &confusion, &options, svg, error);
    case 7: return crd_plot_draw_table(context, &table, &options, svg, error);
    case 8: return crd_plot_draw_graph(context, &graph, &options, svg, error);
    case 9: return crd_plot_draw_path(context, &steps, &options, svg, error);
    case 10: return crd_plot_draw_densities(context, &shaded, &options, svg, error);
    case 11: return crd_plot_draw_heat_map(context, &heat, &options, svg, error);
    case 12: return crd_plot_draw_nomogram(context, &nomogram, &options, svg, error);
    default: return draw_joined(context, &plain, &heat, &options, svg, error);
    }
}

#endif
