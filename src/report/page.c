/* SPDX-License-Identifier: MIT */
/* page.c - see study.h. */
#include "report/study.h"

#include "base/error.h"
#include "base/memory.h"

/* The light and dark colors are the same as in pictures (src/plot/svg.c). Print is always light. */
static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--box:#f6f8fa;"
    "--accent:#0a5c99;--watch:#8a4b00;--watch-box:#fff6e5}"
    "@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#a0a9b3;--line:#353c45;"
    "--box:#161b22;--accent:#7cc0f5;--watch:#e3b341;--watch-box:#241c0b}}"
    "*{box-sizing:border-box}"
    "html{background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\","
    "\"DejaVu Sans\",sans-serif;-webkit-text-size-adjust:100%}"
    "body{margin:0 auto;max-width:56rem;padding:1.5rem 1.25rem 4rem;overflow-wrap:anywhere}"
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0 .25rem}h2{font-size:1.35rem;line-height:1.25;margin:0 0 .6rem}"
    "h3{font-size:1.05rem;margin:1.6rem 0 .4rem}"
    "p{margin:.5rem 0 .8rem;max-width:46rem}.soft,figcaption,caption{color:var(--soft)}"
    "section{border-top:1px solid var(--line);margin-top:2.2rem;padding-top:1.4rem}"
    ".summary{border:1px solid var(--line);background:var(--box);border-radius:6px;padding:1rem "
    "1.2rem;margin-top:1.2rem}"
    ".summary p{font-size:1.05rem}.summary h2{font-size:1.1rem}"
    ".watch{border:1px solid var(--watch);background:var(--watch-box);border-radius:6px;padding:.8rem "
    "1.2rem;margin-top:1rem}"
    ".watch h2{font-size:1.1rem;color:var(--watch)}.watch ul{margin:.3rem 0;padding-left:1.2rem}"
    "nav{margin-top:1.2rem}nav ol{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;margin:.2rem "
    "0;padding:0;list-style:none}"
    "a{color:var(--accent)}a:focus-visible,.wide:focus-visible,summary:focus-visible{outline:2px solid var(--accent);"
    "outline-offset:2px}"
    ".wide{overflow-x:auto;margin:.6rem 0 1rem}"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}"
    "caption{text-align:left;padding:.2rem 0 .4rem;caption-side:top}"
    "th,td{text-align:left;vertical-align:top;padding:.28rem .9rem .28rem 0;border-bottom:1px solid var(--line)}"
    "thead th{border-bottom:2px solid var(--line);color:var(--soft);font-weight:600;vertical-align:bottom}"
    "tbody th{font-weight:500}td,tbody th{max-width:26rem}.n{text-align:right}td.n{white-space:nowrap}"
    "tr.chosen{background:var(--box)}tr.chosen th{font-weight:700}"
    "figure{margin:.8rem 0 1.1rem}figure svg{max-width:100%;height:auto;display:block}"
    "figcaption{font-size:.875rem;max-width:46rem;margin-top:.3rem}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 "
    "1.5rem;align-items:start}"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:1rem 0;padding:0}"
    ".facts div{border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem}"
    ".facts dt{color:var(--soft);font-size:.8rem}.facts dd{margin:0;font-size:1.3rem;font-weight:600;line-height:1.3;"
    "font-variant-numeric:tabular-nums}.facts small{display:block;color:var(--soft);font-weight:400;font-size:.78rem}"
    "pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;white-space:pre-wrap;"
    "font:.85rem/1.5 ui-monospace,\"DejaVu Sans Mono\",monospace}"
    "details{margin:.6rem 0}summary{cursor:pointer;color:var(--accent)}"
    "@page{margin:16mm 14mm}"
    "@media print{:root{color-scheme:light;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--box:#f6f8fa;"
    "--accent:#1f2328;--watch:#8a4b00;--watch-box:#fff6e5}html{font-size:10.5pt}body{max-width:none;padding:0}"
    "figure,tr,.facts,.summary,.watch,pre{break-inside:avoid}h1,h2,h3,caption,thead{break-after:avoid}ul{break-before:"
    "avoid}"
    ".pair{display:block;orphans:1;widows:1}.pair "
    "figure{display:inline-block;vertical-align:top;width:48%;margin-right:1.5%}nav{display:none}a{color:inherit;text-"
    "decoration:none}.wide{overflow:visible}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

