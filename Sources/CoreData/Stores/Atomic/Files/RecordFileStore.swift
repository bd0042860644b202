import Foundation

/// The framework's stores that are read and written completely. Each is one file of a format, over the base class that
/// programs use, too. Records have numbers, and no number is given twice.
// @unchecked Sendable: `highestNumber` changes while the store loads and saves only, which happens one at a time.
class RecordFileStore: NSAtomicStore, @unchecked Sendable {
    /// The highest number that was given to a record.
    private var highestNumber = 0

    class var format: any RecordFormat.Type { fatalError("\(self) has no format") }

    private final var format: any RecordFormat.Type { Swift.type(of: self).format }

    override var type: String { format.storeType }

    // MARK: Metadata

    override func loadMetadata() throws {
        guard let url else {
            throw NSError.coreData(
                NSPersistentStoreOpenError, reason: "Cannot create a store of type '\(type)' with a nil URL.")
        }
        try StorePlace.requireFileURL(url)
        try Self.requireOwnFile(url)
        if !isReadOnly { WholeFile.sweep(url) }
        if isReadOnly, Self.isNew(url) {
            throw NSError.coreData(
                CocoaError.Code.fileReadNoSuchFile.rawValue, reason: "There is no store to read.", url: url)
        }
        if !Self.isNew(url) { metadata = try Self.read(url, as: format).metadata }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try read(url, as: format).metadata
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        var changed = keeping(try read(url, as: format).metadata, in: metadata)
        changed[NSStoreTypeKey] = format.storeType
        let data = try format.replacingMetadata(changed, in: Data(contentsOf: url))
        try requireOwnFile(url)
        try WholeFile.write(data, to: url)
    }

    /// The number of records in a file.
    override class func recordCount(at url: URL) throws -> Int? { try read(url, as: format).records.count }

    /// Throws if something that is no regular file lies at the URL, because a save would replace it. A store in memory
    /// has no file.
    private static func requireOwnFile(_ url: URL) throws {
        if StorePlace(url) == .file { try FileKind.require(.file, at: url, followsLinks: true) }
    }

    /// Whether there is no file yet, or an empty one.
    private static func isNew(_ url: URL) -> Bool {
        guard StorePlace(url) == .file else { return true }
        return FileKind.size(at: url) == 0
    }

