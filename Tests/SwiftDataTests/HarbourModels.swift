import CoreData
import Foundation
import SwiftData

// A schema with every kind of property that the interface by key paths has.

enum HarbourUse: String, Codable { case fishing, ferry }

struct HarbourPlan: Codable, Equatable {
    var pages: [Int]
    var titles: [String: String]
}

/// A type with a field that has no attribute of its own.
struct HarbourHours: Codable, Equatable {
    var days: DateComponents
    var note: String
}

/// A class that a value transformer makes into bytes.
final class HarbourMark: NSObject {
    let name: String
    init(_ name: String) { self.name = name }
    override func isEqual(_ object: Any?) -> Bool { (object as? HarbourMark)?.name == name }
}

final class HarbourMarkTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? HarbourMark).map { NSData(data: Data($0.name.utf8)) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { HarbourMark(String(decoding: $0, as: UTF8.self)) }
    }
}

@Model class Harbour {
    #Index<Harbour>([\.name], [\.name, \.depth])
    #Index<Harbour>(.binary([\.depth]), .rtree([\.depth, \.width]))
    #Unique<Harbour>([\.name, \.country])

    @Attribute(.unique, .spotlight) var name: String
    @Attribute(.preserveValueOnDeletion, .allowsCloudEncryption) var country: String?
    @Attribute(originalName: "deepness", hashModifier: "metres") var depth: Double = 3
    var width: Double = 10
    var use: HarbourUse = HarbourUse.fishing
    @Attribute(.codable) var plan: HarbourPlan = HarbourPlan(pages: [], titles: [:])
    @Attribute(.codable) var hours: HarbourHours?
    @Attribute(.codable) var kind: HarbourUse = HarbourUse.ferry
    @Attribute(.externalStorage) var photo: Data?
    @Attribute(.ephemeral) var isOpen: Bool = false
    @Attribute(.transformable(by: HarbourMarkTransformer.self)) var mark: HarbourMark?
    @Relationship(deleteRule: .cascade, inverse: \Berth.harbour) var berths: [Berth] = []
    @Relationship(deleteRule: .nullify, minimumModelCount: 0, maximumModelCount: 3, inverse: \Berth.visited)
    var guests: [Berth]? = []
    var main: Berth?

    init(name: String) { self.name = name }
}

@Model final class Marina: Harbour {
    var places: Int

    init(name: String, places: Int) {
        self.places = places
        super.init(name: name)
    }
}

@Model final class Berth {
    var number: Int
    var harbour: Harbour
    var visited: Harbour?

    init(number: Int, harbour: Harbour) {
        self.number = number
        self.harbour = harbour
    }
}

// Two versions of one class. The second one has a property more.

enum DocksV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Dock.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Dock {
        var name: String
        init(name: String) { self.name = name }
    }
}

enum DocksV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Dock.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Dock {
        var name: String
        var owner: String
        init(name: String, owner: String) {
            self.name = name
            self.owner = owner
        }
    }
}