crd_status crd_i_page_begin(crd_i_page *page, crd_context *context, const crd_report_options *options,
                            crd_error *error) {
    *page = (crd_i_page){.context = context, .options = CRD_REPORT_OPTIONS_INIT};
    crd_i_html *const writers[] = {&page->summary, &page->warnings, &page->contents, &page->body};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) writers[i]->bytes.context = context;
    if (options != NULL && !crd_i_copy_in(options, &page->options, sizeof page->options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options of the report have no size");
    return CRD_OK;
}

void crd_i_page_clear(crd_i_page *page) {
    crd_i_html_clear(&page->summary);
    crd_i_html_clear(&page->warnings);
    crd_i_html_clear(&page->contents);
    crd_i_html_clear(&page->body);
}

/* ---- Parts ---- */

void crd_i_page_open_section(crd_i_page *page, const char *id, const char *title) {
    crd_i_html_add(&page->contents, "<li><a href=\"#%s\">%s</a></li>", id, title);
    crd_i_html_add(&page->body, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

void crd_i_page_close_section(crd_i_page *page) {
    crd_i_html_add(&page->body, "</section>\n");
}

crd_i_html *crd_i_page_begin_warning(crd_i_page *page) {
    page->warning_count++;
    crd_i_html_add(&page->warnings, "<li>");
    return &page->warnings;
}

void crd_i_page_end_warning(crd_i_page *page) {
    crd_i_html_add(&page->warnings, "</li>\n");
}

crd_status crd_i_page_excuse(crd_i_page *page, const char *description, crd_status status, const crd_error *error) {
    switch (status) {
    case CRD_OK: return CRD_OK;
    case CRD_ERROR_EMPTY:
    case CRD_ERROR_LIMIT:
    case CRD_ERROR_SETTING:
    case CRD_ERROR_COLUMN:
    case CRD_ERROR_PROBABILITY:
    case CRD_ERROR_WEIGHT:
    case CRD_ERROR_NOT_CONVERGED:
    case CRD_ERROR_SCHEMA_DIFFERS:
        crd_i_html_add(&page->body, "<p class=\"soft\">Left out: %s. The reason: %s.</p>\n", description,
                       error->message);
        return CRD_OK;
    default: return status;
    }
}

crd_status crd_i_page_picture(crd_i_page *page, crd_status status, char *svg, const char *caption,
                              const crd_error *error) {
    if (status == CRD_OK) crd_i_html_picture(&page->body, svg, caption);
    return crd_i_page_excuse(page, "a picture", status, error);
}

crd_plot_options crd_i_page_plot(const char *title, double width) {
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    if (title != NULL) options.title = crd_text_of(title);
    options.width = width;
    return options;
}

/* ---- The document ---- */

/* Appends the head of the document and its title. */
static void page_add_head(crd_i_html *out, const crd_i_page *page, const crd_i_html *title) {
    /* The policy forbids scripts and requests, so browsers enforce that the page has none. */
    crd_i_html_add(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    crd_i_html_add(out, "<meta name=\"generator\" content=\"Credence %s\">\n<title>", crd_version());
    if (page->options.title.length > 0) crd_i_html_add(out, "%w", page->options.title);
    else crd_i_html_join(out, title->bytes.bytes, title->bytes.length);
    crd_i_html_add(out, "</title>\n<style>");
    crd_i_html_join(out, style, sizeof style - 1);
    crd_i_html_add(out, "</style>\n</head>\n<body>\n<header><h1>");
    if (page->options.title.length > 0) crd_i_html_add(out, "%w", page->options.title);
    else crd_i_html_join(out, title->bytes.bytes, title->bytes.length);
    crd_i_html_add(out, "</h1>\n");
}

/* Appends the body of the document: subject, summary, warnings, contents and sections. */
static void add_body(crd_i_html *out, const crd_i_page *page, const char *subject) {
    crd_i_html_add(out, "<p class=\"soft\">%s", subject);
    if (page->options.name.length > 0) crd_i_html_add(out, " of %t", page->options.name);
    if (page->options.date.length > 0) crd_i_html_add(out, ", %t", page->options.date);
    crd_i_html_add(out, "</p></header>\n<main>\n<div class=\"summary\"><h2>Summary</h2>\n");
    crd_i_html_join(out, page->summary.bytes.bytes, page->summary.bytes.length);
    crd_i_html_add(out, "</div>\n");
    if (page->warning_count > 0) {
        crd_i_html_add(out, "<div class=\"watch\"><h2>Warnings</h2><ul>\n");
        crd_i_html_join(out, page->warnings.bytes.bytes, page->warnings.bytes.length);
        crd_i_html_add(out, "</ul></div>\n");
    }
    crd_i_html_add(out, "<nav aria-label=\"Contents\"><ol>");
    crd_i_html_join(out, page->contents.bytes.bytes, page->contents.bytes.length);
    crd_i_html_add(out, "</ol></nav>\n");
    crd_i_html_join(out, page->body.bytes.bytes, page->body.bytes.length);
    crd_i_html_add(out, "</main>\n</body>\n</html>\n");
}

crd_status crd_i_page_finish(crd_i_page *page, const crd_i_html *title, const char *subject, char **html,
                             crd_error *error) {
    crd_i_html out = {.bytes = {.context = page->context}};
    page_add_head(&out, page, title);
    add_body(&out, page, subject);
    crd_i_html_join(&out, "", 1);
    bool has_failed = out.has_failed || title->has_failed || page->summary.has_failed || page->warnings.has_failed ||
                      page->contents.has_failed || page->body.has_failed;
    crd_i_page_clear(page);
    if (has_failed) {
        crd_i_html_clear(&out);
        return crd_i_fail_memory(error);
    }
    *html = (char *)out.bytes.bytes;
    return CRD_OK;
}
