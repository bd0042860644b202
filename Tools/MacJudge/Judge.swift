import CoreData
import Foundation
import MacCheckKit
import TestSupport

/// What a check of a report comes to.
package struct Verdict: Equatable {
    package enum State: String { case passed, failed, fact, leftOut = "left out" }

    package let check: String
    package let state: State
    /// The differences, or the fact.
    package let lines: [String]
    /// The first column of the row of DEVIATIONS.md that a fact settles.
    package var row: String?

    init(_ check: String, _ state: State, _ lines: [String] = [], row: String? = nil) {
        self.check = check
        self.state = state
        self.lines = lines
        self.row = row
    }
}

/// Judges the report of a run by the kit, and reads the stores that came back.
package struct Judge {
    package let kit: Kit
    package let report: Report
    /// The folder with the stores that came back; nil where there is a report alone.
    private let stores: URL?

    /// Reads `kit.json`, `report.json` and the stores of a folder.
    package init(folder: URL, hasStores: Bool = true) throws {
        func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
            try JSONDecoder().decode(type, from: Data(contentsOf: folder.appendingPathComponent(name)))
        }
        self.init(
            kit: try read(Kit.self, "kit.json"), report: try read(Report.self, "report.json"),
            stores: hasStores ? folder : nil)
    }

    package init(kit: Kit, report: Report, stores: URL?) {
        self.kit = kit
        self.report = report
        self.stores = stores
    }

    package func verdicts() -> [Verdict] {
        kit.checks.map(verdict) + (stores == nil ? [] : kit.stores.filter { $0.saves != nil }.map(returned))
    }

    private func verdict(of check: Check) -> Verdict {
        guard let finding = report.findings["\(check)"] else {
            return Verdict("\(check)", .failed, ["not in the report"])
        }
        switch check.kind {
        case .question: return question(check.name, finding)
        case .source where finding.outcome == .error && finding.text?.hasPrefix("no Xcode is installed") == true:
            return Verdict("\(check)", .leftOut, [finding.text ?? ""])
        default: break
        }
        guard finding.outcome == .done else {
            return Verdict("\(check)", .failed, ["\(finding.outcome.rawValue): \(finding.text ?? "")"])
        }
        let lines = differences(check, finding)
        guard !lines.isEmpty else { return Verdict("\(check)", .passed) }
        if report.isOfAMac, check.kind == .write, let row = kit.stores.first(where: { $0.name == check.name })?.row {
            return Verdict("\(check)", .fact, lines, row: row)
        }
        return Verdict("\(check)", .failed, lines)
    }

    private func differences(_ check: Check, _ finding: Finding) -> [String] {
        let name = check.name
        switch check.kind {
        case .model, .source:
            return Difference.lines(kit.models.first { $0.name == name }?.lines, finding.lines)
        case .search:
            return Difference.lines(kit.searches.first { $0.name == name }?.lines, finding.lines)
        case .migrate:
            return Difference.contents(kit.migrations.first { $0.name == name }?.contents, finding.contents)
        case .read:
            let part = kit.stores.first { $0.name == name }
            return Difference.contents(part?.contents, finding.contents)
                + Difference.lines(part?.history, finding.lines)
        case .write:
            let part = kit.stores.first { $0.name == name }
            return Difference.contents(part?.contentsAfter, finding.contents)
                + Difference.lines(part?.historyAfter, finding.lines)
        case .question: return []
        }
    }

    private func question(_ name: String, _ finding: Finding) -> Verdict {
        let check = "question/\(name)"
        let (ours, theirs) = (kit.answers[name] ?? "", finding.answer)
        let known = Questions.all.first { $0.name == name }
        let row = known?.row
        // A question that could not be asked, a crash and a lapsed time limit say nothing about the framework.
        guard finding.outcome == .done || known?.expects(finding) == true else {
            let cause = finding.stop.map { " (\($0.rawValue))" } ?? ""
            return Verdict(check, .failed, ["no answer\(cause): \(theirs)"], row: row)
        }
        guard ours != theirs else {
            let settles = row != nil && report.isOfAMac
            return Verdict(check, settles ? .fact : .passed, settles ? ["equal: \(theirs)"] : [], row: row)
        }
        // Only Apple's framework can say what Apple's framework does. Its codes are documented, and its words are not.
        let isFact = report.isOfAMac && (row != nil || Self.code(of: ours) == Self.code(of: theirs))
        return Verdict(check, isFact ? .fact : .failed, ["here: \(ours)", "there: \(theirs)"], row: row)
    }

    /// The part of an answer before the words of an error.
    private static func code(of answer: String) -> Substring { answer.prefix { $0 != ":" } }

    /// Reads a store that a check has changed, by this framework.
    private func returned(_ part: StorePart) -> Verdict {
        let check = "returned/\(part.name)"
        do {
            let lines = try withTemporaryFolder { place in
                guard let stores else { return [String]() }
                let source = KitFolder(stores, kit: kit)
                try source.copy(part, to: place)
                return try differences(of: part, in: place, source)
            }
            if report.isOfAMac, !lines.isEmpty, let row = part.row { return Verdict(check, .fact, lines, row: row) }
            return Verdict(check, lines.isEmpty ? .passed : .failed, lines)
        } catch {
            return Verdict(check, .failed, [ErrorText.text(error)])
        }
    }

    private func differences(of part: StorePart, in place: URL, _ source: KitFolder) throws -> [String] {
        var lines: [String] = []
        if let schema = part.schema {
            let found = Set(try SchemaText.lines(of: place.appendingPathComponent(part.file)))
            lines += schema.filter { !found.contains($0) }.map { "not in the file any more: \($0)" }
        }
        let model = try self.model(of: part, source)
        let coordinator = try source.coordinator(part, in: place, readOnly: true, model: model)
        defer { coordinator.close() }
        lines += Difference.contents(part.contentsAfter, try Contents(of: coordinator))
        if part.hasHistory { lines += Difference.lines(part.historyAfter, try coordinator.history()) }
        if part.type == NSSQLiteStoreType {
            let inspection = try coordinator.inspect(coordinator.persistentStores[0], for: [.damage, .irregularities])
            lines += (inspection.damage ?? []).map { "damage: \($0)" }
            lines += (inspection.irregularities ?? []).map { "irregular: \($0)" }
        }
        return lines
    }

    /// The model that the store keeps; an XML file keeps none.
    private func model(of part: StorePart, _ source: KitFolder) throws -> NSManagedObjectModel {
        let file = source.url.appendingPathComponent(part.file)
        if part.type == NSSQLiteStoreType {
            return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: file)
        }
        return try source.model(named: part.model)
    }
}

