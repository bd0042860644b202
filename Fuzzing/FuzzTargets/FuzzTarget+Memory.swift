import CoreData
import Foundation

// What is read from memory, or from a file as a whole.
extension FuzzTarget {
    static let predicate = FuzzTarget(
        "predicate", suffixes: ["predicate"],
        seeds: {
            texts([
                "name == 'a' AND (age > 3 OR NOT flag == YES)", "ANY items.price BETWEEN {1, 2.5e3}",
                "SUBQUERY(items, $i, $i.price > 3).@count > 0", "name LIKE[cd] '*a?' || name MATCHES \"^a+$\"",
                "TERNARY(a > 1, 'x', 'y') IN {'x'}", "FUNCTION(3, 'add:to:', 4) == %@", "%K CONTAINS[n] %@",
                "CAST(1, 'NSDate') < now()", "@sum.a + -2 ** 3 * (4 - 5) / 6 = 0x1F", "$V.a[FIRST] = nil",
                "TRUEPREDICATE AND FALSEPREDICATE", "FETCH($r, $c, NO) == 1", "NONE a.b = 1 AND ALL c.d <> 2",
            ])
        },
        growth: { FuzzGrowth.predicates() }, words: FuzzWords.predicates,
        run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let predicate = try NSPredicate.parse(format: text, arguments: ["name", 7, Date(), nil, [1, 2]])
            _ = "\(predicate)"
            _ = try NSPredicate.parse(format: "\(predicate)")
        })

    static let expression = FuzzTarget(
        "expression",
        seeds: {
            texts(["1 + 2 * 3", "{1, 'a', nil}", "sum(a.b)", "@avg.c", "a[SIZE]", "-(-(-1))", "uppercase('ä')"])
        },
        words: FuzzWords.predicates,
        run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let expression = try NSExpression.parse(format: text, arguments: ["name", 7])
            _ = expression.description
        })

    static let modelSource = FuzzTarget(
        "model-source", suffixes: ["xcdatamodel/contents", "xcdatamodel/elements"],
        seeds: { ["model.xml": Data(FuzzSeeds.modelSource.utf8)] }, growth: { FuzzGrowth.modelSources() },
        words: FuzzWords.xml + FuzzWords.modelSources,
        run: { bytes in
            let model = try FuzzFolder.withFile(bytes, named: "Fuzz.xcdatamodel") {
                try NSManagedObjectModel.read(contentsOf: $0)
            }
            try use(model)
        })

    static let modelArchive = FuzzTarget(
        "model-archive", suffixes: ["mom", "omo"],
        seeds: { ["model.mom": try FuzzModel.make().archive()] },
        run: { bytes in try use(NSManagedObjectModel.read(archive: bytes)) })

    /// Property lists and keyed archives of any objects: what a transformable attribute holds.
    static let transformable = FuzzTarget(
        "transformable", suffixes: ["plist", "xccurrentversion"],
        seeds: {
            let values: [String: Any] = [
                "dictionary": ["a": [1, 2.5, "text", true], "d": Date(timeIntervalSinceReferenceDate: 0)]
                    as NSDictionary,
                "set": NSSet(array: ["a", 1]), "url": NSURL(string: "https://example.org/a")!,
                "uuid": NSUUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E")!,
                "decimal": NSDecimalNumber(string: "-12.345"), "data": NSData(data: Data([1, 2, 3])),
                "ordered": NSOrderedSet(array: ["b", "a"]),
            ]
            let transformer = NSSecureUnarchiveFromDataTransformer()
            return values.compactMapValues { transformer.reverseTransformedValue($0) as? Data }
        },
        growth: { ["overlapping-objects": FuzzGrowth.overlappingObjects()] },
        run: { bytes in
            let transformer = NSSecureUnarchiveFromDataTransformer()
            guard let value = transformer.transformedValue(bytes) else { return }
            _ = transformer.reverseTransformedValue(value)
        })

    static let metadata = FuzzTarget(
        "metadata", suffixes: ["xml", "storedata", "store", "sqlite"],
        seeds: {
            ["xml": try FuzzModel.storeFile(.xml), "binary": try FuzzModel.storeFile(.binary)]
        },
        words: FuzzWords.xml + FuzzWords.xmlStores,
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.store") { file in
                for type in [NSPersistentStore.StoreType.xml, .binary, .sqlite] {
                    guard
                        let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                            type: type, at: file, options: [NSPersistentStoreTimeoutOption: 0.05])
                    else { continue }
                    _ = FuzzModel.make().isConfiguration(
                        withName: nil, compatibleWithStoreMetadata: metadata)
                    _ = NSManagedObjectModel(byMerging: [FuzzModel.make()], forStoreMetadata: metadata)
                    try NSPersistentStoreCoordinator.setMetadata(metadata, type: type, at: file)
                }
            }
        })

    static let mappingArchive = FuzzTarget(
        "mapping-archive", suffixes: ["cdm"], seeds: { ["mapping.cdm": FuzzSeeds.mappingArchive()] },
        run: { bytes in
            try FuzzFolder.withFile(bytes, named: "Fuzz.cdm") { use(NSMappingModel(contentsOf: $0)) }
        })

    static let mappingSource = FuzzTarget(
        "mapping-source", suffixes: ["xcmapping.xml"],
        seeds: { ["mapping.xml": Data(FuzzSeeds.mappingSource.utf8)] }, words: FuzzWords.xml + FuzzWords.xmlStores,
        run: { bytes in
            try FuzzFolder.with { folder in
                // The reader searches the folders above the file for models.
                let deep = folder.appendingPathComponent("a/b/c/d/e/f/g/h", isDirectory: true)
                try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
                let file = deep.appendingPathComponent("xcmapping.xml", isDirectory: false)
                try bytes.write(to: file)
                let model = deep.appendingPathComponent("Fuzz.xcdatamodeld", isDirectory: true)
                try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
                try Data(FuzzSeeds.modelSource.utf8).write(
                    to: model.appendingPathComponent("One.xcdatamodel", isDirectory: false))
                use(NSMappingModel(contentsOf: file))
            }
        })

    static let historyToken = FuzzTarget(
        "history-token",
        seeds: {
            texts(["{\"0F8FAD5B-D9CB-469F-A165-70867728950E\":3}", "{}", "{\"a\":-1,\"b\":9223372036854775807}"])
        },
        run: { bytes in
            let token = try JSONDecoder().decode(NSPersistentHistoryToken.self, from: bytes)
            _ = (token.description, token.hash)
            try FuzzBase.withHistoryStore { context in
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                _ = try context.execute(request)
            }
        })

    /// Names of entities, properties and configurations, and what a store's tables make of them.
    static let names = FuzzTarget(
        "names", seeds: { texts(["Entity\nname\nother", "Z\nz_pk\nZ_PK", "Ä\nü\nselect", "a.b\n@c\n$d"]) },
        run: { bytes in
            let lines = String(decoding: bytes.prefix(400), as: UTF8.self).split(separator: "\n").map(String.init)
            guard let first = lines.first else { return }
            var xml = "<?xml version=\"1.0\"?><model><entity name=\"\(escaped(first))\">"
            for line in lines.dropFirst().prefix(8) {
                xml += "<attribute name=\"\(escaped(line))\" attributeType=\"String\" optional=\"YES\"/>"
            }
            xml += "</entity></model>"
            try FuzzFolder.with { folder in
                let source = folder.appendingPathComponent("Fuzz.xcdatamodel", isDirectory: false)
                try Data(xml.utf8).write(to: source)
                let model = try NSManagedObjectModel.read(contentsOf: source)
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let store = try coordinator.addPersistentStore(
                    type: .sqlite, at: folder.appendingPathComponent("Fuzz.sqlite", isDirectory: false))
                try coordinator.remove(store)
            }
        })

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }

    private static func use(_ model: NSManagedObjectModel) throws {
        _ = model.entityVersionHashesByName
        for entity in model.entities { _ = (entity.description, entity.attributesByName, entity.superentity) }
        let archive = try model.archive()
        _ = try NSManagedObjectModel.read(archive: archive)
        try FuzzStore.make(of: model)
    }

    private static func use(_ mapping: NSMappingModel?) {
        for entity in mapping?.entityMappings ?? [] {
            _ = (entity.name, entity.mappingType, entity.sourceExpression?.description)
            for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
                _ = (property.name, property.valueExpression?.description)
            }
        }
    }

    static func texts(_ texts: [String]) -> [String: Data] {
        Dictionary(uniqueKeysWithValues: texts.enumerated().map { ("seed-\($0.offset)", Data($0.element.utf8)) })
    }
}
