// This module declares nothing of its own: the functions are in <sqlite3.h>.
