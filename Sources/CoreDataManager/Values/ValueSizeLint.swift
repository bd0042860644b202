import CoreData

/// A check for values that are too large for their place.
///
/// A value under 100 KB may be in the row of its object. A value under 1 MB may be in a table of its own behind a
/// relationship, so that it is not loaded with the row. A larger value belongs in a file beside the store, by
/// `allowsExternalBinaryDataStorage`.
///
/// ```swift
/// print(try ValueSizeLint().check(storeAt: url, model: model))
/// ```
public struct ValueSizeLint: Sendable {
    /// The greatest number of bytes of a value in a row with other values. The default is 100 KB.
    public var rowLimit = 100 * 1_024
    /// The greatest number of bytes of a value in a table of its own. The default is 1 MB.
    public var tableLimit = 1_024 * 1_024
    /// The number of objects of each entity that are measured; nil for all.
    public var sampleLimit: Int?
    /// The number of small attributes, such as a name and a media type, that a table of its own may have. The default
    /// is 2.
    ///
    /// All relationships of such an entity must be to-one on both sides. Subentities share a table, so all of them
    /// count together.
    public var companionLimit = 2

    /// Makes a check with the default limits, for all objects.
    public init() {}

    /// An attribute whose values are too large for their place, or may become so.
    public struct Finding: Sendable, Equatable {
        /// The change that a finding calls for.
        public enum Remedy: String, Sendable {
            /// No limit applies to the values, which are in a row with other values: limit them, or move the attribute.
            case limitOrMove
            /// Move the attribute to an entity of its own behind a relationship.
            case ownEntity
            /// Allow external storage.
            case externalStorage
            /// Change the text to data with external storage, because a text cannot be stored in a file.
            case externalData
        }

        /// The name of the entity that declares the attribute.
        public var entity: String
        /// The name of the attribute.
        public var attribute: String
        /// The change that helps.
        public var remedy: Remedy
        /// The number of bytes of the largest value; nil for a finding in a model.
        public var largest: Int?
        /// The number of values beyond the limit; nil for a finding in a model.
        public var count: Int?

        /// Makes a finding.
        ///
        /// - Parameters:
        ///   - entity: The name of the entity that declares the attribute.
        ///   - attribute: The name of the attribute.
        ///   - remedy: The change that helps.
        ///   - largest: The number of bytes of the largest value; nil for a finding in a model.
        ///   - count: The number of values beyond the limit; nil for a finding in a model.
        public init(entity: String, attribute: String, remedy: Remedy, largest: Int? = nil, count: Int? = nil) {
            self.entity = entity
            self.attribute = attribute
            self.remedy = remedy
            self.largest = largest
            self.count = count
        }
    }

    /// The findings of a check.
    public struct Report: Sendable, Equatable {
        /// The name of the model or store that was checked.
        public var subject: String
        /// The findings, sorted by entity and attribute.
        public var findings: [Finding]
        /// The number of values that were measured; 0 for a model.
        public var measured: Int
    }

    // MARK: - Models

    /// Checks a model for attributes that can hold values of any size, in a row with other values and without external
    /// storage.
    ///
    /// Such attributes are binary or transformable.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - name: The name of the model in the report.
    /// - Returns: The report.
    public func check(model: NSManagedObjectModel, named name: String = "the model") -> Report {
        var findings: [Finding] = []
        for entity in model.entities {
            for attribute in ownAttributes(of: entity) where attribute.isOpaque {
                guard !attribute.allowsExternalBinaryDataStorage, !isTableOfItsOwn(entity) else { continue }
                findings.append(
                    Finding(entity: entity.name ?? "", attribute: attribute.name, remedy: .limitOrMove))
            }
        }
        return Report(subject: name, findings: findings.sorted(by: Self.order), measured: 0)
    }

