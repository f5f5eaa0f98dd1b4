/* out_folder.h - warns about a folder of results that the viewer would not read */
#ifndef CLI_CAPTURE_OUT_FOLDER_H
#define CLI_CAPTURE_OUT_FOLDER_H

/* Prints each problem of the folder to stderr. The folder may not exist yet. */
void out_folder_warn(const char *command, const char *path);

#endif
