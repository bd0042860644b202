import CoreData
import Foundation
import TestSupport
import Testing

@Suite("coredata: composite attributes")
struct CompositeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "House"
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [("city", NSAttributeType.stringAttributeType), ("zip", .integer32AttributeType)].map {
            let element = NSAttributeDescription()
            (element.name, element.attributeType) = $0
            return element
        }
        entity.properties = [place]
        model.entities = [entity]
        try withStore(folder.url.appendingPathComponent("Houses.sqlite"), model) { context in
            for (city, zip) in [("Ulm", 89_073), ("Bern", 3_011), ("Ulm", 89_075)] {
                context.make("House", ["place": ["city": city, "zip": zip] as [String: Any]])
            }
            try context.save()
        }
    }

    private func run(_ arguments: String...) throws -> ToolRun { try ToolRun(arguments, in: folder.url) }

    @Test("Composite attributes are printed as a whole and by their elements")
    func values() throws {
        let whole = try run(
            "fetch", "Houses.sqlite", "House", "-s", "place.zip", "-n", "1", "-c", "place", "-f", "ndjson")
        #expect(whole.output == "{\"place\":{\"city\":\"Bern\",\"zip\":3011}}\n", "\(whole.errors)")
        let parts = try run(
            "fetch", "Houses.sqlite", "House", "-s", "-place.zip", "-c", "place.city,place.zip", "-f", "csv")
        #expect(parts.output == "place.city,place.zip\nUlm,89075\nUlm,89073\nBern,3011\n", "\(parts.errors)")
        let table = try run("fetch", "Houses.sqlite", "House", "-n", "1", "-w", "place.city == 'Bern'", "-c", "place")
        #expect(table.output == "place\ncity: Bern, zip: 3011\n")
        let groups = try run(
            "aggregate", "Houses.sqlite", "House", "--count", "--max", "place.zip", "-g", "place.city", "-f", "csv")
        #expect(groups.output == "place.city,count,max_place_zip\nBern,1,3011\nUlm,2,89075\n", "\(groups.errors)")
        let shown = try run("show", "Houses.sqlite", "House/1")
        #expect(shown.output.contains("  place  city: Ulm, zip: 89073\n"), "\(shown.output)\(shown.errors)")
    }

    @Test("An element that is not there")
    func mistakes() throws {
        let run = try run("fetch", "Houses.sqlite", "House", "-c", "place.ctiy")
        #expect(run.status == 2 && run.errors.contains("'place' of House has no element 'ctiy'; is 'city' meant?"))
        #expect(
            try self.run("fetch", "Houses.sqlite", "House", "-s", "place").errors.contains(
                "objects cannot be sorted by it"))
    }

    @Test("An element that its attribute cannot hold is found by its key path, and taken away by a repair")
    func repaired() throws {
        let url = folder.url.appendingPathComponent("Houses.sqlite")
        let database = try RawDatabase(url)
        let columns = try database.column("SELECT name FROM pragma_table_info('ZHOUSE')").compactMap { value in
            if case .text(let name) = value { name } else { nil }
        }
        let (city, zip) = (columns.first { $0.contains("CITY") } ?? "", columns.first { $0.contains("ZIP") } ?? "")
        try database.execute(
            """
            UPDATE ZHOUSE SET \(zip) = 3000000000 WHERE Z_PK = 1;
            UPDATE ZHOUSE SET \(city) = CAST(x'42FF' AS TEXT) WHERE Z_PK = 2
            """)
        let run = try ToolRun(["repair", url.path, folder.url.appendingPathComponent("Copy.sqlite").path])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(
            Set(lines).isSuperset(of: [
                "mended  House/1.place.zip: '3000000000' is no value of the type Integer 32: set to nil",
                "mended  House/2.place.city: these bytes are not UTF-8: 42ff: \u{FFFD} stands in their place",
            ]), "\(lines)")
    }
}
