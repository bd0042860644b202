import CoreData
import Foundation

/// What differs between two models, and what a migration between them would be.
struct ModelDifference {
    let comparison: ModelComparison
    /// Nil where they are the same, or a migration cannot be foretold.
    private(set) var forecast: MigrationForecast?
    /// Why it cannot be foretold.
    private(set) var failure: String?
    private let versions: [NSManagedObjectModel.Version]

    init(from old: ModelSubject, to new: ModelSubject) {
        comparison = ModelComparison(from: old.model, to: new.model)
        versions = new.versions
        if comparison.isEmpty { return }
        do {
            forecast = try MigrationOutlook.forecast(
                from: old.model, to: new.model, through: (old.versions + new.versions).map(\.model))
        } catch {
            failure = ToolError(error).message
        }
    }

    var json: JSON {
        .object([
            ("isSame", .bool(comparison.isEmpty)),
            (
                "entities",
                .array(
                    comparison.entities.map { entity in
                        .object([
                            ("name", .string(entity.name)), ("kind", .string(entity.kind.rawValue)),
                            ("oldName", entity.oldName.map { .string($0) } ?? .null),
                            ("hasSameHash", .bool(entity.hasSameHash)),
                            ("changes", .array(entity.changes.map(\.json))),
                        ])
                    })
            ),
            ("changes", .array(comparison.changes.map(\.json))),
            ("migration", forecast.map { ForecastText($0, versions: versions).json } ?? .null),
            ("failure", failure.map { .string($0) } ?? .null),
        ])
    }
}
