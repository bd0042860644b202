import CoreData
import Foundation

/// The differences between two models, and the forecast of a migration between them.
struct ModelDifference {
    let comparison: ModelComparison
    /// The forecast; nil if the models are the same, or no forecast is possible.
    private(set) var forecast: MigrationForecast?
    /// The reason why no forecast is possible.
    private(set) var failure: String?
    private let versions: [ManagedModelVersion]

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
