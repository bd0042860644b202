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
/// The counts of a file are corrected when their triggers are made. A trigger of another program that has the name of
/// one of Apple's is an error, 134020. A migration of a store with triggers makes those of new derived attributes, too.
/// A migration by a mapping model makes them if the triggers of all derived attributes of the newer version are known.
///
/// Only the triggers for counts of one-to-many relationships, such as `books.@count`, are known. A store with any other
/// derived attribute is refused with 134020 (`NSPersistentStoreIncompatibleSchemaError`), which names the attribute.
public let NSSQLiteDerivedAttributeTriggersOption = "OpenCoreDataSQLiteDerivedAttributeTriggersOption"
