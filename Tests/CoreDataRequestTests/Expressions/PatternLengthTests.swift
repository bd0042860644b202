import CoreData
import Foundation
import TestSupport
import Testing

struct PatternLengthTests {
    @Test("A pattern that is too long is no regular expression, in a predicate and in a model")
    func longPattern() throws {
        let pattern = String(repeating: "[a-z]", count: 4_000)
        let predicate = NSPredicate(format: "name MATCHES %@", pattern)
        #expect(throws: (any Error).self) { try predicate.requirePatterns() }
        try NSPredicate(format: "name MATCHES %@", String(pattern.prefix(16_000))).requirePatterns()
        #expect(throws: (any Error).self) { try NSRegularExpression.limited(pattern) }

        let source = """
            <model><entity name="E"><attribute name="a" optional="YES" attributeType="String" \
            regularExpressionString="\(pattern)"/></entity></model>
            """
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("Long.xcdatamodel")
            try Data(source.utf8).write(to: file)
            let model = try NSManagedObjectModel.read(contentsOf: file)
            let attribute = try #require(model.entitiesByName["E"]?.attributesByName["a"])
            #expect(attribute.validationPredicates.isEmpty)
        }
    }
}