    /// The attributes that the entity does not have from its parent, so that each is reported once.
    private func ownAttributes(of entity: NSEntityDescription) -> [NSAttributeDescription] {
        let inherited = entity.superentity?.attributesByName ?? [:]
        return entity.attributesByName.values.filter { inherited[$0.name] == nil && !$0.isTransient }
    }

    /// Whether the entity exists for its large value: it has relationships, and next to no other attributes.
    private func isTableOfItsOwn(_ entity: NSEntityDescription) -> Bool {
        var root = entity
        while let parent = root.superentity { root = parent }
        var (rest, companions, relationships) = ([root], Set<String>(), [NSRelationshipDescription]())
        while let next = rest.popLast() {
            rest += next.subentities
            let small = next.attributesByName.values.filter { !$0.isOpaque && !$0.isTransient }
            companions.formUnion(small.map { "\(Self.owner(of: $0.name, in: next)).\($0.name)" })
            relationships += next.relationshipsByName.values
        }
        return companions.count <= companionLimit && !relationships.isEmpty
            && relationships.allSatisfy { !$0.isToMany && $0.inverseRelationship?.isToMany != true }
    }

    // MARK: - Stores

    /// Measures the binary, transformable and string values of a store. It opens the store read-only.
    ///
    /// The method runs on the calling thread and reads every value, or ``sampleLimit`` objects of each entity. Only a
    /// few objects are in memory at a time.
    ///
    /// - Parameters:
    ///   - url: The address of the store.
    ///   - model: The model of the store.
    ///   - type: The type of the store.
    /// - Returns: The report.
    /// - Throws: Core Data's error if the store does not open with the model, or cannot be read.
    public func check(
        storeAt url: URL, model: NSManagedObjectModel, ofType type: String = NSSQLiteStoreType
    ) throws -> Report {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        var report = Report(subject: url.lastPathComponent, findings: [], measured: 0)
        try context.performAndWait {
            for entity in model.entities where !entity.isAbstract {
                try measure(entity, in: context, into: &report)
            }
        }
        try coordinator.remove(store)
        report.findings = Self.merged(report.findings).sorted(by: Self.order)
        return report
    }

    private static let batchSize = 50

    private func measure(
        _ entity: NSEntityDescription, in context: NSManagedObjectContext, into report: inout Report
    ) throws {
        let attributes = entity.attributesByName.values.filter { ($0.isOpaque || $0.isText) && !$0.isTransient }
        guard !attributes.isEmpty else { return }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
        ids.resultType = .managedObjectIDResultType
        ids.includesSubentities = false
        ids.fetchLimit = sampleLimit ?? 0
        let all = try context.fetch(ids)

        var sizes: [String: (largest: Int, inRow: Int, inTable: Int)] = [:]
        for start in stride(from: 0, to: all.count, by: Self.batchSize) {
            for id in all[start..<min(start + Self.batchSize, all.count)] {
                let object = try context.existingObject(with: id)
                for attribute in attributes {
                    guard let size = attribute.size(of: object) else { continue }
                    report.measured += 1
                    var known = sizes[attribute.name] ?? (0, 0, 0)
                    known.largest = max(known.largest, size)
                    known.inRow += size > rowLimit ? 1 : 0
                    known.inTable += size > tableLimit ? 1 : 0
                    sizes[attribute.name] = known
                }
            }
            // Each batch is released, because otherwise the whole store would be in memory.
            context.reset()
        }
        let isOwnTable = isTableOfItsOwn(entity)
        for attribute in attributes where !attribute.allowsExternalBinaryDataStorage {
            guard let size = sizes[attribute.name] else { continue }
            // The model's attribute may come from a parent entity, in which it has to change.
            let owner = Self.owner(of: attribute.name, in: entity)
            if size.inTable > 0 {
                report.findings.append(
                    Finding(
                        entity: owner, attribute: attribute.name,
                        remedy: attribute.isOpaque ? .externalStorage : .externalData, largest: size.largest,
                        count: size.inTable))
            } else if size.inRow > 0 && !isOwnTable {
                report.findings.append(
                    Finding(
                        entity: owner, attribute: attribute.name, remedy: .ownEntity, largest: size.largest,
                        count: size.inRow))
            }
        }
    }

