import CoreData
import Foundation

/// The forecast for a store as text.
struct ForecastReport {
    let order: MigrationOrder.Opened
    let forecast: MigrationForecast
    /// The advice about the option that allows the loss of a value.
    var advice: (_ name: String) -> String = { "--allow-loss \($0) lets it go" }

    /// The advice about the option that lets entities change that CloudKit's tables name.
    var mirrorAdvice = MigrationOrder.ignoreCloudKit

    private var text: ForecastText { ForecastText(forecast, versions: order.file.versions) }
    var json: JSON { text.json }

    /// Whether there are no obstacles.
    var isClear: Bool {
        !forecast.isMigrationRequired || (forecast.isPossible && losses.isEmpty && forecast.hasDiskSpace)
    }

    /// The values that would be lost without permission. A program that has the older version may lose values without
    /// an option; the command needs an option for it. A mapping model decides itself which values are lost.
    private var losses: [MigrationLoss] {
        if order.options[NSMigrationMappingModelOption] != nil { return forecast.losses.filter { !$0.isAllowed } }
        let allowed = order.options[NSMigrationAllowedLossesOption] as? [String] ?? []
        return forecast.losses.filter { $0.count > 0 && !allowed.contains($0.name) && !allowed.contains($0.entity) }
    }

    var target: String { "'\(order.target.name)'" }

    func write(_ console: Console) throws {
        let name = console.styled(Table.onOneLine(order.store.shown), .bold)
        guard forecast.isMigrationRequired else {
            return try console.line("\(name) \(Table.onOneLine("is of version \(target) and needs no migration"))")
        }
        let source = order.source.map { "version '\($0.name)'" } ?? "a version that the model does not have"
        try console.line("\(name) \(Table.onOneLine("is of \(source); the one to reach is \(target)"))")
        for loss in forecast.losses {
            let help = losses.contains(loss) ? "; \(advice(loss.name))" : ""
            try console.line(console.styled(Table.onOneLine("loses \(loss)\(help)"), .yellow))
        }
        if let mirror = forecast.mirror { try console.line(console.styled(MirrorText(mirror).sentence, .yellow)) }
        guard forecast.isPossible, losses.isEmpty else {
            try console.line(console.styled("It cannot be migrated:", .red))
            for obstacle in obstacles { try console.line(Table.onOneLine("  \(obstacle)")) }
            return
        }
        let time =
            forecast.isInstant
            ? "instant at any size"
            : "about \(Measure.seconds(forecast.estimatedSeconds)), \(forecast.rows) rows to go through"
        try console.line("time  \(time)")
        let free = forecast.diskSpaceAvailable.map { ", \(Measure.bytes($0)) are free" } ?? ""
        let disk = "disk  needs \(Measure.bytes(forecast.diskSpaceNeeded))\(free)"
        try console.line(forecast.hasDiskSpace ? disk : console.styled("\(disk): too little", .red))
        try console.line()
        try text.writeHops(console, figures: true)
        for lock in forecast.locks { try console.line(Table.onOneLine("\(lock)")) }
    }

    /// Writes the statements. On a terminal no name in them has an effect on it.
    func writeScript(_ console: Console) throws {
        for line in forecast.script.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            try console.line(console.columns == nil ? String(line) : Table.onOneLine(String(line)))
        }
    }

    /// The obstacles, a line each, in the words of this program.
    var obstacles: [String] {
        let refused = losses
        let others = forecast.obstacles.filter { obstacle in
            !refused.contains { $0.entity == obstacle.entity && $0.property == obstacle.property }
        }
        return refused.map { "It would lose \($0); \(advice($0.name))." }
            + others.map { obstacle in
                if obstacle.errorCode == NSMigrationMissingSourceModelError { return order.missingModel }
                return obstacle.description.replacingOccurrences(of: CloudMirrorAdvice.line, with: mirrorAdvice)
            }
    }

    /// The error of a migration that is not to be begun; nil if there are no obstacles.
    var refusal: ToolError? {
        if !forecast.isPossible || !losses.isEmpty {
            return ToolError(
                .failed, "\(order.store.shown) cannot be migrated to \(target); nothing was changed",
                details: obstacles)
        }
        guard !forecast.hasDiskSpace else { return nil }
        let free = forecast.diskSpaceAvailable.map { Measure.bytes($0) } ?? "nothing"
        return ToolError(
            .failed, "\(order.store.shown) cannot be migrated: the disk is too full; nothing was changed",
            details: ["\(Measure.bytes(forecast.diskSpaceNeeded)) are needed, \(free) are free."])
    }
}
