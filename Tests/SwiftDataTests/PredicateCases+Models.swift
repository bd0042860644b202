import Foundation
import SwiftData

// Relationships, identifiers and classes.

extension PredicateCases {
    mutating func addToOne() {
        let driver = ids.driver
        let foreign = ids.foreign
        add(.store, #Predicate { $0.driver == nil }) { $0.driver == nil }
        add(.store, #Predicate { $0.driver != nil }) { $0.driver != nil }
        add(.store, #Predicate { $0.driver?.name == "Ann" }) { $0.driver?.name == "Ann" }
        add(.store, #Predicate { $0.driver?.name != "Ann" }) { $0.driver?.name != "Ann" }
        add(.store, #Predicate { !($0.driver?.name == "Ann") }) { $0.driver?.name != "Ann" }
        add(.store, #Predicate { $0.driver?.age == nil }) { $0.driver?.age == nil }
        add(.store, #Predicate { ($0.driver?.age ?? 0) > 40 }) { ($0.driver?.age ?? 0) > 40 }
        add(.store, #Predicate { $0.driver?.boss == nil }) { $0.driver?.boss == nil }
        add(.store, #Predicate { $0.driver?.boss?.name == "Ann" }) { $0.driver?.boss?.name == "Ann" }
        add(.store, #Predicate { $0.driver?.boss?.id == driver }) { $0.driver?.boss?.id == driver }
        add(.store, #Predicate { $0.driver?.persistentModelID == driver }) { $0.driver?.id == driver }
        add(.store, #Predicate { $0.driver?.persistentModelID != driver }) { $0.driver?.id != driver }
        add(.program, #Predicate { $0.driver?.persistentModelID == foreign }) { _ in false }
        add(.store, #Predicate { $0.driver?.boss == $0.driver }) { $0.driver?.boss == $0.driver }
        add(.store, #Predicate { $0.driver?.name.localizedStandardContains("BE") ?? false }) {
            $0.driver?.name.localizedStandardContains("BE") ?? false
        }
        add(.store, #Predicate { $0.driver?.name.isEmpty != false }) { $0.driver?.name.isEmpty != false }
        add(.store, #Predicate { if let driver = $0.driver { driver.name == "Ben" } else { true } }) {
            $0.driver?.name ?? "Ben" == "Ben"
        }
        add(.program, #Predicate { $0.driverID == driver }) { $0.driverID == driver }
    }

    mutating func addToMany() {
        let number = 6
        add(.store, #Predicate { $0.halts.isEmpty }) { $0.halts.isEmpty }
        add(.store, #Predicate { !$0.halts.isEmpty }) { !$0.halts.isEmpty }
        add(.store, #Predicate { $0.halts.count == 2 }) { $0.halts.count == 2 }
        add(.store, #Predicate { $0.halts.contains { $0.place == "P1" } }) { $0.halts.contains { $0.place == "P1" } }
        add(.store, #Predicate { !$0.halts.contains { $0.place == "P1" } }) { !$0.halts.contains { $0.place == "P1" } }
        add(.store, #Predicate { $0.halts.allSatisfy { $0.number > 5 } }) { $0.halts.allSatisfy { $0.number > 5 } }
        add(.store, #Predicate { $0.halts.filter { $0.number > number }.count == 1 }) {
            $0.halts.filter { $0.number > number }.count == 1
        }
        add(.store, #Predicate { $0.halts.filter { $0.number > number }.isEmpty }) {
            $0.halts.filter { $0.number > number }.isEmpty
        }
        add(.store, #Predicate { vehicle in vehicle.halts.contains { $0.number == vehicle.code } }) { vehicle in
            vehicle.halts.contains { $0.number == vehicle.code }
        }
        add(.store, #Predicate { $0.halts.contains { $0.vehicle?.name == "Ann" } }) {
            !$0.halts.isEmpty && $0.name == "Ann"
        }
        add(.program, #Predicate { $0.halts.first?.place == "P0" }) { $0.halts.first?.place == "P0" }
        add(.store, #Predicate { $0.driver?.vehicles.isEmpty == false }) { $0.driver?.vehicles.isEmpty == false }
        add(.store, #Predicate { ($0.driver?.vehicles.count ?? 0) > 3 }) { ($0.driver?.vehicles.count ?? 0) > 3 }
        add(.store, #Predicate { $0.driver?.vehicles.contains { $0.isNew } ?? false }) {
            $0.driver?.vehicles.contains { $0.isNew } ?? false
        }
    }

    mutating func addIdentifiers() {
        let (vehicle, some, foreign) = (ids.vehicle, ids.vehicles, ids.foreign)
        let mixed = some + [foreign]
        add(.store, #Predicate { $0.persistentModelID == vehicle }) { $0.id == vehicle }
        add(.store, #Predicate { $0.id == vehicle }) { $0.id == vehicle }
        add(.store, #Predicate { $0.id != vehicle }) { $0.id != vehicle }
        add(.store, #Predicate { some.contains($0.id) }) { some.contains($0.id) }
        add(.store, #Predicate { !some.contains($0.persistentModelID) }) { !some.contains($0.id) }
        add(.store, #Predicate { mixed.contains($0.persistentModelID) }) { some.contains($0.id) }
        add(.program, #Predicate { $0.id == foreign }) { _ in false }
        add(.program, #Predicate { $0.id != foreign }) { _ in true }
        add(.program, #Predicate { $0.id < foreign }) { $0.id < foreign }
    }

    mutating func addClasses() {
        add(.store, #Predicate { $0 is Van }) { $0 is Van }
        add(.store, #Predicate { !($0 is Van) }) { !($0 is Van) }
        add(.program, #Predicate { ($0 as? Van)?.seats == 3 }) { ($0 as? Van)?.seats == 3 }
        add(.both, #Predicate { $0.code > 4 && ($0 as? Van)?.seats == 3 }) {
            $0.code > 4 && ($0 as? Van)?.seats == 3
        }
    }
}