    private static func read(_ url: URL, as format: any RecordFormat.Type) throws -> RecordFile {
        try StorePlace.requireFileURL(url)
        guard StorePlace(url) == .file else { throw StorePlace.missing(url) }
        // Reading a pipe would wait for its writer.
        try FileKind.require(.file, at: url, followsLinks: true, .fileReadCorruptFile)
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            let isThere = FileManager.default.fileExists(atPath: url.path)
            throw NSError.coreData(
                isThere ? CocoaError.Code.fileReadUnknown.rawValue : CocoaError.Code.fileReadNoSuchFile.rawValue,
                reason: isThere ? "The store cannot be read." : "There is no store.", url: url, underlying: error)
        }
        do {
            return try format.read(data)
        } catch let error as NSError {
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "“\(url.lastPathComponent)” is not a store of type '\(format.storeType)': "
                    + error.localizedDescription,
                url: url, underlying: error)
        }
    }

    /// Creates the file of a new store, without records.
    override final func makeFile() throws {
        if let url, Self.isNew(url), !isReadOnly { try save() }
    }

    // MARK: Loading

    override func load() throws {
        guard let url, !Self.isNew(url), let model = storeHost?.modelLayout else { return }
        let file = try Self.read(url, as: format)
        highestNumber = max(file.highestNumber, file.records.map(\.number).max() ?? 0)
        guard highestNumber <= Self.greatestNumber else {
            throw damaged("it has given the number \(highestNumber), after which there is none")
        }
        let spelling = RecordSpelling(format, model)
        let entities = entities(of: model, spelling)
        var nodes: [Int: NSAtomicStoreCacheNode] = [:]
        // The nodes are added in the order of their numbers, which is the order of fetches without sort descriptors.
        let records = file.records.sorted { $0.number < $1.number }
        for record in records {
            guard let layout = entities[record.entity] else {
                throw damaged("it has objects of the entity “\(record.entity)”, which the model does not have")
            }
            let id = objectID(for: layout.entity, withReferenceObject: record.number)
            guard nodes.updateValue(RecordNode(objectID: id), forKey: record.number) == nil else {
                throw damaged("it has two objects with the number \(record.number)")
            }
        }
        for record in records {
            if let node = nodes[record.number] { try fill(node, from: record, nodes, spelling) }
        }
        addCacheNodes(Set(nodes.values))
    }

    /// A limit that leaves numbers for new objects.
    private static let greatestNumber = Int.max / 2

    private func entities(of model: ModelLayout, _ spelling: RecordSpelling) -> [String: EntityLayout] {
        Dictionary(model.entities.map { (spelling.entity($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func damaged(_ reason: String) -> NSError {
        NSError.coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The store “\(url?.lastPathComponent ?? "")” is damaged: \(reason).", url: url)
    }

    private func fill(
        _ node: NSAtomicStoreCacheNode, from record: RecordFile.Record, _ nodes: [Int: NSAtomicStoreCacheNode],
        _ spelling: RecordSpelling
    ) throws {
        let layout = node.objectID.layout
        for slot in layout.slots where slot.isPersistent {
            guard case .attribute(let attribute) = slot.role,
                let stored = record.values[spelling.property(slot.name, of: layout.name)]
            else { continue }
            guard let value = stored.slotValue(slot.kind) else {
                throw damaged("“\(slot.name)” of the object \(record.number) of “\(layout.name)” is no \(slot.kind)")
            }
            var object = value.boxed(as: slot.kind)
            if slot.kind == .transformable, case .data(let data) = value {
                object = TransformableCoding.object(from: data, of: attribute)
            }
            guard let object else { continue }
            if let composite = slot.composite {
                let whole = node.value(forKey: composite.name) as? [String: Any] ?? [:]
                node.setValue(Self.setting(object, at: slot.elementPath[...], in: whole), forKey: composite.name)
            } else {
                node.setValue(object, forKey: slot.name)
            }
        }
        for (name, relationship) in layout.entity.relationshipsByName where !relationship.isTransient {
            guard let numbers = record.links[spelling.property(name, of: layout.name)] else { continue }
            let targets = try numbers.map { number in
                let shown = "“\(name)” of the object \(record.number) of “\(layout.name)” leads to"
                guard let target = nodes[number] else { throw damaged("\(shown) nothing") }
                guard layout.model.mayLead(relationship, to: target.objectKey) else {
                    throw damaged("\(shown) an object of “\(target.objectID.layout.name)”")
                }
                return target
            }
            if !relationship.isToMany {
                node.setValue(targets.first, forKey: name)
            } else {
                node.setValue(
                    relationship.isOrdered ? NSOrderedSet(array: targets) : NSSet(array: targets), forKey: name)
            }
        }
    }

    /// The value of a composite attribute with one element set.
    private static func setting(_ value: Any, at path: ArraySlice<String>, in whole: [String: Any]) -> [String: Any] {
        guard let first = path.first else { return whole }
        var whole = whole
        whole[first] =
            path.count == 1
            ? value : setting(value, at: path.dropFirst(), in: whole[first] as? [String: Any] ?? [:])
        return whole
    }

    // MARK: Nodes

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        highestNumber = max(highestNumber, format.lastReservedNumber) + 1
        return highestNumber
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        // `updateCacheNode` sets the values when all new objects have their nodes.
        RecordNode(objectID: managedObject.objectID)
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for (name, property) in managedObject.entity.propertiesByName where !property.isTransient {
            switch property {
            case let relationship as NSRelationshipDescription:
                let value = managedObject.value(forKey: name)
                if !relationship.isToMany {
                    node.setValue((value as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) }, forKey: name)
                } else if let members = value as? NSOrderedSet {
                    node.setValue(NSOrderedSet(array: self.nodes(of: members.array)), forKey: name)
                } else {
                    node.setValue(NSSet(array: self.nodes(of: (value as? NSSet)?.allObjects ?? [])), forKey: name)
                }
            case is NSAttributeDescription: node.setValue(managedObject.value(forKey: name), forKey: name)
            default: break
            }
        }
    }

    private func nodes(of members: [Any]) -> [NSAtomicStoreCacheNode] {
        members.compactMap { ($0 as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) } }
    }

    // MARK: Saving

    override func save() throws {
        guard let url, StorePlace(url) == .file else { return }
        var file = RecordFile()
        file.metadata = metadata ?? [:]
        file.metadata[NSStoreTypeKey] = type
        file.metadata[NSStoreUUIDKey] = identifier
        file.highestNumber = highestNumber
        let spelling = RecordSpelling(format, storeHost?.modelLayout)
        file.records = try cacheNodes().map { try record(of: $0, spelling) }.sorted { $0.number < $1.number }
        let data = try format.write(file, model: storeHost?.modelLayout)
        try Self.requireOwnFile(url)
        do {
            try WholeFile.write(data, to: url)
        } catch {
            let code = (error as NSError).code
            throw NSError.coreData(
                code == CocoaError.Code.fileWriteOutOfSpace.rawValue ? code : NSPersistentStoreSaveError,
                reason: "The store cannot be written. \(error.localizedDescription)", url: url, underlying: error)
        }
    }

    private func record(of node: NSAtomicStoreCacheNode, _ spelling: RecordSpelling) throws -> RecordFile.Record {
        let layout = node.objectID.layout
        var record = RecordFile.Record(entity: spelling.entity(layout.name), number: number(of: node))
        let row = try RecordReader(layout: layout, key: node.objectKey.key, version: 1).row(
            attribute: { node.value(forKey: $0.name) }, reference: { _ in nil })
        for (index, slot) in layout.slots.enumerated() where slot.isPersistent {
            guard case .attribute = slot.role else { continue }
            record.values[spelling.property(slot.name, of: layout.name)] = FileValue(row.value(index, kind: slot.kind))
        }
        for (name, relationship) in layout.entity.relationshipsByName where !relationship.isTransient {
            let members: [Any]
            switch node.value(forKey: name) {
            case let set as NSOrderedSet: members = set.array
            case let set as NSSet: members = set.allObjects
            case let one?: members = [one]
            case nil: members = []
            }
            // A relationship without an inverse may still have the node of a removed record.
            let numbers = members.compactMap { $0 as? NSAtomicStoreCacheNode }
                .filter { cacheNode(for: $0.objectID) != nil }.map(number)
            record.links[spelling.property(name, of: layout.name)] = relationship.isOrdered ? numbers : numbers.sorted()
        }
        return record
    }

    private func number(of node: NSAtomicStoreCacheNode) -> Int {
        switch referenceObject(for: node.objectID) {
        case let number as Int: number
        case let number as NSNumber: number.intValue
        default: 0
        }
    }
}

/// A store of type `NSBinaryStoreType`.
final class BinaryStore: RecordFileStore, @unchecked Sendable {  // as its base class
    override class var format: any RecordFormat.Type { BinaryRecordFormat.self }
}

/// A store of type `NSXMLStoreType`.
final class XMLStore: RecordFileStore, @unchecked Sendable {  // as its base class
    override class var format: any RecordFormat.Type { XMLRecordFormat.self }
}
