import CoreData
import TestSupport
import Testing

/// Keeps a string backwards.
private final class BackwardsTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? String).map { Data(String($0.reversed()).utf8) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
    }
}

/// A value with a class of its own. Not private: the archiver takes top-level classes only.
final class Colour: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String
    init(_ name: String) { self.name = name }
    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
    }
    func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
}

private final class ColourTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Colour.self] }
}

/// A value whose class the archiver cannot name.
private final class HiddenColour: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}

@Suite("Value transformers", .leavesNothingBehind)
struct ValueTransformerTests {
    private func library(transformer: String?) throws -> (NSPersistentStoreCoordinator, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.attributesByName["keywords"]?.valueTransformerName = transformer
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appendingPathComponent("Library.sqlite"))
        return (coordinator, folder)
    }

    private func roundTrip(_ value: Any, transformer: String?) throws -> (read: Any?, stored: Data?) {
        let (coordinator, folder) = try library(transformer: transformer)
        for isWriting in [true, false] {
            let context = NSManagedObjectContext(.privateQueue)
            let read: Any?? = try context.performAndWait {
                context.persistentStoreCoordinator = coordinator
                if isWriting {
                    context.make("Book", ["keywords": value])
                    try context.save()
                    return nil
                }
                return .some(try context.all("Book").first?.value(forKey: "keywords"))
            }
            if let read {
                let database = try RawDatabase(folder.url.appendingPathComponent("Library.sqlite"))
                guard case .blob(let data)? = try database.column("SELECT ZKEYWORDS FROM ZBOOK").first else {
                    return (read, nil)
                }
                return (read, data)
            }
        }
        return (nil, nil)
    }

    @Test("A registered transformer is found by its name, and is gone when it is removed")
    func registry() {
        let name = NSValueTransformerName("ValueTransformerTests.registry")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = BackwardsTransformer()
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test("The built-in transformers do what their names say")
    func builtIn() throws {
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negate.transformedValue(NSNumber(value: true)) as? Bool == false)
        #expect(negate.reverseTransformedValue(false) as? Bool == true)
        #expect(ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
        #expect(ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(nil) as? Bool == false)
        let secure = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let data = try #require(secure.reverseTransformedValue(["a", "b"]) as? Data)
        #expect(secure.transformedValue(data) as? [String] == ["a", "b"])
        #expect(secure.transformedValue(Data([1, 2, 3])) == nil)
        #expect(secure.reverseTransformedValue(Colour("red")) == nil)
        let keyed = try #require(ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName))
        let colour = try #require(keyed.reverseTransformedValue(Colour("red")) as? Data)
        #expect((keyed.transformedValue(colour) as? Colour)?.name == "red")
        #expect(keyed.reverseTransformedValue(HiddenColour()) == nil)
    }

    @Test("A transformable attribute keeps what its transformer makes of its value, and reads it back through it")
    func ownTransformer() throws {
        let name = "ValueTransformerTests.backwards"
        ValueTransformer.setValueTransformer(BackwardsTransformer(), forName: NSValueTransformerName(name))
        let result = try roundTrip("stressed", transformer: name)
        #expect(result.read as? String == "stressed")
        #expect(result.stored == Data("desserts".utf8))
    }

    @Test("A secure transformer with classes of its own archives and reads them")
    func ownClasses() throws {
        let name = "ValueTransformerTests.colour"
        ValueTransformer.setValueTransformer(ColourTransformer(), forName: NSValueTransformerName(name))
        #expect((try roundTrip(Colour("blue"), transformer: name).read as? Colour)?.name == "blue")
        #expect(try roundTrip(["a": 1], transformer: name).read as? [String: Int] == ["a": 1])
    }

    @Test("Without a transformer only property-list classes are archived; another class stops the save")
    func defaultIsSecure() throws {
        for transformer in [nil, NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue] {
            #expect(try roundTrip(["x": [1, 2]], transformer: transformer).read as? [String: [Int]] == ["x": [1, 2]])
            let error = try #require(throws: NSError.self) { try roundTrip(Colour("red"), transformer: transformer) }
            #expect(error.code == NSCoreDataError)
            #expect(error.localizedDescription.contains("keywords"))
            #expect(error.localizedDescription.contains("NSDictionary"))
        }
    }

    @Test("The name of the secure transformer's constant in a model stands for that transformer")
    func constantsName() throws {
        let result = try roundTrip(["x", "y"], transformer: "NSSecureUnarchiveFromDataTransformerName")
        #expect(result.read as? [String] == ["x", "y"])
        let secure = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        #expect(secure.transformedValue(result.stored) as? [String] == ["x", "y"])
    }

    @Test("A name that no transformer has stops the save and names it")
    func unknownName() throws {
        let error = try #require(throws: NSError.self) { try roundTrip("x", transformer: "Nobody's") }
        #expect(error.localizedDescription.contains("no value transformer named 'Nobody's' is registered"))
    }
}
