/* html_script.h - the script of a page, made from the files in script/ */
#ifndef LIB_HTML_HTML_SCRIPT_H
#define LIB_HTML_HTML_SCRIPT_H

extern const char html_script[];

#endif
