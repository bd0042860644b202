import CoreData
import Foundation
import MacCheckKit
import TestSupport

// Stores that Apple's framework has made, in the place of ours.
extension KitMaker {
    /// Takes a copy of a store of Apple's, and the model that it keeps.
    mutating func take(_ url: URL, as name: String) throws {
        let place = folder.appendingPathComponent("Stores/\(name)", isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let copy = try Corpus.copyStore(at: url, to: place)
        do {
            let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: copy)
            try model.archive().write(to: folder.appendingPathComponent("Models/\(name).mom"))
            var part = StorePart(
                name: name, file: "Stores/\(name)/\(copy.lastPathComponent)", type: NSSQLiteStoreType, model: name)
            part.schema = try SchemaText.lines(of: copy)
            part.hasHistory = part.schema?.contains { $0.hasPrefix("table ACHANGE") } == true
            let opened = KitFolder(folder, kit: kit.with(ModelPart(name: name, file: "Models/\(name).mom")))
            let coordinator = try opened.coordinator(part, in: folder, readOnly: true)
            defer { coordinator.close() }
            part.contents = try Contents(of: coordinator)
            try require(name, RawRows(copy, coordinator.managedObjectModel).differences(to: part.contents))
            part.history = part.hasHistory ? try coordinator.history() : nil
            part.saves = Self.change(of: part.contents, by: coordinator.managedObjectModel)
            kit = opened.kit
            kit.stores.append(part)
        } catch {
            try FileManager.default.removeItem(at: place)
            throw error
        }
    }

    private static let newText = "changed by the check"

    /// Takes what a store holds after its change: one text that differs, and derived values.
    func takeChange(of part: inout StorePart, _ written: Finding) throws {
        guard let change = part.saves?.first?.first, let name = change.values.keys.first else { return }
        let model = try KitFolder(folder, kit: kit).model(named: part.model)
        let derived = Set(
            model.entities.flatMap(\.properties).filter { $0 is NSDerivedAttributeDescription }.map(\.name))
        let object = "\(change.entity)/\(change.key)"
        let former = part.contents.entities[change.entity]?.objects[change.key]?[name] ?? "none"
        let lines = Difference.contents(part.contents, written.contents).filter { line in
            let property = line.prefix { $0 != ":" }.split(separator: ".").last.map(String.init) ?? ""
            return !derived.contains(property)
        }
        try require(
            part.name, Difference.lines(["\(object).\(name): \(former) expected, '\(Self.newText)' found"], lines))
        part.contentsAfter = written.contents
        guard let history = part.history else { return }
        let added = Array((written.lines ?? []).dropFirst(history.count))
        try require(part.name, Difference.lines(history + added, written.lines))
        guard added.count == 2, added[0].hasSuffix(": by mac-check"), added[1].contains(" update \(object) ") else {
            throw KitError("\(part.name): \(added) is not the history of a change of \(object)")
        }
        part.historyAfter = written.lines
    }

    /// A change of the first text that no rule of the model forbids to change; nil if there is none.
    private static func change(of contents: Contents, by model: NSManagedObjectModel) -> [[Change]]? {
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            let name = entity.name ?? ""
            let unique = Set(entity.uniquenessConstraints.flatMap { $0 }.compactMap { $0 as? String })
            guard let key = contents.entities[name]?.objects.keys.sorted().first,
                let attribute = entity.attributesByName.values.sorted(by: { $0.name < $1.name }).first(where: {
                    $0.type == .string && !$0.isTransient && !($0 is NSDerivedAttributeDescription)
                        && $0.validationPredicates.isEmpty && !unique.contains($0.name)
                })
            else { continue }
            return [[.update(name, key, [attribute.name: newText])]]
        }
        return nil
    }
}

extension Kit {
    fileprivate func with(_ model: ModelPart) -> Kit {
        var copy = self
        copy.models.append(model)
        return copy
    }
}
