/* SPDX-License-Identifier: MIT */
/* svg.h - the writer of all pictures: elements of SVG, escaped text, and the style that follows the page.
 *
 * The body comes first, in classes whose names begin with crd-; crd_i_svg_finish puts the element and its style sheet around it, whose rules hold
 * below an id alone that is a hash of the body: several pictures in one page leave each other alone, and equal ones are equal to the byte.
 * An allocation that fails is remembered, and reported at the end. */
#ifndef CRD_PLOT_SVG_H
#define CRD_PLOT_SVG_H

#include "base/buffer.h"

#include <credence/plot.h>

typedef struct crd_i_svg {
    crd_i_buffer body, description;
    double width, height; /* of the picture, in pixels */
    size_t described;     /* items of the description */
    bool is_group;        /* of several pictures, which have names of their own */
    bool has_failed;
} crd_i_svg;

/* Sizes of text, in pixels: labels, and the room that a character needs at most in the estimate of widths. */
enum { CRD_I_SVG_TEXT = 12, CRD_I_SVG_SMALL = 10, CRD_I_SVG_HEADING = 14 };
/* Colours of series, in turn. */
enum { CRD_I_SVG_COLOURS = 8 };

typedef enum crd_i_svg_anchor { CRD_I_SVG_START, CRD_I_SVG_MIDDLE, CRD_I_SVG_END } crd_i_svg_anchor;

/* Begins a picture: its width is that of the options, or else `width`, and its height is where the drawing begins, below the title.
 * CRD_ERROR_ARGUMENT where the options have no size, or a width that is out of range. */
CRD_MUST_USE crd_status crd_i_svg_begin(crd_i_svg *svg, crd_context *context, const crd_plot_options *options,
                                        double width, crd_error *error);
/* The whole picture. `kind` is its title where the options have none. The writer is empty afterwards. */
CRD_MUST_USE crd_status crd_i_svg_finish(crd_i_svg *svg, const crd_plot_options *options, const char *kind, char **out,
                                         crd_error *error);
/* Adds "name: value" to the description, which has the first items of a picture where the options have none. */
void crd_i_svg_describe(crd_i_svg *svg, crd_text name, const char *value);
void crd_i_svg_clear(crd_i_svg *svg);

/* Markup as it is. */
void crd_i_svg_add(crd_i_svg *svg, const char *markup);
/* A coordinate, to two decimals; one that is not finite is 0. */
void crd_i_svg_add_number(crd_i_svg *svg, double value);

/* Class and `number` form the class of an element: "crd-s" and 2 are crd-s2; CRD_NONE: the class alone. */
void crd_i_svg_rect(crd_i_svg *svg, const char *class_name, size_t number, double x, double y, double width,
                    double height);
/* A rectangle in the colour of a series, as dense as `share` is, from 0 to 1. */
void crd_i_svg_shade(crd_i_svg *svg, size_t number, double share, double x, double y, double width, double height);
void crd_i_svg_line(crd_i_svg *svg, const char *class_name, double x1, double y1, double x2, double y2);
void crd_i_svg_circle(crd_i_svg *svg, const char *class_name, size_t number, double x, double y, double radius);
/* Text at a place, shortened to `room` pixels with the whole as its tooltip; 0: as long as it is. */
void crd_i_svg_label(crd_i_svg *svg, const char *class_name, crd_i_svg_anchor anchor, double x, double y, crd_text text,
                     double space);
/* "name = note", the note in a softer colour, that ends at x. */
void crd_i_svg_label_pair(crd_i_svg *svg, const char *class_name, double x, double y, crd_text name, crd_text note,
                          double space);
/* What crd_i_svg_label_pair takes. */
double crd_i_svg_pair_width(crd_text name, crd_text note);
/* A group with a tooltip, up to crd_i_svg_close_group. */
void crd_i_svg_open_group(crd_i_svg *svg, crd_text tooltip);
void crd_i_svg_close_group(crd_i_svg *svg);
/* The same for the line of a series: colours and dashes are combined, so that 64 of them differ. */
void crd_i_svg_open_curve(crd_i_svg *svg, size_t number);
/* <path class d=" ... "/>: points follow. */
void crd_i_svg_open_path(crd_i_svg *svg, const char *class_name, size_t number);
void crd_i_svg_point(crd_i_svg *svg, char command, double x, double y);
void crd_i_svg_close_path(crd_i_svg *svg);

/* The estimated width of a text in pixels, at CRD_I_SVG_TEXT. */
double crd_i_svg_text_width(crd_text text);

#endif
