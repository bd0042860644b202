import CoreData
import Foundation
import SwiftData
import Testing

/// The names to which key paths of models lead. They depend on the memory of key paths (`KeyPathComponents`).
@Suite("Key paths of SwiftData")
struct SwiftDataKeyPathTests {
    private func name(_ keyPath: AnyKeyPath) throws -> String? {
        _ = try Fleet.container(nil)
        return keyPath.managedKeyPath
    }

    @Test("A key path has its property's name, from the class and from a subclass")
    func properties() throws {
        #expect(try name(\Vehicle.name) == "name")
        #expect(try name(\Van.name) == "name")
        #expect(try name(\Van.seats) == "seats")
        #expect(try name(\Van.driver) == "driver")
        #expect(try name(\Vehicle.driver?.boss?.name) == "driver.boss.name")
        #expect(try name(\Vehicle.halts) == "halts")
        #expect((\Van.name as AnyKeyPath) != (\Vehicle.name as AnyKeyPath))
    }

    @Test("A key path through an enumeration or a structure has the names of the store's parts")
    func values() throws {
        #expect(try name(\Vehicle.grade) == "grade.grade")
        #expect(try name(\Vehicle.home?.grade) == "home.grade.grade")
        #expect(try name(\Vehicle.spot.town) == "spot.town")
        #expect(try name(\Spot.grade) == "grade.grade")
        #expect(try name(\Spot.zip) == "zip")
        #expect(try name(\Grade.rawValue) == "self")
        #expect(try name(\Vehicle.sky) == "sky")
    }

    @Test("A key path to a computed property, or to a value of which the store has bytes, has no name")
    func computed() throws {
        #expect(try name(\Vehicle.title) == nil)
        #expect(try name(\Van.title) == nil)
        #expect(try name(\Vehicle.driverID) == nil)
        #expect(try name(\Vehicle.name.count) == nil)
        #expect(try name(\Vehicle.tags) == nil)
        #expect(try name(\Vehicle.route.points) == nil)
        #expect(try name(\Grade.label) == nil)
        #expect(try name(\Spot.line) == nil)
    }

    @Test("A key path to an identifier is that of the model, also in generic code")
    func identifiers() throws {
        func generic<Model: PersistentModel>(_ type: Model.Type) -> [AnyKeyPath] {
            [\Model.id, \Model.persistentModelID]
        }
        #expect(try name(\Vehicle.id) == "self")
        #expect(try name(\Van.id) == "self")
        #expect(try name(\Vehicle.persistentModelID) == "self")
        #expect(try name(\Vehicle.driver?.id) == "driver")
        #expect(try name(\Vehicle.driver?.boss?.persistentModelID) == "driver.boss")
        for keyPath in generic(Vehicle.self) + generic(Van.self) { #expect(try name(keyPath) == "self") }
    }
}
