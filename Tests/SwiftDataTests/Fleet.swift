import Foundation
import SwiftData
import TestSupport

/// The vehicles of the tests of predicates, saved, changed and new.
struct Fleet {
    /// What lies between the store and the models.
    enum State: String, CaseIterable, Sendable { case saved, changed, unsaved }

    let context: ModelContext
    let ids: VehicleIDs

    static func container(_ url: URL?) throws -> ModelContainer {
        try ModelContainer(
            for: Vehicle.self, Van.self,
            configurations: url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// - Parameter folder: The folder of the store's file; nil for a store in memory.
    init(_ state: State, in folder: URL?) throws {
        let container = try Self.container(folder?.appendingPathComponent("\(state).store"))
        let writer = ModelContext(container)
        Self.addVehicles(0..<13, to: writer)
        if state != .unsaved { try writer.save() }
        context = state == .unsaved ? writer : ModelContext(container)
        if state == .changed { try Self.change(context) }
        ids = try Self.ids(context)
    }

    private static func ids(_ context: ModelContext) throws -> VehicleIDs {
        let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.code)]))
        let driver = try context.fetch(FetchDescriptor<Pilot>(sortBy: [SortDescriptor(\.age)]))
        return VehicleIDs(
            vehicle: vehicles[4].id, driver: driver.first { $0.name == "Ann" }?.id ?? vehicles[0].id,
            vehicles: [vehicles[1].id, vehicles[5].id, vehicles[6].id],
            foreign: try PersistentIdentifier.identifier(
                for: "D5C5F3A0-0000-4000-8000-000000000000", entityName: "Vehicle", primaryKey: 2))
    }

    private static func addVehicles(_ numbers: Range<Int>, to context: ModelContext) {
        let ann = Pilot("Ann", age: 30)
        let ben = Pilot("Ben", boss: ann)
        let cleo = Pilot("Cleo", age: 50, boss: ben)
        for number in numbers {
            let vehicle = number < 10 ? Vehicle(number) : Van(number, seats: number - 8)
            vehicle.driver = [nil, ann, ben, cleo][number % 4]
            context.insert(vehicle)
            vehicle.halts = (0..<number % 3).map { Halt("P\($0)", number + $0) }
        }
    }

    /// Changes that are not saved: of values, of links, a deletion and new models.
    private static func change(_ context: ModelContext) throws {
        let all = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.code)]))
        let driver = all[1].driver
        for vehicle in all where vehicle.code % 2 == 0 {
            vehicle.name = "Bob \(vehicle.code)"
            vehicle.note = vehicle.note == nil ? "note 1" : nil
            vehicle.count = vehicle.count.map { $0 + 1 }
            vehicle.grade = .mid
            vehicle.spare = vehicle.spare == nil ? .mid : nil
            vehicle.night = vehicle.night == nil ? .clear : nil
            vehicle.home = vehicle.home == nil ? Spot(town: "Home 1", zip: nil, grade: .low) : nil
            vehicle.spot.zip = 3
            vehicle.tags.append("t1")
            vehicle.driver = vehicle.driver == nil ? driver : nil
            vehicle.halts = Array(vehicle.halts.dropFirst())
        }
        driver?.age = 45
        context.delete(all[3])
        addVehicles(13..<16, to: context)
    }

    func vehicles() throws -> [Vehicle] { try context.fetch(FetchDescriptor<Vehicle>()) }

    /// The numbers of the models that a predicate finds.
    func found(_ predicate: Predicate<Vehicle>) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate)).map(\.code).sorted()
    }
}
