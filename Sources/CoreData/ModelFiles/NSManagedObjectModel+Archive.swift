import Foundation

extension NSManagedObjectModel {
    /// The model as a `.mom` file holds it. An addition to Apple's API.
    ///
    /// - Throws: an error that names what no file can hold: block predicates, sort descriptors without a key, default
    ///   values or user info of a program's own types.
    public final func archive() throws -> Data { try ModelArchive.encode(self) }

    /// The model in the content of a `.mom` file; nobody uses it yet. An addition to Apple's API.
    ///
    /// May be called on any thread, with any bytes.
    ///
    /// - Throws: an error that says what is wrong, for what is no model.
    public static func read(archive: Data) throws -> NSManagedObjectModel { try ModelArchive.decode(archive) }
}
