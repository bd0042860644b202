import Foundation
import SwiftData
import TestSupport
import Testing

/// Orders of fetches.
@Suite("Orders of SwiftData")
struct SwiftDataSortTests {
    /// Checks an order against that of plain Swift, in all states and in both directions.
    private func check<Key: Comparable>(
        _ name: String, isOfStore: Bool = true, _ make: (SortOrder) -> SortDescriptor<Vehicle>,
        by key: (Vehicle) -> Key?
    ) throws {
        try withTemporaryFolder { folder in
            for state in Fleet.State.allCases {
                let fleet = try Fleet(state, in: folder)
                for order in [SortOrder.forward, .reverse] {
                    let all = try fleet.vehicles().sorted { $0.code < $1.code }
                    let expected = all.enumerated().sorted { one, other in
                        let isLess = Self.isLess(key(one.element), key(other.element))
                        let isGreater = Self.isLess(key(other.element), key(one.element))
                        if !isLess, !isGreater { return one.offset < other.offset }
                        return order == .forward ? isLess : isGreater
                    }
                    let descriptor = FetchDescriptor<Vehicle>(sortBy: [make(order), SortDescriptor(\.code)])
                    let found = try fleet.context.fetch(descriptor).map(\.code)
                    #expect(found == expected.map(\.element.code), "\(name) \(order), \(state)")
                    if state == .saved {
                        #expect(try fleet.context.explanation(of: descriptor).sorter == (isOfStore ? .store : .program))
                    }
                }
            }
        }
    }

    /// Nil comes first.
    private static func isLess<Key: Comparable>(_ one: Key?, _ other: Key?) -> Bool {
        guard let other else { return false }
        return one.map { $0 < other } ?? true
    }

    @Test("Optional values, Booleans and identifiers")
    func plain() throws {
        try check("count", { SortDescriptor(\.count, order: $0) }, by: \.count)
        try check("isNew", { SortDescriptor(\.isNew, order: $0) }, by: { $0.isNew ? 1 : 0 })
        try check("isSold", { SortDescriptor(\.isSold, order: $0) }, by: { $0.isSold.map { $0 ? 1 : 0 } })
        try check("built", { SortDescriptor(\.built, order: $0) }, by: \.built)
        try check("key", { SortDescriptor(\.key, order: $0) }, by: \.key)
    }

    @Test("Enumerations by their raw values, or by an order of their own")
    func enumerations() throws {
        try check("grade", { SortDescriptor(\.grade, order: $0) }, by: { $0.grade.rawValue })
        try check("spare", { SortDescriptor(\.spare, order: $0) }, by: { $0.spare?.rawValue })
        try check("rank", isOfStore: false, { SortDescriptor(\.rank, order: $0) }, by: \.rank)
    }

    @Test("Fields of structures, and properties behind relationships")
    func composed() throws {
        try check("town", { SortDescriptor(\.spot.town, order: $0) }, by: { $0.spot.town })
        try check("zip", { SortDescriptor(\.home?.zip, order: $0) }, by: { $0.home?.zip })
        try check("driver", { SortDescriptor(\.driver?.age, order: $0) }, by: { $0.driver?.age })
        try check("boss", { SortDescriptor(\.driver?.boss?.age, order: $0) }, by: { $0.driver?.boss?.age })
        try check("title", isOfStore: false, { SortDescriptor(\.title, comparator: .lexical, order: $0) }, by: \.title)
    }

    @Test("Strings by the locale, as a list of files, and by their characters")
    func strings() throws {
        func order(_ text: String, _ compare: @escaping (String, String) -> ComparisonResult) -> Text {
            Text(text: text, compare: compare)
        }
        try check("lexical", { SortDescriptor(\.name, comparator: .lexical, order: $0) }, by: \.name)
        try check("localized", { SortDescriptor(\.name, comparator: .localized, order: $0) }) { vehicle in
            order(vehicle.name) { $0.localizedCompare($1) }
        }
        try check("standard", { SortDescriptor(\.name, order: $0) }) { vehicle in
            order(vehicle.name) { $0.localizedStandardCompare($1) }
        }
        try check("town", { SortDescriptor(\.home?.town, order: $0) }) { vehicle in
            vehicle.home.map { order($0.town) { $0.localizedStandardCompare($1) } }
        }
    }

    private struct Text: Comparable {
        let text: String
        let compare: (String, String) -> ComparisonResult

        static func == (one: Text, other: Text) -> Bool { one.compare(one.text, other.text) == .orderedSame }
        static func < (one: Text, other: Text) -> Bool { one.compare(one.text, other.text) == .orderedAscending }
    }

    @Test("Equal models stand in the order of their identifiers")
    func ties() throws {
        try withTemporaryFolder { folder in
            let fleet = try Fleet(.saved, in: folder)
            for order in [SortOrder.forward, .reverse] {
                let descriptor = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.grade, order: order)])
                let found = try fleet.context.fetch(descriptor)
                for (one, other) in zip(found, found.dropFirst()) where one.grade == other.grade {
                    #expect(one.persistentModelID < other.persistentModelID || one is Van || other is Van)
                }
            }
            let ids = try fleet.context.fetch(
                FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.persistentModelID, order: .reverse)]))
            #expect(ids.map(\.code) == (0..<13).reversed().map { $0 })
        }
    }
}
