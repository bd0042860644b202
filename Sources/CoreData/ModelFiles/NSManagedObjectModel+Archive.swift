import Foundation

extension NSManagedObjectModel {
    /// Returns the model in the form of a `.mom` file.
    ///
    /// OpenCoreData only. No file can hold block predicates, sort descriptors without a key, and default values or user
    /// info of a program's own types.
    ///
    /// - Returns: The content of a `.mom` file.
    /// - Throws: An error that names the part of the model that no file can hold.
    public final func archive() throws -> Data { try ModelArchive.encode(self) }

    /// Reads a model from the content of a `.mom` file.
    ///
    /// OpenCoreData only. Any thread may call it, with any bytes.
    ///
    /// - Parameter archive: The content of a `.mom` file.
    /// - Returns: The model, which no coordinator uses yet.
    /// - Throws: An error that describes the problem if the content is no model.
    public static func read(archive: Data) throws -> NSManagedObjectModel { try ModelArchive.decode(archive) }
}
