/// The option that makes Apple's triggers for derived attributes in a SQLite store; false if it is absent.
///
/// OpenCoreData only. Without the triggers a save by Apple's framework leaves derived attributes as they are. Opening a
/// store for writing makes the triggers that its file does not have, with a value of true. It also archives the store's
/// model anew if an earlier version of this library archived it in a form of its own. The option concerns stores of the
/// type ``NSSQLiteStoreType`` in files, and has no effect on other stores and on read-only ones.
///
/// Apple's triggers call functions that only Apple's framework and this library register. Another program that writes
/// to a table with such a trigger gets SQLite's error "no such function", with the name
/// `NSCoreDataDATriggerUpdatedAffectedObjectValue`.
///
/// A migration keeps the triggers of tables and columns that stay, and drops them all if the number of an entity
/// changes. Open the store with the option again after a migration. The values in the file have to be right before:
/// `coredata verify` compares them, and `coredata repair` computes them anew.
///
/// Only the triggers for counts of one-to-many relationships, such as `books.@count`, are known. A store with any other
/// derived attribute is refused with 134020 (`NSPersistentStoreIncompatibleSchemaError`), which names the attribute.
public let NSSQLiteDerivedAttributeTriggersOption = "OpenCoreDataSQLiteDerivedAttributeTriggersOption"
