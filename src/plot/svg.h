/* SPDX-License-Identifier: MIT */
/* svg.h - writes the SVG elements and the escaped text of all pictures. The style follows the page's light or dark
 * theme.
 *
 * The body is written first. Its elements have classes whose names begin with crd-. crd_i_svg_finish then adds the svg
 * element and the style sheet. The rules of the style sheet only apply below the picture's id, which is a hash of the
 * body. Several pictures in one page therefore do not affect each other, and equal pictures are byte-identical. A
 * failed allocation is remembered and reported by crd_i_svg_finish. */
#ifndef CRD_PLOT_SVG_H
#define CRD_PLOT_SVG_H

#include "base/buffer.h"

#include <credence/number.h>
#include <credence/plot.h>
#include <stdbool.h>

typedef struct crd_i_svg {
    crd_i_buffer body, description;
    double width, height; /* size of the picture, in pixels */
    size_t described;     /* number of items in the description */
    bool is_group;        /* the picture is a group of pictures that have their own titles */
    bool has_failed;
} crd_i_svg;

/* Font sizes, in pixels: for labels, for small text, and for headings. */
enum { CRD_I_SVG_TEXT = 12, CRD_I_SVG_SMALL = 10, CRD_I_SVG_HEADING = 14 };
/* Number of colors of series, which are used in turn. */
enum { CRD_I_SVG_COLORS = 8 };

typedef enum crd_i_svg_anchor { CRD_I_SVG_START, CRD_I_SVG_MIDDLE, CRD_I_SVG_END } crd_i_svg_anchor;

/* Begins a picture. Its width comes from the options, or is `width` if they do not set it. Its height starts below the
 * title. Fails with CRD_ERROR_ARGUMENT if the options' size member is not set or their width is out of range. */
CRD_MUST_USE crd_status crd_i_svg_begin(crd_i_svg *svg, crd_context *context, const crd_plot_options *options,
                                        double width, crd_error *error);
/* Completes the picture and sets *out to it; the caller frees *out. `kind` is the title if the options have none. The
 * writer is empty afterwards. */
CRD_MUST_USE crd_status crd_i_svg_finish(crd_i_svg *svg, const crd_plot_options *options, const char *kind, char **out,
                                         crd_error *error);
/* Adds "name: value" to the description, which lists the first items of a picture. It is replaced if the options have a
 * description. */
void crd_i_svg_describe(crd_i_svg *svg, crd_text name, const char *value);
void crd_i_svg_clear(crd_i_svg *svg);

/* Returns the markup for the first character of a text, and sets *length to its number of bytes. Characters that XML
 * forbids or that change the writing direction become U+FFFD. */
crd_text crd_i_svg_escape(crd_text text, size_t *length);
/* Appends markup without escaping it. */
void crd_i_svg_add(crd_i_svg *svg, const char *markup);
/* Appends a coordinate, rounded to two decimals. A coordinate that is not finite becomes 0. */
void crd_i_svg_add_number(crd_i_svg *svg, double value);

/* Draws a rectangle. Class and `number` form the element's class: "crd-s" and 2 give crd-s2. CRD_NONE: use the class
 * only. */
void crd_i_svg_rect(crd_i_svg *svg, const char *class_name, size_t number, double x, double y, double width,
                    double height);
/* Draws a rectangle in the color of a series, with an opacity of `share`, from 0 to 1. */
void crd_i_svg_shade(crd_i_svg *svg, size_t number, double share, double x, double y, double width, double height);
void crd_i_svg_line(crd_i_svg *svg, const char *class_name, double x1, double y1, double x2, double y2);
void crd_i_svg_circle(crd_i_svg *svg, const char *class_name, size_t number, double x, double y, double radius);
/* Draws a text, shortened to `space` pixels. A shortened text has the full text as its tooltip. 0: do not shorten. */
void crd_i_svg_label(crd_i_svg *svg, const char *class_name, crd_i_svg_anchor anchor, double x, double y, crd_text text,
                     double space);
/* Draws "name = note" with its right end at x and the note in a softer color, shortened to `space` pixels. */
void crd_i_svg_label_pair(crd_i_svg *svg, const char *class_name, double x, double y, crd_text name, crd_text note,
                          double space);
/* Returns the width that crd_i_svg_label_pair needs to show the full text. */
double crd_i_svg_pair_width(crd_text name, crd_text note);
/* Opens a group with a tooltip. crd_i_svg_close_group closes it. */
void crd_i_svg_open_group(crd_i_svg *svg, crd_text tooltip);
void crd_i_svg_close_group(crd_i_svg *svg);
/* Opens the path of a series's line. Colors and dash patterns are combined, so 64 series look different. */
void crd_i_svg_open_curve(crd_i_svg *svg, size_t number);
/* Opens a path element, <path class d=" ... "/>. Points follow. */
void crd_i_svg_open_path(crd_i_svg *svg, const char *class_name, size_t number);
void crd_i_svg_point(crd_i_svg *svg, char command, double x, double y);
void crd_i_svg_close_path(crd_i_svg *svg);

