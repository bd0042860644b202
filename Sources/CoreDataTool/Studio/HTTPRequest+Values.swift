import CoreData
import Foundation
import StudioServer

extension HTTPRequest {
    /// A value that the request must have.
    func required(_ name: String) throws -> String {
        guard let value = query[name], !value.isEmpty else { throw StudioFailure(400, "'\(name)' is missing") }
        return value
    }

    /// Throws for texts that cannot be compared in a short time.
    func checkMarks() throws {
        let isEndless =
            query.values.contains(where: CombiningMarks.areEndless)
            || body.withUnsafeBytes { CombiningMarks.endlessRun(in: $0) != nil }
        if isEndless { throw StudioFailure(400, "a letter has too many combining marks") }
    }

    /// A number of the query.
    func number(_ name: String, in range: ClosedRange<Int>, else usual: Int) throws -> Int {
        guard let text = query[name], !text.isEmpty else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw StudioFailure(400, "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The parts of a list with commas. A part that has commas itself has them escaped, as addresses have.
    func list(_ name: String) -> [String] { parts(name).map(Self.unescaped) }

    /// The keys of a list by which objects are sorted.
    func sortKeys(_ name: String) -> [RequestOptions.SortKey] {
        parts(name).map { RequestOptions.SortKey(written: $0, read: Self.unescaped) }
    }

    private func parts(_ name: String) -> [String] {
        (query[name] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func unescaped(_ text: String) -> String { text.removingPercentEncoding ?? text }

    /// The body of a request as the value that it should be.
    func value<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: body)
        } catch {
            throw StudioFailure(400, "the body of the request is not what was expected")
        }
    }
}
