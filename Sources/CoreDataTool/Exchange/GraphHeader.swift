import CoreData
import Foundation

/// The first line of an export: the facts of the store, its model, and the number of objects that follow.
struct GraphHeader {
    static let version: Int64 = 1
    private static let formatKey = "@coredata"

    let type: String
    let identifier: String?
    /// The entries that the store's program has put into its metadata.
    let metadata: [String: Any]
    let versionHashes: [String: Data]
    /// The content of a `.mom` file; nil if the export has none.
    let model: Data?
    let counts: [(entity: String, count: Int)]
    /// The facts of CloudKit's tables in the store; nil if CloudKit did not mirror it.
    let mirror: StoreInspection.CloudMirror?

    init(
        _ store: ResolvedStore, counts: [(entity: String, count: Int)], mirror: StoreInspection.CloudMirror?
    ) throws {
        self.mirror = mirror
        type = store.address.type
        identifier = store.metadata[NSStoreUUIDKey] as? String
        metadata = Self.own(store.metadata)
        versionHashes = store.model.entityVersionHashesByName
        do {
            model = try ModelArchive.encodeInUse(store.model)
        } catch {
            throw ToolError(error, at: "the model of \(store.shown)")
        }
        self.counts = counts
    }

    /// The metadata that a program has set. Metadata that describes a store is left out: the new store has its own.
    static func own(_ metadata: [String: Any]) -> [String: Any] {
        let prefixes = ["NSStore", "NSPersistence", "NSPersistentStore", "_NS", "OpenCoreData"]
        return metadata.filter { entry in !prefixes.contains { entry.key.hasPrefix($0) } }
    }

    var json: JSON {
        get throws {
            let list =
                metadata.isEmpty
                ? nil : try PropertyListSerialization.data(fromPropertyList: metadata, format: .xml, options: 0)
            let hashes = versionHashes.sorted { $0.key < $1.key }.map { ($0.key, Self.base64($0.value)) }
            let counts = counts.map { ($0.entity, JSON.integer(Int64($0.count))) }
            // With a type, and an element at a time: the compiler takes 16 seconds for one list of all.
            var members: [(String, JSON)] = [(Self.formatKey, .integer(Self.version)), ("store", .string(type))]
            members.append(("identifier", identifier.map { .string($0) } ?? .null))
            members.append(("metadata", Self.base64(list)))
            members.append(("versionHashes", .object(hashes)))
            members.append(("model", Self.base64(model)))
            members.append(("objects", .object(counts)))
            if let mirror { members.append(("mirror", MirrorText(mirror).json)) }
            return .object(members)
        }
    }

    private static func base64(_ data: Data?) -> JSON { data.map { .string($0.base64EncodedString()) } ?? .null }

    // MARK: Reading

    init(_ line: ReadJSON) throws(ReadJSON.Mistake) {
        let members = try line.members("the first line of an export")
        func member(_ name: String) -> ReadJSON? {
            guard let value = members.first(where: { $0.key.string == name })?.value else { return nil }
            if case .null = value.content { return nil }
            return value
        }
        guard let format = member(Self.formatKey) else {
            throw line.mistake("this is no export: '\(Self.formatKey)' is missing")
        }
        let number = try format.integer()
        guard number == Self.version else {
            throw format.mistake("the export is of version \(number); this program reads version \(Self.version)")
        }
        type = try member("store")?.text() ?? ""
        identifier = try member("identifier").map { json throws(ReadJSON.Mistake) in try json.uuid().text() }
        metadata = try member("metadata").map { json throws(ReadJSON.Mistake) in try Self.list(json) } ?? [:]
        model = try member("model").map { json throws(ReadJSON.Mistake) in try Self.data(json) }
        var hashes: [String: Data] = [:]
        for hash in try member("versionHashes")?.members() ?? [] {
            let (key, value) = (hash.key, hash.value)
            hashes[try key.text()] = try Self.data(value)
        }
        versionHashes = hashes
        mirror = try member("mirror").map { json throws(ReadJSON.Mistake) in try Self.mirror(json) }
        var counts: [(entity: String, count: Int)] = []
        guard let objects = member("objects") else { throw line.mistake("'objects' is missing") }
        for member in try objects.members() {
            let (key, value) = (member.key, member.value)
            let count = try value.integer()
            guard count >= 0 else { throw value.mistake("\(count) is no number of objects") }
            counts.append((try key.text(), Int(count)))
        }
        self.counts = counts
    }

    private static func mirror(_ json: ReadJSON) throws(ReadJSON.Mistake) -> StoreInspection.CloudMirror {
        var numbers: [String: Int] = [:]
        for member in try json.members() {
            let (key, value) = (member.key, member.value)
            numbers[try key.text()] = Int(try value.integer())
        }
        return StoreInspection.CloudMirror(
            recordCount: numbers["records"] ?? 0, pendingUploadCount: numbers["pendingUploads"] ?? 0,
            pendingDeletionCount: numbers["pendingDeletions"] ?? 0)
    }

    private static func data(_ json: ReadJSON) throws(ReadJSON.Mistake) -> Data {
        guard let data = Data(base64Encoded: try json.text("a text in base 64")) else {
            throw json.mistake("this is no base 64")
        }
        return data
    }

    private static func list(_ json: ReadJSON) throws(ReadJSON.Mistake) -> [String: Any] {
        let data = try data(json)
        guard let list = MetadataList.dictionary(from: data) else {
            throw json.mistake("these are no metadata")
        }
        return list
    }
}
