import Foundation

/// A fetch index that stores in tables do not have, because no column holds the values of one of its elements.
package struct MissingIndex: Hashable, Sendable, CustomStringConvertible {
    package let entity: String
    package let index: String
    /// The reason, in the words with which the reader of sources warns.
    package let reason: String

    package var description: String { "\(entity), index '\(index)': \(reason)" }

    init(entity: String, index: String, expression: String) {
        self.entity = entity
        self.index = index
        reason = ModelWarning.missingColumn(of: expression)
    }

    /// Writes a line to standard error, once, unless the reader of the model's source has written it.
    package func report() {
        if ModelWarning.isPrinted(reason) || !Self.reported.withLock({ $0.insert(self).inserted }) { return }
        FileHandle.standardError.write(Data("CoreData: warning: \(self)\n".utf8))
    }

    private static let reported = Locked<Set<MissingIndex>>([])
}

extension NSManagedObjectModel {
    /// The fetch indexes with an element that computes values that no column holds.
    package var missingIndexes: [MissingIndex] {
        let layout = layout
        return layout.hasComputedIndexes ? SQLSchemaBuilder.missingIndexes(of: layout) : []
    }
}

extension ModelLayout {
    fileprivate var hasComputedIndexes: Bool {
        entities.contains { entity in
            entity.entity.indexes.contains { $0.elements.contains { $0.ownedExpression != nil } }
        }
    }
}
