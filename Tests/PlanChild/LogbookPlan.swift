import Foundation
import SwiftData

// Versions of a logbook. The second one has new values of many types, the third one only another structure, the fourth
// one other data, and the fifth one other names and classes.

enum LogbookV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Entry {
        #Unique<Entry>([\.number])

        var number: Int
        var text: String
        var wind: Wind?
        var tags: [String] = []

        init(number: Int, text: String) { (self.number, self.text) = (number, text) }
    }

    enum Wind: String, Codable { case calm, breeze, storm }
}

enum LogbookV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self, Harbour.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Entry {
        #Unique<Entry>([\.number])

        var number: Int
        var text: String
        var wind: LogbookV1.Wind?
        var tags: [String] = []
        var key: UUID = UUID()
        var place: Place = Place(latitude: 1, longitude: 2)
        var sails: [Sail] = [.main]
        var weather: Weather = Weather.clear
        var harbour: Harbour?

        init(number: Int, text: String) { (self.number, self.text) = (number, text) }
    }

    @Model final class Harbour {
        var name: String
        var depth: UInt8 = 4
        @Relationship(inverse: \Entry.harbour) var entries: [Entry] = []

        init(name: String) { self.name = name }
    }

    struct Place: Codable, Equatable {
        var latitude: Double
        var longitude: Double
    }

    enum Sail: Int, Codable { case main, jib }
    enum Weather: Codable, Equatable {
        case clear
        case rain(millimetres: Int)
    }
}

enum LogbookV3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self, Harbour.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }

    @Model final class Entry {
        #Unique<Entry>([\.number])

        var number: Int
        var text: String
        var wind: LogbookV1.Wind?
        var tags: [String] = []
        var key: UUID = UUID()
        var place: Place = Place(latitude: 1, longitude: 2, error: 0.5)
        var sails: [LogbookV2.Sail] = [.main]
        var weather: LogbookV2.Weather = LogbookV2.Weather.clear
        var harbour: Harbour?

        init(number: Int, text: String) { (self.number, self.text) = (number, text) }
    }

    @Model final class Harbour {
        var name: String
        var depth: UInt8 = 4
        @Relationship(inverse: \Entry.harbour) var entries: [Entry] = []

        init(name: String) { self.name = name }
    }

    struct Place: Codable, Equatable {
        var latitude: Double
        var longitude: Double
        var error: Double
    }
}

enum LogbookV4: VersionedSchema {
    static var models: [any PersistentModel.Type] { LogbookV3.models }
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
}

enum LogbookV5: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self, Port.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(5, 0, 0) }

    @Model final class Entry {
        #Unique<Entry>([\.number])

        var number: Int
        @Attribute(originalName: "text") var note: String
        var wind: LogbookV1.Wind?
        var tags: [String] = []
        var key: UUID = UUID()
        var place: LogbookV3.Place = LogbookV3.Place(latitude: 1, longitude: 2, error: 0.5)
        var sails: [LogbookV2.Sail] = [.main]
        var weather: LogbookV2.Weather = LogbookV2.Weather.clear
        var port: Port?

        init(number: Int, note: String) { (self.number, self.note) = (number, note) }
    }

    @Model final class Port {
        var name: String
        @Relationship(inverse: \Entry.port) var entries: [Entry] = []

        init(name: String) { self.name = name }
    }
}

/// Each handler leaves a mark, so that a handler that runs twice on one store shows.
enum LogbookPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [LogbookV1.self, LogbookV2.self, LogbookV3.self, LogbookV4.self, LogbookV5.self]
    }

    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: LogbookV1.self, toVersion: LogbookV2.self,
                willMigrate: { context in
                    for entry in try context.fetch(FetchDescriptor<LogbookV1.Entry>()) { entry.text += "1" }
                    try context.save()
                },
                didMigrate: { context in
                    let harbour = LogbookV2.Harbour(name: "Bergen")
                    context.insert(harbour)
                    for entry in try context.fetch(FetchDescriptor<LogbookV2.Entry>()) {
                        entry.text += "2"
                        entry.harbour = harbour
                    }
                    try context.save()
                }),
            .lightweight(fromVersion: LogbookV2.self, toVersion: LogbookV3.self),
            .custom(
                fromVersion: LogbookV3.self, toVersion: LogbookV4.self, willMigrate: nil,
                didMigrate: { context in
                    for entry in try context.fetch(FetchDescriptor<LogbookV3.Entry>()) { entry.text += "4" }
                    try context.save()
                }),
            .custom(
                fromVersion: LogbookV4.self, toVersion: LogbookV5.self,
                willMigrate: { context in
                    for entry in try context.fetch(FetchDescriptor<LogbookV3.Entry>()) { entry.harbour = nil }
                    for harbour in try context.fetch(FetchDescriptor<LogbookV3.Harbour>()) { context.delete(harbour) }
                    try context.save()
                },
                didMigrate: { context in
                    let port = LogbookV5.Port(name: "Bergen")
                    context.insert(port)
                    for entry in try context.fetch(FetchDescriptor<LogbookV5.Entry>()) {
                        entry.note += "5"
                        entry.port = port
                    }
                    try context.save()
                }),
        ]
    }
}

/// The plan of an older program.
enum ShortLogbookPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LogbookV1.self, LogbookV2.self] }
    static var stages: [MigrationStage] { [LogbookPlan.stages[0]] }
}

enum EndlessLogbookPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LogbookV1.self, LogbookV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: LogbookV1.self, toVersion: LogbookV2.self, willMigrate: nil,
                didMigrate: { context in
                    for entry in try context.fetch(FetchDescriptor<LogbookV2.Entry>()) { entry.text = "lost" }
                    try context.save()
                    FileHandle.standardOutput.write(Data("in the handler\n".utf8))
                    while true { pause() }
                })
        ]
    }
}
