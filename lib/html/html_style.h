/* html_style.h - the style sheet of a page, made from the files in style/ */
#ifndef LIB_HTML_HTML_STYLE_H
#define LIB_HTML_HTML_STYLE_H

extern const char html_style[];

#endif
