import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

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

    @Test("The built-in transformers act as their names say")
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

    @Test("A transformable attribute stores its transformer's output, and reads it back through it")
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

    @Test("Only property-list classes are archived without a transformer; another class stops the save")
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

    @Test("Decimal numbers in a transformable value are kept, alone, in lists and in dictionaries")
    func decimals() throws {
        let number = NSDecimalNumber(string: "-12345.678901234567890123")
        for transformer in [nil, NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue] {
            #expect(try roundTrip([number, "x"], transformer: transformer).read as? NSArray == [number, "x"])
            #expect(try roundTrip(["a": [number]], transformer: transformer).read as? NSDictionary == ["a": [number]])
        }
        #expect(try roundTrip(number, transformer: nil).read as? NSDecimalNumber == number)
        let keyed = try #require(ValueTransformer(forName: .keyedUnarchiveFromDataTransformerName))
        #expect(keyed.transformedValue(keyed.reverseTransformedValue(number)) as? NSDecimalNumber == number)
    }

    @Test("Decimal numbers in sets, and many lists, come back with their classes")
    func decimalsInSets() throws {
        let number = NSDecimalNumber(string: "0.125")
        let set = try roundTrip(NSSet(array: [[number] as NSArray]), transformer: nil).read as? NSSet
        #expect((set?.anyObject() as? NSArray)?.firstObject as? NSDecimalNumber == number)
        let ordered = NSOrderedSet(array: [["a": number] as NSDictionary, [number] as NSArray])
        let readOrdered = try roundTrip(ordered, transformer: nil).read as? NSOrderedSet
        #expect(readOrdered?.array as NSArray? == ordered.array as NSArray)
        let keyed = NSDictionary(objects: [number], forKeys: [7 as NSNumber])
        #expect(try roundTrip(keyed, transformer: nil).read as? NSDictionary == keyed)

        let points = (0..<200).map { NSArray(array: [$0, $0 * 2]) }
        let list = try roundTrip(NSMutableArray(array: points), transformer: nil).read as? NSMutableArray
        #expect(list == NSArray(array: points))
        // Foundation stops the process at `==` of sets with lists.
        let few = NSSet(array: Array(points.prefix(60)))
        #expect((try roundTrip(few, transformer: nil).read as? NSSet)?.count == 60)
        let sets = NSArray(array: Array(repeating: few, count: 9).map { $0.copy() })
        #expect((try roundTrip(sets, transformer: nil).read as? NSArray)?.count == 9)
        let keys = (0..<300).map { String(repeating: "k", count: 100) + "\($0 + 100)" }
        let long = NSDictionary(objects: keys, forKeys: keys as [NSString])
        #expect(try roundTrip(long, transformer: nil).read as? NSDictionary == long)
        let texts = NSMutableDictionary(dictionary: Dictionary(uniqueKeysWithValues: points.map { ("\($0[0])", $0) }))
        #expect(try roundTrip(texts, transformer: nil).read as? NSMutableDictionary == texts)
    }

    @Test("A set of more than 63 lists of one length is not made")
    func manyListsInSet() throws {
        let secure = NSSecureUnarchiveFromDataTransformer()
        func read(_ count: Int) -> NSSet? {
            let lists = (0..<count).map { NSArray(array: [$0]) }
            return secure.transformedValue(secure.reverseTransformedValue(NSSet(array: lists))) as? NSSet
        }
        #expect(read(63)?.count == 63)
        #expect(read(64) == nil)
    }

    /// Values of every class that the secure transformer allows.
    private static var plainValues: [NSObject] {
        [
            ["a": 1, "b": ["c", "d"], "e": ["f": Date(timeIntervalSinceReferenceDate: 5)]] as NSDictionary,
            [
                1, 2.5, "x", Data([1, 2, 3]), NSURL(fileURLWithPath: "/a"), NSUUID(), NSNull(), Int64.max,
            ] as NSArray, [true, false] as NSArray, NSSet(array: [1, "2"]), "text" as NSString, 7 as NSNumber,
            NSDictionary(objects: ["n", "s"], forKeys: [1 as NSNumber, "t" as NSString]),
            NSMutableArray(array: [NSMutableDictionary(dictionary: ["q": NSMutableString(string: "w")])]),
            NSMutableString(string: "m"), NSArray(), NSDictionary(), NSSet(),
        ]
    }

    @Test("Plain values come back equal, mutable ones mutable")
    func plain() throws {
        let secure = NSSecureUnarchiveFromDataTransformer()
        for value in Self.plainValues {
            let data = try #require(secure.reverseTransformedValue(value) as? Data, "\(value)")
            let read = try #require(secure.transformedValue(data) as? NSObject, "\(value)")
            #expect(read == value)
        }
        // A class that is there and that the transformer does not allow.
        var data = try #require(secure.reverseTransformedValue(["key": "value"] as NSDictionary) as? Data)
        while let name = data.range(of: Data("NSDictionary".utf8)) {
            data.replaceSubrange(name, with: Data("NSObject\0\0\0\0".utf8))
        }
        #expect(secure.transformedValue(data) == nil)
        let mutable = secure.transformedValue(secure.reverseTransformedValue(NSMutableArray(array: [1])))
        (mutable as? NSMutableArray)?.add(2)
        #expect(mutable as? NSArray == [1, 2])
    }

    @Test("A damaged archive gives nothing, or another value; it does not stop the process")
    func damaged() throws {
        let secure = NSSecureUnarchiveFromDataTransformer()
        let archives = Self.plainValues.compactMap { secure.reverseTransformedValue($0) as? Data }
        var nothing = 0
        for seed in Sample.seeds(1_000, long: 100_000) {
            var random = SplitMix(state: UInt64(seed))
            var data = archives[Int.random(in: 0..<archives.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let value = secure.transformedValue(data) as? NSObject
            if value?.isEqual(NSNull()) ?? true { nothing += 1 }
        }
        #expect(nothing > 0)
    }
}
