#if PostgreSQL
/// Option: `true` for a store whose objects are in tables that another program has made. OpenCoreData only.
///
/// The `userInfo` of the model names the tables and columns. A name that is missing is as in a new store. The
/// values are strings, under these keys of an entity:
///
/// - `PostgreSQLName`: The table.
/// - `PostgreSQLSchema`: The schema of the table.
/// - `PostgreSQLKey`: The column of the key. The default is `id`.
/// - `PostgreSQLVersion`: A column that each change counts up, if there is one.
/// - `PostgreSQLEntity`: The column of the entity's name, if the entity has subentities.
///
/// The key of an attribute and of a to-one relationship is `PostgreSQLName`, the column. A many-to-many
/// relationship has four keys: `PostgreSQLName` and `PostgreSQLSchema` for its table, and `PostgreSQLOwnerColumn`
/// and `PostgreSQLMemberColumn` for the columns.
///
/// The framework compares the tables with the model whenever the store is opened. If they do not fit, it throws
/// `NSPersistentStoreIncompatibleSchemaError` (134020) with a list under ``NSPostgreSQLMismatchesKey``. The
/// framework never changes or drops the tables. It keeps its own data in the schema `coredata`, which the role must
/// have the right to create.
public let NSPostgreSQLExistingTablesOption = "NSPostgreSQLExistingTables"

/// Key of an error's user info: the differences between existing tables and the model, `[String]`. OpenCoreData
/// only.
public let NSPostgreSQLMismatchesKey = "NSPostgreSQLMismatches"
#endif