/// The differences between what must be found and what was found.
enum Difference {
    /// The most lines of one check.
    private static let limit = 20

    static func lines(_ expected: [String]?, _ found: [String]?) -> [String] {
        let (expected, found) = (expected ?? [], found ?? [])
        guard expected != found else { return [] }
        let (left, right) = (Set(expected), Set(found))
        let lines =
            expected.filter { !right.contains($0) }.map { "missing: \($0)" }
            + found.filter { !left.contains($0) }.map { "unexpected: \($0)" }
        return limited(lines.isEmpty ? ["in another order, or repeated"] : lines)
    }

    static func contents(_ expected: Contents?, _ found: Contents?) -> [String] {
        guard expected != found else { return [] }
        guard let expected, let found else { return [found == nil ? "no contents" : "unexpected contents"] }
        var lines: [String] = []
        for name in Set(expected.entities.keys).union(found.entities.keys).sorted() {
            guard let before = expected.entities[name] else { lines.append("unexpected: entity \(name)"); continue }
            guard let after = found.entities[name] else { lines.append("missing: entity \(name)"); continue }
            if before.count != after.count {
                lines.append("\(name): \(before.count) objects expected, \(after.count) found")
            }
            let objects = objects(name, before, after)
            lines += objects
            if objects.isEmpty, before.digest != after.digest {
                lines.append("\(name): an object behind the listed ones differs")
            }
        }
        return limited(lines)
    }

    private static func objects(
        _ name: String, _ before: Contents.Objects, _ after: Contents.Objects
    ) -> [String] {
        Set(before.objects.keys).union(after.objects.keys).sorted().flatMap { key -> [String] in
            guard let old = before.objects[key] else { return ["unexpected: \(name)/\(key)"] }
            guard let new = after.objects[key] else { return ["missing: \(name)/\(key)"] }
            return Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map {
                "\(name)/\(key).\($0): \(old[$0] ?? "none") expected, \(new[$0] ?? "none") found"
            }
        }
    }

    private static func limited(_ lines: [String]) -> [String] {
        lines.count <= limit ? lines : lines[..<limit] + ["and \(lines.count - limit) more"]
    }
}
