#include "CBaseline.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static int inflate_to_file(const void *bytes, int count, FILE *file) {
    z_stream stream;
    memset(&stream, 0, sizeof(stream));
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    unsigned char buffer[65536];
    int status = Z_OK;
    int is_written = 1;
    while (status == Z_OK && is_written) {
        stream.next_out = buffer;
        stream.avail_out = sizeof(buffer);
        status = inflate(&stream, Z_NO_FLUSH);
        size_t made = sizeof(buffer) - stream.avail_out;
        is_written = fwrite(buffer, 1, made, file) == made;
    }
    inflateEnd(&stream);
    return status == Z_STREAM_END && is_written;
}

baseline_result baseline_write_model(const char *store, const char *path) {
    baseline_result result;
    memset(&result, 0, sizeof(result));
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    FILE *file = fopen(path, "wb");
    if (file == NULL || sqlite3_open_v2(store, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT Z_CONTENT FROM Z_MODELCACHE", -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW ||
        !inflate_to_file(sqlite3_column_blob(statement, 0), sqlite3_column_bytes(statement, 0), file)) {
        snprintf(result.error, sizeof(result.error), "the model of the store cannot be written: %s",
                 db ? sqlite3_errmsg(db) : path);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    if (file != NULL) fclose(file);
    return result;
}
