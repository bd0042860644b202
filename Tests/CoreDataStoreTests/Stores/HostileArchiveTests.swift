import CoreData
import Foundation
import Synchronization
import TestSupport
import Testing

/// A class that nothing allows. It counts how many of it were made of archives.
final class Intruder: NSObject, NSSecureCoding {
    static let made = Mutex(0)
    static var supportsSecureCoding: Bool { true }

    override init() {}

    init?(coder: NSCoder) { Self.made.withLock { $0 += 1 } }

    func encode(with coder: NSCoder) {}
}

/// Allows what is allowed anyway, and shades.
final class ShadesTransformer: NSSecureUnarchiveFromDataTransformer {
    static let name = NSValueTransformerName("ShadesTransformer")

    override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Shade.self] }
}

/// Archives in a store that hold other classes than an attribute's transformer allows.
@Suite("An archive makes no object of a class that is not allowed", .serialized)
struct HostileArchiveTests {
    /// An archive, with another name for the intruder's class where one is given.
    private static func archive(_ object: NSObject, as name: String?) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        if let name { archiver.setClassName(name, for: Intruder.self) }
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        return archiver.encodedData
    }

    @Test(
        "The object, a member of a list, a key, a value and a member of a set, each of a class that exists or not",
        arguments: [nil, ShadeTransformer.name.rawValue, ShadesTransformer.name.rawValue], [nil, "NoSuchClass"])
    func classes(_ transformer: String?, _ name: String?) throws {
        ValueTransformer.setValueTransformer(ShadesTransformer(), forName: ShadesTransformer.name)
        let model = ParcelModel.make()
        model.entitiesByName["Parcel"]?.attributesByName["list"]?.valueTransformerName = transformer
        let objects: [NSObject] = [
            Intruder(), [Intruder()] as NSArray, [["deep": [Intruder()] as NSArray] as NSDictionary] as NSArray,
            NSSet(object: Intruder()), NSDictionary(object: Intruder(), forKey: "key" as NSString),
        ]
        for object in objects {
            let data = try Self.archive(object, as: name)
            let library = try Library(.sqlite, model: model)
            let context = library.context()
            try context.performAndWait {
                context.make("Parcel", ["name": "whole"])
                try context.save()
            }
            _ = try RawDatabase(library.storeURL).rows("UPDATE ZPARCEL SET ZLIST = ?", [.blob(data)])
            let other = try library.beside().context()
            let value = try other.performAndWait {
                try other.readingFaults { try other.all("Parcel").first?.value(forKey: "list") }
            }
            // Bytes of which no allowed class can be made stay as they are.
            #expect(value as? Data == data, "\(object): \(String(describing: value))")
        }
        #expect(Intruder.made.withLock(\.self) == 0)
    }
}
