import CoreData
import Foundation

/// Which parts of a fetch of models the stores carry out, and which ones the program.
///
/// OpenCoreData only.
public struct ModelFetchExplanation: Sendable {
    /// Who decides a condition.
    public enum Decider: Sendable, Equatable {
        /// The stores, by SQL.
        case store
        /// The program, on each model that the stores find.
        case program
    }

    /// One of the conditions that the predicate joins by `&&`.
    public struct Condition: Sendable, Equatable {
        /// The condition: that of the store, or the expression of Swift.
        public let text: String
        /// Who decides it.
        public let decider: Decider
        /// The type of the part that has no SQL; nil for a condition of the store.
        public let untranslatedPart: String?
    }

    /// The conditions in their order.
    public let conditions: [Condition]
    /// Who sorts.
    public let sorter: Decider
    /// How each store carries out its part.
    public let statements: [FetchExplanation]
}

extension ModelFetchExplanation: CustomStringConvertible {
    /// A line for each condition, for the order, and for each statement.
    public var description: String {
        let lines = conditions.map { condition in
            switch condition.decider {
            case .store: "store: \(condition.text)"
            case .program:
                "program: \(condition.text)" + (condition.untranslatedPart.map { " (no SQL for \($0))" } ?? "")
            }
        }
        return (lines + ["order: \(sorter)"] + statements.map(\.statement)).joined(separator: "\n")
    }
}

extension ModelContext {
    /// Says which parts of a fetch the stores carry out, and which ones the program. The fetch is not run.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter descriptor: The condition and the order.
    /// - Returns: The explanation.
    /// - Throws: As ``fetch(_:)``.
    public func explanation<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> ModelFetchExplanation {
        let fetch = try modelFetch(descriptor)
        let stored = fetch.stored.map { condition, place in
            (place, ModelFetchExplanation.Condition(text: condition.printed, decider: .store, untranslatedPart: nil))
        }
        let evaluated = fetch.evaluated.map { condition in
            let part = condition.untranslated.map { "\($0)".prefix { $0 != "<" } }
            return (
                condition.place,
                ModelFetchExplanation.Condition(
                    text: condition.text, decider: .program, untranslatedPart: part.map(String.init))
            )
        }
        return ModelFetchExplanation(
            conditions: (stored + evaluated).sorted { $0.0 < $1.0 }.map(\.1),
            sorter: fetch.sortDescriptors == nil ? .program : .store,
            statements: try managed.explain(try request(fetch)))
    }
}
