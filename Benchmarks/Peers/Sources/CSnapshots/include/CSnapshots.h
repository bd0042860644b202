// Nothing here is for others: the functions stand in <sqlite3.h>.
