import Foundation
import SwiftData

/// A predicate of the table, with a judge that needs no predicate.
struct PredicateCase: Sendable {
    /// Who decides each of its conditions.
    enum Decider { case store, program, both }

    let decider: Decider
    let file: String
    let line: Int
    let predicate: Predicate<Vehicle>
    let judge: @Sendable (Vehicle) -> Bool
}

/// The cases of the table. Each is a statement of its own, because the compiler is slow with long lists.
struct PredicateCases {
    private(set) var all: [PredicateCase] = []

    /// The ids that some cases capture.
    let ids: VehicleIDs

    mutating func add(
        _ decider: PredicateCase.Decider, file: String = #filePath, line: Int = #line,
        _ predicate: Predicate<Vehicle>, _ judge: @escaping @Sendable (Vehicle) -> Bool
    ) {
        all.append(PredicateCase(decider: decider, file: file, line: line, predicate: predicate, judge: judge))
    }

    static func all(_ ids: VehicleIDs) -> [PredicateCase] {
        var cases = PredicateCases(ids: ids)
        cases.addNumbers()
        cases.addRanges()
        cases.addTexts()
        cases.addOptionalTexts()
        cases.addOptionals()
        cases.addEnumerations()
        cases.addEnumerationsWithoutRawValues()
        cases.addStructures()
        cases.addLists()
        cases.addToOne()
        cases.addToMany()
        cases.addIdentifiers()
        cases.addClasses()
        return cases.all
    }
}

/// Identifiers of saved models.
struct VehicleIDs: Sendable {
    let vehicle: PersistentIdentifier
    let driver: PersistentIdentifier
    let vehicles: [PersistentIdentifier]
    /// Of another store.
    let foreign: PersistentIdentifier
}

