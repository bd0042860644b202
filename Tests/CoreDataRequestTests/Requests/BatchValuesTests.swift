import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Values of batches", .leavesNothingBehind, .onEveryDatabase)
struct BatchValuesTests {
    private typealias NSExpression = CoreData.NSExpression

    @Test("a number that does not fit its attribute is an error, as a save has it, and nothing is written")
    func ranges() throws {
        let stack = try TextStack(
            "entity Tag\n label string\n rank int16\n weight int32\n total int64", kind: .current)
        let context = stack.context()
        try context.performAndWait {
            context.make("Tag", ["label": "a", "rank": 1, "weight": 2, "total": 3])
            try context.save()
            func update(_ values: [AnyHashable: Any]) -> NSPersistentStoreRequest {
                let request = NSBatchUpdateRequest(entityName: "Tag")
                request.propertiesToUpdate = values
                return request
            }
            let (large, small) = (NSValidationNumberTooLargeError, NSValidationNumberTooSmallError)
            for (request, code, key) in [
                (update(["rank": 70_000]), large, "rank"), (update(["rank": -40_000]), small, "rank"),
                (update(["weight": 3_000_000_000]), large, "weight"),
                (update(["rank": NSExpression(format: "rank + 60000")]), large, "rank"),
                (update(["weight": NSExpression(format: "weight - 3000000000.5")]), small, "weight"),
                (update(["total": NSExpression(format: "total * 1.0e300")]), large, "total"),
                (NSBatchInsertRequest(entityName: "Tag", objects: [[:], ["rank": 70_000]]), large, "rank"),
                (
                    NSBatchInsertRequest(entityName: "Tag") { (tag: NSManagedObject) in
                        tag.setValue(-40_000, forKey: "rank")
                        return false
                    }, small, "rank"
                ),
            ] as [(NSPersistentStoreRequest, Int, String)] {
                let error = try #require(throws: NSError.self) { try context.execute(request) }
                #expect(error.code == code)
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
            }
            try context.execute(update(["rank": 32_767, "weight": NSExpression(format: "weight + 2.5")]))
            let tag = context.make("Tag", ["rank": 70_000])
            #expect(try #require(throws: NSError.self) { try context.save() }.code == large)
            context.delete(tag)
        }
        #expect(try stack.lines("Tag", "rank", "weight", "total") == ["32767 4 3 2"])
    }

    @Test("composite attributes are set as a dictionary and element by element, and their elements computed")
    func composites() throws {
        let stack = try TextStack("entity Box\n name string", kind: .current) { model in
            let unit = NSCompositeAttributeDescription()
            unit.name = "unit"
            unit.elements = [Self.attribute("name", .stringAttributeType)]
            let size = NSCompositeAttributeDescription()
            size.name = "size"
            size.elements = [
                Self.attribute("width", .integer16AttributeType), Self.attribute("height", .integer16AttributeType),
                unit,
            ]
            model.entitiesByName["Box"]?.properties.append(size)
        }
        let context = stack.context()
        func sizes() throws -> [String] {
            context.refreshAllObjects()
            return try context.all("Box").map { box in
                let size = box.value(forKey: "size") as? [String: Any]
                let unit = (size?["unit"] as? [String: Any])?["name"] as? String
                return "\(box.value(forKey: "name") as? String ?? ""): \(size?["width"] as? Int ?? 0) "
                    + "\(size?["height"] as? Int ?? 0) \(unit ?? "-")"
            }.sorted()
        }
        try context.performAndWait {
            let rows: [[String: Any]] = [
                ["name": "a", "size": ["width": 1, "unit": ["name": "m"]]],
                ["name": "b", "size.height": 2, "size.unit.name": "km"], ["name": "c", "size": NSNull()],
            ]
            try context.execute(NSBatchInsertRequest(entityName: "Box", objects: rows))
            #expect(try sizes() == ["a: 1 0 m", "b: 0 2 km", "c: 0 0 -"])
            for (format, values) in [
                ("name == 'a'", ["size": ["height": 7]]), ("name == 'b'", ["size.width": 3]),
                ("name == 'b'", ["size.height": NSExpression(format: "size.height * 10")]),
                ("name == 'c'", ["size.unit": ["name": "cm"]]),
            ] as [(String, [AnyHashable: Any])] {
                let update = NSBatchUpdateRequest(entityName: "Box")
                update.predicate = NSPredicate(format: format)
                update.propertiesToUpdate = values
                try context.execute(update)
            }
            #expect(try sizes() == ["a: 0 7 -", "b: 3 20 km", "c: 0 0 cm"])
            for row in [["size": ["depth": 1]], ["size": 5], ["size.depth": 1], ["size": ["unit": 1]]]
                as [[String: Any]]
            {
                let error = try #require(throws: NSError.self) {
                    try context.execute(NSBatchInsertRequest(entityName: "Box", objects: [row]))
                }
                #expect(error.code == NSManagedObjectValidationError)
            }
            let large = try #require(throws: NSError.self) {
                try context.execute(NSBatchInsertRequest(entityName: "Box", objects: [["size": ["width": 70_000]]]))
            }
            #expect(large.code == NSValidationNumberTooLargeError)
            #expect(large.userInfo[NSValidationKeyErrorKey] as? String == "size.width")
        }
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
}
