import Foundation
import SwiftData

// Enumerations, structures and lists.

extension PredicateCases {
    mutating func addEnumerations() {
        let mid = Grade.mid
        let some: [Grade] = [.low, .high]
        let captain = Rank.captain
        let nothing: Grade? = nil
        add(.store, #Predicate { $0.grade == mid }) { $0.grade == .mid }
        add(.store, #Predicate { $0.grade != .mid }) { $0.grade != .mid }
        add(.store, #Predicate { $0.grade.rawValue == "mid" }) { $0.grade == .mid }
        add(.store, #Predicate { $0.grade.rawValue < "low" }) { $0.grade.rawValue < "low" }
        add(.store, #Predicate { some.contains($0.grade) }) { some.contains($0.grade) }
        add(.program, #Predicate { $0.grade.label == "least" }) { $0.grade.label == "least" }
        add(.store, #Predicate { $0.spare == nil }) { $0.spare == nil }
        add(.store, #Predicate { $0.spare == mid }) { $0.spare == .mid }
        add(.store, #Predicate { $0.spare != Grade.mid }) { $0.spare != .mid }
        add(.store, #Predicate { $0.spare == nothing }) { $0.spare == nil }
        add(.store, #Predicate { $0.spare?.rawValue == "low" }) { $0.spare == .low }
        add(.store, #Predicate { ($0.spare ?? mid) == mid }) { ($0.spare ?? .mid) == .mid }
        add(.store, #Predicate { $0.rank == captain }) { $0.rank == .captain }
        add(.program, #Predicate { $0.rank > captain }) { $0.rank > .captain }
        add(.store, #Predicate { $0.rank.rawValue > 0 }) { $0.rank.rawValue > 0 }
    }

    mutating func addEnumerationsWithoutRawValues() {
        let clear = Sky.clear
        let some: [Sky] = [.clear, .dark]
        let empty = Load.empty
        add(.store, #Predicate { $0.sky == clear }) { $0.sky == .clear }
        add(.store, #Predicate { $0.sky != .clear }) { $0.sky != .clear }
        add(.program, #Predicate { some.contains($0.sky) }) { some.contains($0.sky) }
        add(.store, #Predicate { $0.night == nil }) { $0.night == nil }
        add(.store, #Predicate { $0.night != nil }) { $0.night != nil }
        add(.store, #Predicate { $0.night == clear }) { $0.night == .clear }
        add(.store, #Predicate { $0.night != .clear }) { $0.night != .clear }
        add(.store, #Predicate { $0.load == empty }) { $0.load == .empty }
        add(.program, #Predicate { $0.load == .weight(1) }) { $0.load == .weight(1) }
    }

    mutating func addStructures() {
        let ulm = Spot(town: "Ulm", zip: 3, grade: .mid)
        let open = Spot(town: "Ulm", zip: nil, grade: .mid)
        let home = Spot(town: "Home 1", zip: 1, grade: .high)
        let route = Route(name: "R1", points: [3, 4])
        let high = Grade.high
        add(.store, #Predicate { $0.spot.town == "Ulm" }) { $0.spot.town == "Ulm" }
        add(.store, #Predicate { $0.spot.zip == nil }) { $0.spot.zip == nil }
        add(.store, #Predicate { ($0.spot.zip ?? 0) > 3 }) { ($0.spot.zip ?? 0) > 3 }
        add(.store, #Predicate { $0.spot == ulm }) { $0.spot == ulm }
        add(.store, #Predicate { $0.spot == open }) { $0.spot == open }
        add(.store, #Predicate { $0.spot != open }) { $0.spot != open }
        add(.program, #Predicate { $0.spot.line == "3 Ulm" }) { $0.spot.line == "3 Ulm" }
        add(.store, #Predicate { $0.home == nil }) { $0.home == nil }
        add(.store, #Predicate { $0.home != nil }) { $0.home != nil }
        add(.store, #Predicate { $0.home == home }) { $0.home == home }
        add(.store, #Predicate { $0.home != home }) { $0.home != home }
        add(.store, #Predicate { $0.home?.town == "Home 1" }) { $0.home?.town == "Home 1" }
        add(.store, #Predicate { $0.home?.town != "Home 1" }) { $0.home?.town != "Home 1" }
        add(.store, #Predicate { $0.home?.zip == nil }) { $0.home?.zip == nil }
        add(.store, #Predicate { $0.home?.town.contains("1") == true }) { $0.home?.town.contains("1") == true }
        add(.store, #Predicate { $0.home?.town.contains("1") ?? true }) { $0.home?.town.contains("1") ?? true }
        add(.store, #Predicate { $0.home?.grade == high }) { $0.home?.grade == .high }
        add(.store, #Predicate { $0.home?.grade.rawValue == "high" }) { $0.home?.grade == .high }
        add(.store, #Predicate { $0.spot.town == $0.name }) { $0.spot.town == $0.name }
        add(.program, #Predicate { ($0.home ?? ulm).town == "Ulm" }) { ($0.home ?? ulm).town == "Ulm" }
        add(.program, #Predicate { $0.route == route }) { $0.route == route }
        add(.store, #Predicate { $0.route.name == "R1" }) { $0.route.name == "R1" }
    }

    mutating func addLists() {
        let all = ["t1", "all"]
        add(.program, #Predicate { $0.tags.contains("t1") }) { $0.tags.contains("t1") }
        add(.program, #Predicate { $0.tags.isEmpty }) { $0.tags.isEmpty }
        add(.program, #Predicate { $0.tags.count == 2 }) { $0.tags.count == 2 }
        add(.program, #Predicate { $0.tags.first == "t0" }) { $0.tags.first == "t0" }
        add(.program, #Predicate { $0.tags.max() == "t1" }) { $0.tags.max() == "t1" }
        add(.program, #Predicate { $0.tags == all }) { $0.tags == all }
        add(.program, #Predicate { $0.tags.contains { $0.hasPrefix("t") } }) { $0.tags.contains { $0.hasPrefix("t") } }
        add(.program, #Predicate { $0.tags.allSatisfy { $0.count == 2 } }) { $0.tags.allSatisfy { $0.count == 2 } }
        add(.program, #Predicate { $0.route.points.contains(3) }) { $0.route.points.contains(3) }
        add(.both, #Predicate { $0.isNew && $0.tags.contains("all") }) { $0.isNew && $0.tags.contains("all") }
    }
}
