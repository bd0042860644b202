#if PostgreSQL
    /// An option of adding a store of the type `PostgreSQL`, true: its objects lie in tables that are there already,
    /// and that others have made.
    ///
    /// The `userInfo` of the model says where they lie, as texts. Of an entity: `PostgreSQLName`, the table;
    /// `PostgreSQLSchema`, its schema; `PostgreSQLKey`, the column of its key, otherwise `id`; `PostgreSQLVersion`, a
    /// column that is counted up by each change, where there is one; `PostgreSQLEntity`, the column of the entity's
    /// name, where it has subentities. Of an attribute and of a to-one relationship: `PostgreSQLName`, the column. Of a
    /// many-to-many relationship: `PostgreSQLName` and `PostgreSQLSchema`, its table, `PostgreSQLOwnerColumn` and
    /// `PostgreSQLMemberColumn`. What is not said is called as in a new store.
    ///
    /// The tables are compared with the model whenever the store is added. What does not fit is one error,
    /// `NSPersistentStoreIncompatibleSchemaError`; its `userInfo` lists all of it as texts under
    /// ``NSPostgreSQLMismatchesKey``. The tables are neither changed nor dropped; what the framework needs besides lies
    /// in the schema `coredata`, which the role has to be able to create.
    public let NSPostgreSQLExistingTablesOption = "NSPostgreSQLExistingTables"

    /// The key under which the error of a store over existing tables lists what does not fit: `[String]`.
    public let NSPostgreSQLMismatchesKey = "NSPostgreSQLMismatches"
#endif