extension PredicateCases {
    fileprivate mutating func addNumbers() {
        let date = Date(timeIntervalSinceReferenceDate: 4 * 86_400)
        let key = Vehicle.key(4)
        let price = Decimal(string: "1.25") ?? 0
        add(.store, #Predicate { $0.code == 3 }) { $0.code == 3 }
        add(.store, #Predicate { $0.code != 3 }) { $0.code != 3 }
        add(.store, #Predicate { $0.code > 3 }) { $0.code > 3 }
        add(.store, #Predicate { $0.code >= 3 && $0.code < 7 }) { $0.code >= 3 && $0.code < 7 }
        add(.store, #Predicate { $0.weight * 2 > 9 }) { $0.weight * 2 > 9 }
        add(.store, #Predicate { $0.weight / 2 >= 3 }) { $0.weight / 2 >= 3 }
        add(.store, #Predicate { $0.code + 1 == 5 }) { $0.code + 1 == 5 }
        add(.store, #Predicate { $0.code - 2 < 3 }) { $0.code - 2 < 3 }
        add(.store, #Predicate { -$0.code < -3 }) { -$0.code < -3 }
        add(.store, #Predicate { $0.code % 3 == 1 }) { $0.code % 3 == 1 }
        add(.store, #Predicate { $0.code / 2 == 3 }) { $0.code / 2 == 3 }
        add(.store, #Predicate { $0.isNew }) { $0.isNew }
        add(.store, #Predicate { !$0.isNew }) { !$0.isNew }
        add(.store, #Predicate { $0.isNew == false }) { !$0.isNew }
        add(.store, #Predicate { ($0.code > 3) == $0.isNew }) { ($0.code > 3) == $0.isNew }
        add(.store, #Predicate { $0.code > 3 ? $0.isNew : !$0.isNew }) { $0.code > 3 ? $0.isNew : !$0.isNew }
        add(.store, #Predicate { $0.built > date }) { $0.built > date }
        add(.store, #Predicate { $0.built <= date || $0.isNew }) { $0.built <= date || $0.isNew }
        add(.store, #Predicate { $0.key == key }) { $0.key == key }
        add(.store, #Predicate { $0.key != key }) { $0.key != key }
        add(.store, #Predicate { $0.price > price }) { $0.price > price }
        add(.store, #Predicate { $0.price == price }) { $0.price == price }
        add(.store, #Predicate { _ in true }) { _ in true }
        add(.store, #Predicate { _ in false }) { _ in false }
    }

    fileprivate mutating func addRanges() {
        let codes = [1, 5, 7]
        let some: Set<Int> = [2, 5]
        let none: [Int] = []
        let (low, high) = (2, 5)
        add(.store, #Predicate { (2...5).contains($0.code) }) { (2...5).contains($0.code) }
        add(.store, #Predicate { (2..<5).contains($0.code) }) { (2..<5).contains($0.code) }
        add(.store, #Predicate { (low...high).contains($0.code) }) { (low...high).contains($0.code) }
        add(.store, #Predicate { codes.contains($0.code) }) { codes.contains($0.code) }
        add(.store, #Predicate { !codes.contains($0.code) }) { !codes.contains($0.code) }
        add(.store, #Predicate { some.contains($0.code) }) { some.contains($0.code) }
        add(.store, #Predicate { none.contains($0.code) }) { _ in false }
    }

    fileprivate mutating func addTexts() {
        let names = ["Ann", "zoe"]
        add(.store, #Predicate { $0.name == "Ann" }) { $0.name == "Ann" }
        add(.store, #Predicate { $0.name != "Ann" }) { $0.name != "Ann" }
        add(.store, #Predicate { $0.name < "b" }) { $0.name < "b" }
        add(.store, #Predicate { $0.name.contains("o") }) { $0.name.contains("o") }
        add(.store, #Predicate { $0.name.starts(with: "Bob") }) { $0.name.starts(with: "Bob") }
        add(.store, #Predicate { $0.name.isEmpty }) { $0.name.isEmpty }
        add(.store, #Predicate { !$0.name.isEmpty }) { !$0.name.isEmpty }
        add(.store, #Predicate { $0.name.count == 3 }) { $0.name.count == 3 }
        add(.store, #Predicate { names.contains($0.name) }) { names.contains($0.name) }
        add(.store, #Predicate { $0.name.localizedStandardContains("ANN") }) {
            $0.name.localizedStandardContains("ANN")
        }
        add(.store, #Predicate { $0.name.localizedStandardContains("casar") }) {
            $0.name.localizedStandardContains("casar")
        }
        add(.store, #Predicate { $0.name.caseInsensitiveCompare("BOB") == .orderedSame }) {
            $0.name.caseInsensitiveCompare("BOB") == .orderedSame
        }
        add(.store, #Predicate { $0.name.localizedCompare("bob") == .orderedSame }) {
            $0.name.localizedCompare("bob") == .orderedSame
        }
        add(.program, #Predicate { $0.name.localizedCompare("bob") == .orderedAscending }) {
            $0.name.localizedCompare("bob") == .orderedAscending
        }
        add(.program, #Predicate { $0.title == "zoe 7" }) { $0.title == "zoe 7" }
        add(.both, #Predicate { $0.code > 2 && $0.title.contains("o") }) { $0.code > 2 && $0.title.contains("o") }
        add(.program, #Predicate { $0.code == 2 || $0.title.contains("o") }) {
            $0.code == 2 || $0.title.contains("o")
        }
    }

    fileprivate mutating func addOptionalTexts() {
        let wanted: String? = "note 1"
        let nothing: String? = nil
        add(.store, #Predicate { $0.note == nil }) { $0.note == nil }
        add(.store, #Predicate { $0.note != nil }) { $0.note != nil }
        add(.store, #Predicate { $0.note == "note 1" }) { $0.note == "note 1" }
        add(.store, #Predicate { $0.note != "note 1" }) { $0.note != "note 1" }
        add(.store, #Predicate { !($0.note == "note 1") }) { $0.note != "note 1" }
        add(.store, #Predicate { $0.note == wanted }) { $0.note == wanted }
        add(.store, #Predicate { $0.note == nothing }) { $0.note == nothing }
        add(.store, #Predicate { ($0.note ?? "none") == "none" }) { ($0.note ?? "none") == "none" }
        add(.store, #Predicate { $0.note?.contains("1") == true }) { $0.note?.contains("1") == true }
        add(.store, #Predicate { $0.note?.contains("1") == false }) { $0.note?.contains("1") == false }
        add(.store, #Predicate { $0.note?.contains("1") == nil }) { $0.note?.contains("1") == nil }
        add(.store, #Predicate { $0.note?.contains("1") ?? true }) { $0.note?.contains("1") ?? true }
        add(.store, #Predicate { !($0.note?.contains("1") ?? false) }) { !($0.note?.contains("1") ?? false) }
        add(.store, #Predicate { $0.note?.count == 6 }) { $0.note?.count == 6 }
        add(.store, #Predicate { $0.note?.isEmpty == false }) { $0.note?.isEmpty == false }
    }

    fileprivate mutating func addOptionals() {
        add(.store, #Predicate { $0.count == nil }) { $0.count == nil }
        add(.store, #Predicate { $0.count == 2 }) { $0.count == 2 }
        add(.store, #Predicate { $0.count != 2 }) { $0.count != 2 }
        add(.store, #Predicate { ($0.count ?? 0) > 2 }) { ($0.count ?? 0) > 2 }
        add(.store, #Predicate { !(($0.count ?? 9) > 2) }) { !(($0.count ?? 9) > 2) }
        add(.store, #Predicate { $0.count != nil && $0.count! > 2 }) { $0.count != nil && $0.count! > 2 }
        add(.store, #Predicate { if let count = $0.count { count > 2 } else { false } }) { $0.count ?? 0 > 2 }
        add(.store, #Predicate { if let count = $0.count { count < 2 } else { true } }) { $0.count ?? 0 < 2 }
        add(.store, #Predicate { $0.isSold == true }) { $0.isSold == true }
        add(.store, #Predicate { $0.isSold != true }) { $0.isSold != true }
        add(.store, #Predicate { $0.isSold == nil }) { $0.isSold == nil }
        add(.store, #Predicate { $0.isSold ?? false }) { $0.isSold ?? false }
        add(.store, #Predicate { !($0.isSold ?? true) }) { !($0.isSold ?? true) }
    }
}
