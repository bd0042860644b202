import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Predicates of very many levels")
struct DeepPredicateTests {
    @Test(
        "A predicate of very many levels is asked, printed, compared, hashed, rewritten and released",
        arguments: DeepShape.allCases)
    func deep(shape: DeepShape) throws {
        let (predicate, holds) = shape.make(DeepShape.levels)
        #expect(predicate.evaluate(with: ["n": 0]) == holds)
        #expect(predicate.evaluate(with: ["n": 0], substitutionVariables: ["x": 1]) == holds)
        #expect(predicate.copy() as? NSPredicate == predicate)
        #expect(!predicate.description.isEmpty)
        #expect(predicate.keyPaths == ["n"])
        let other = shape.make(DeepShape.levels).predicate
        #expect(predicate == other)
        #expect(predicate.hash == other.hash)
        #expect(predicate != shape.make(DeepShape.levels + 1).predicate)
        #expect(predicate.withSubstitutionVariables(["x": 1]) === predicate)
        let doubled = predicate.rewriting { expression in
            if case .constant = expression.payload { NSExpression(forConstantValue: 7) } else { expression }
        }
        #expect(doubled != predicate)
        #expect(predicate.drawnTogether.evaluate(with: ["n": 0]) == holds)
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: "list"), usingIteratorVariable: "i", predicate: predicate)
        #expect(subquery.height < NSExpression.heightLimit)
        #expect((subquery.expressionValue(with: ["n": 0, "list": [1]], context: nil) as? [Int])?.isEmpty == !holds)
    }

    @Test("Variables in a deep predicate are replaced")
    func variables() {
        let chain = (0..<20_000).reduce(NSPredicate(format: "n == $x")) { part, _ in
            NSCompoundPredicate(orPredicateWithSubpredicates: [part, NSPredicate(format: "n == $x")])
        }
        #expect(chain.withSubstitutionVariables(["x": 3]).evaluate(with: ["n": 3]))
        #expect(chain.evaluate(with: ["n": 3], substitutionVariables: ["x": 3]))
        #expect(!chain.evaluate(with: ["n": 3], substitutionVariables: ["x": 4]))
    }

    @Test("The printed text of a chain of conditions reads back as the same question", arguments: [10, 60, 150, 5000])
    func printing(length: Int) throws {
        for shape in [DeepShape.chain, .tail] {
            let predicate = shape.make(length).predicate
            let copy = try NSPredicate.parse(format: predicate.description)
            #expect(copy.drawnTogether == predicate.drawnTogether)
        }
    }

    @Test("A text of 5,000 conditions is read, and one of 100,000 levels is refused with the limit")
    func parsing() throws {
        let text = (0..<5000).map { "n == \($0) OR m < \($0)" }.joined(separator: " OR ")
        let predicate = try #require(try NSPredicate.parse(format: text) as? NSCompoundPredicate)
        #expect(predicate.subpredicates.count == 10_000)
        for (open, close) in [
            ("(", ")"), ("NOT ", ""), ("NOT (", ")"), ("-", ""), ("SUBQUERY(a, $x, ", ").@count == 1"),
        ] {
            let count = open == "NOT " ? 100_000 : 10_000
            let deep = String(repeating: open, count: count) + "n == 1" + String(repeating: close, count: count)
            let error = #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: deep) }
            #expect(error?.problem.contains("100") == true, "\(open): \(error?.problem ?? "")")
        }
    }

    @Test("An expression has at most 1,000 levels, which are evaluated and printed; a text of more is refused")
    func expressions() throws {
        let height = NSExpression.heightLimit
        let sum = (1..<height).reduce(NSExpression(forKeyPath: "n")) { left, _ in
            NSExpression(forFunction: "add:to:", arguments: [left, NSExpression(forConstantValue: 1)])
        }
        #expect(sum.height == height)
        #expect(sum.expressionValue(with: ["n": 1], context: nil) as? Int == height)
        #expect(try NSExpression.parse(format: sum.description) == sum)
        #expect(sum.substituting(["x": 1]) == sum)
        let error = #expect(throws: PredicateParseError.self) {
            try NSExpression.parse(format: "n" + String(repeating: " + 1", count: 100_000))
        }
        #expect(error?.problem == "more than \(height) operators are applied to each other")
        // Levels that no operator makes: lists within functions within lists.
        let close = String(repeating: " + 1", count: 40) + "})"
        let nested = String(repeating: "sum({", count: 45) + "1" + String(repeating: close, count: 45) + " == 1"
        #expect(throws: PredicateParseError.self) { try NSPredicate.parse(format: nested) }
    }

    @Test("An expression that is too high stops the program with the limit")
    func tooHigh() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = (0..<2000).reduce(NSExpression(forKeyPath: "n")) { left, _ in
                NSExpression(forFunction: "abs:", arguments: [left])
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("An NSExpression of 1001 expressions within each other"))
    }

    @Test("Predicates drawn together ask the same", arguments: Sample.seeds(6, long: 40))
    func drawnTogether(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        // Small ones have the rare forms as often as large ones, and cost little.
        let predicates =
            [RandomCompounds.make(6, &generator)] + (0..<30).map { _ in RandomCompounds.make(3, &generator) }
        for predicate in predicates {
            let flat = predicate.drawnTogether
            let answers = [predicate, flat].map { asked in (0..<8).map { asked.evaluate(with: ["n": $0]) } }
            #expect(answers[0] == answers[1], "\(predicate) as \(flat)")
            let heights = [predicate, flat].map { ($0 as? NSCompoundPredicate)?.height ?? 0 }
            #expect(heights[1] <= heights[0], "\(predicate) as \(flat)")
        }
    }

    @Test("An archive holds a chain of any length, and refuses more levels than it could read")
    func archiving() throws {
        func model(_ predicate: NSPredicate) -> NSManagedObjectModel {
            let model = SampleModels.library()
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: model.entities[0].name ?? "")
            request.predicate = predicate
            model.setFetchRequestTemplate(request, forName: "deep")
            return model
        }
        let chain = DeepShape.chain.make(5000).predicate
        let copy = try ModelArchive.decode(ModelArchive.encode(model(chain)))
        #expect(copy.fetchRequestTemplate(forName: "deep")?.predicate == chain.drawnTogether)
        let error = #expect(throws: NSError.self) {
            try ModelArchive.encode(model(DeepShape.alternation.make(DeepShape.levels).predicate))
        }
        #expect(error?.localizedDescription.contains("cannot be archived in a model: 127 is the most") == true)
    }
}