    private static func owner(of attribute: String, in entity: NSEntityDescription) -> String {
        var owner = entity
        while let parent = owner.superentity, parent.attributesByName[attribute] != nil {
            owner = parent
        }
        return owner.name ?? ""
    }

    /// Merges the findings of all subentities into one for each attribute.
    private static func merged(_ findings: [Finding]) -> [Finding] {
        var result: [String: Finding] = [:]
        for finding in findings {
            let key = "\(finding.entity).\(finding.attribute)"
            guard let known = result[key] else {
                result[key] = finding
                continue
            }
            var sum = known.isForFile || !finding.isForFile ? known : finding
            sum.largest = max(known.largest ?? 0, finding.largest ?? 0)
            // The values beyond the limit of the remedy that is kept.
            sum.count = known.remedy == finding.remedy ? (known.count ?? 0) + (finding.count ?? 0) : sum.count
            result[key] = sum
        }
        return Array(result.values)
    }

    private static func order(_ one: Finding, _ other: Finding) -> Bool {
        (one.entity, one.attribute) < (other.entity, other.attribute)
    }
}

extension NSAttributeDescription {
    /// Whether the attribute's values are bytes of any number.
    fileprivate var isOpaque: Bool {
        attributeType == .binaryDataAttributeType || attributeType == .transformableAttributeType
    }

    fileprivate var isText: Bool { attributeType == .stringAttributeType }

    /// The number of bytes of an object's value; nil without a value, and for a transformed value whose bytes cannot be
    /// found out.
    fileprivate func size(of object: NSManagedObject) -> Int? {
        switch object.value(forKey: name) {
        case let data as Data: return data.count
        case let text as String: return text.utf8.count
        case let value? where attributeType == .transformableAttributeType:
            let name =
                valueTransformerName.map { NSValueTransformerName($0) } ?? .secureUnarchiveFromDataTransformerName
            guard let transformer = ValueTransformer(forName: name) else { return nil }
            // Transformers that unarchive make data in the reverse direction.
            let data =
                transformer is NSSecureUnarchiveFromDataTransformer
                ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
            return (data as? Data)?.count
        default: return nil
        }
    }
}

extension ValueSizeLint.Finding: CustomStringConvertible {
    /// Whether the value belongs in a file.
    fileprivate var isForFile: Bool { remedy == .externalStorage || remedy == .externalData }

    /// A line with the attribute, the finding, and the remedy.
    public var description: String {
        let place = "\(entity).\(attribute)"
        let values =
            count.map { $0 == 1 ? "one value is too large" : "\($0) values are too large" } ?? ""
        let size = largest.map { ", the largest has \(ValueSizeLint.text(bytes: $0))" } ?? ""
        switch remedy {
        case .limitOrMove:
            return "\(place): values of any size lie in the rows; allow external storage, or move the attribute to an "
                + "entity of its own"
        case .ownEntity:
            return "\(place): \(values) for a row\(size); move the attribute to an entity of its own"
        case .externalStorage:
            return "\(place): \(values) for a table\(size); allow external storage"
        case .externalData:
            return "\(place): \(values) for a table\(size); keep it as binary data with external storage"
        }
    }
}

extension ValueSizeLint.Report: CustomStringConvertible {
    /// A line for each finding, or one line if there is none.
    public var description: String {
        let looked = measured > 0 ? " (\(measured) values measured)" : ""
        guard !findings.isEmpty else { return "\(subject): nothing to say about sizes\(looked)" }
        return (["\(subject)\(looked):"] + findings.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension ValueSizeLint {
    static func text(bytes: Int) -> String {
        bytes < 1_024 * 1_024
            ? "\((bytes + 512) / 1_024) KB" : "\((Double(bytes) / 1_048_576 * 10).rounded() / 10) MB"
    }
}
