import Foundation
import SwiftData

// Two versions that were shipped, and one that a colleague's device has from the months between.

enum DiaryV1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model final class Entry {
        var text: String
        var steps: Int

        init(text: String, steps: Int) {
            self.text = text
            self.steps = steps
        }
    }
}

enum DiaryBetween: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }

    @Model final class Entry {
        var text: String
        var steps: Int
        var weather: String?

        init(text: String, steps: Int, weather: String) {
            self.text = text
            self.steps = steps
            self.weather = weather
        }
    }
}

enum DiaryV2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Entry.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model final class Entry {
        @Attribute(originalName: "text") var story: String
        var steps: Int
        var weather: String?
        var key: UUID = UUID()
        var kind: Kind = Kind.hike

        init(story: String, steps: Int) {
            self.story = story
            self.steps = steps
        }
    }
}

enum DiaryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DiaryV1.self, DiaryV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: DiaryV1.self, toVersion: DiaryV2.self)] }
}