/* Returns the estimated width of a text in pixels, at font size CRD_I_SVG_TEXT. */
double crd_i_svg_text_width(crd_text text);

/* ======== Numbers and axes ========
 *
 * These functions format numbers for readers, and compute axes with round ticks. Results do not depend on the
 * locale. */

/* Size of a buffer for a number, a unit or a percent sign, and the terminating zero. */
enum { CRD_I_PLOT_NUMBER_ROOM = 40 };

/* Formats a number to three significant digits, or to a whole number from 100 to a million: "0.0123", "12345",
 * "1.23e7", "−∞", "?" for NaN. Returns `out`. */
const char *crd_i_plot_number(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);
/* Formats a number with its sign: "+1.2", "−0.5", "0". Returns `out`. */
const char *crd_i_plot_signed(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);
/* Formats a probability: "12.3%", "<0.1%", ">99.9%". Returns `out`. */
const char *crd_i_plot_percent(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);

/* An axis that maps the values from `least` to `greatest` to the pixels from `start` to `end`; `end` may be smaller
 * than `start`. Infinite values map to the ends. */
typedef struct crd_i_plot_axis {
    double least, greatest, start, end;
    double step; /* distance between ticks: 1, 2 or 5 times a power of ten */
} crd_i_plot_axis;

/* Starts an axis without a value range. Then call crd_i_plot_axis_cover for all values, and finally
 * crd_i_plot_axis_place. */
void crd_i_plot_axis_begin(crd_i_plot_axis *axis);
void crd_i_plot_axis_cover(crd_i_plot_axis *axis, const double *values, size_t count);
/* Extends the value range of an axis for bars. The range also includes 0, and leaves space for infinite values on their
 * side. */
void crd_i_plot_axis_cover_bars(crd_i_plot_axis *axis, const double *values, size_t count);
/* Sets the pixel range and a tick distance that gives about `ticks` ticks. Widens a value range that is empty or very
 * small. */
void crd_i_plot_axis_place(crd_i_plot_axis *axis, double start, double upper, size_t ticks);
/* Computes the value and the text of a tick, counted from 0. Returns false if the axis has no such tick. */
bool crd_i_plot_axis_tick(const crd_i_plot_axis *axis, size_t number, double *value, char text[CRD_I_PLOT_NUMBER_ROOM]);
double crd_i_plot_axis_at(const crd_i_plot_axis *axis, double value);

/* ======== Frame and legend ========
 *
 * Draws a frame with two axes, ticks and axis names, and the legend of a set of series. */

typedef struct crd_i_plot_axes {
    crd_i_plot_axis x, y;
    double headroom; /* space for labels between the name of the y axis and the frame, in pixels */
} crd_i_plot_axes;

/* Draws the grid, ticks and names of both axes in a frame of the given height, at the current height of the picture.
 * The caller first sets the value ranges of the axes and the headroom. Sets the pixel positions of both axes.
 * Afterwards, the picture's height is below the axis names. */
void crd_i_plot_axes_draw(crd_i_svg *svg, crd_i_plot_axes *axes, double height, crd_text x_name, crd_text y_name);
/* Draws the legend: each series's name with a short piece of its line, in rows. Draws nothing if all names are empty.
 * Afterwards, the picture's height is below the legend. */
void crd_i_plot_axes_legend(crd_i_svg *svg, const crd_plot_series *series, size_t count);

/* ======== Series ========
 *
 * Series are drawn as lines and areas, thinned to the points that are visible. */

/* Checks the sizes of the series. Fails with CRD_ERROR_LIMIT if there are too many series or points. */
CRD_MUST_USE crd_status crd_i_plot_check_series(const crd_plot_series *series, size_t count, crd_error *error);
/* Sets the value range of an axis to the range of all series, by their y values or by their x values. */
void crd_i_plot_cover(crd_i_plot_axis *axis, const crd_plot_series *series, size_t count, bool is_y);
/* Adds the points of a series to an open path. The line is interrupted where a value is NaN. If `base` is not NaN, the
 * path encloses the area between the line and the pixel row `base`. */
void crd_i_plot_line(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, bool is_steps,
                     double base);
/* Draws a series as a line, in the color and dash pattern of its number. Adds its name and number of points to the
 * description. */
void crd_i_plot_curve(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                      bool is_steps);

#endif
