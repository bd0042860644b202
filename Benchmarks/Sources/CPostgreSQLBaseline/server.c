#include "CPostgreSQLBaseline.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

// Reads a file's beginning; returns how many bytes.
static size_t contents(const char *process, const char *name, char *text, size_t room) {
    char path[300];
    snprintf(path, sizeof(path), "/proc/%s/%s", process, name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t count = fread(text, 1, room - 1, file);
    fclose(file);
    text[count] = 0;
    return count;
}

double postgresql_server_seconds(const char *database) {
    // "postgres: USER DATABASE ADDRESS STATE", where the address of a socket is [local].
    char wanted[128];
    snprintf(wanted, sizeof(wanted), " %s [local]", database);
    DIR *processes = opendir("/proc");
    if (!processes) return 0;
    double seconds = 0;
    struct dirent *entry;
    while ((entry = readdir(processes))) {
        char text[512];
        unsigned long long nanoseconds;
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        if (!contents(entry->d_name, "cmdline", text, sizeof(text)) || strncmp(text, "postgres: ", 10) != 0) continue;
        if (!strstr(text, wanted) || !contents(entry->d_name, "schedstat", text, sizeof(text))) continue;
        if (sscanf(text, "%llu", &nanoseconds) == 1) seconds += (double)nanoseconds / 1e9;
    }
    closedir(processes);
    return seconds;
}
