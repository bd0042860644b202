import Foundation

@testable import CoreData

/// A difference between files of this library and Apple's that is meant: a kind, with a condition on the values.
struct MeantDifference: Sendable {
    /// A part of a difference that the condition does not look at, because any value is meant.
    enum Part: Sendable { case apple, ours, parts }

    let kind: String
    let reason: String
    var free: Set<Part> = []
    let condition: @Sendable (FormDifference, FormOrigin) -> Bool

    func covers(_ difference: FormDifference, from origin: FormOrigin) -> Bool {
        difference.kind == kind && (free.contains(.parts) || difference.parts.isEmpty) && condition(difference, origin)
    }
}

/// Where the two files of a comparison come from.
struct FormOrigin {
    let path: String
    let model: NSManagedObjectModel
    /// Whether our file is made of the model's source, and not of the model in Apple's file.
    let isOfSource: Bool
    /// The version in the metadata of Apple's store.
    var framework: Int?
    /// Whether Apple's framework has migrated the store: tables stand behind those that a new store gets last.
    var isMigrated = false

    /// Stores before 2018 have other indexes and constraints.
    var isBefore2018: Bool { framework.map { $0 < 865 } ?? false }

    func isAncestor(_ name: String, of entity: String) -> Bool {
        var next = model.entitiesByName[entity]?.superentity
        while let current = next {
            if current.name == name { return true }
            next = current.superentity
        }
        return false
    }

    static func isOfMigrated(_ entries: FormEntries) -> Bool {
        let tables = entries.texts[[.word("order of creation"), .word("table")]]?.components(separatedBy: ", ") ?? []
        guard let last = tables.firstIndex(of: "Z_MODELCACHE") else { return false }
        return tables[last...].contains { $0.hasPrefix("Z") && $0 != "Z_MODELCACHE" }
    }
}

extension FormDifference {
    func isPair(_ apple: String?, _ ours: String?) -> Bool { self.apple == apple && self.ours == ours }

    /// Whether both texts list the same things.
    var isReordered: Bool { list(apple).sorted() == list(ours).sorted() }

    /// Whether things that both texts list have one order.
    var agreesOnCommonOrder: Bool {
        let (left, right) = (list(apple), list(ours))
        return left.filter(Set(right).contains) == right.filter(Set(left).contains)
    }

    var commonCount: Int { Set(list(apple)).intersection(list(ours)).count }

    private func list(_ text: String?) -> [String] { text?.components(separatedBy: ", ") ?? [] }

    /// The names in the path.
    var names: [String] { place.compactMap { if case .name(let name) = $0 { name } else { nil } } }
}
