import CoreData
import Foundation

/// Reads values into memory that the caller has, of whatever type they are.
class MemoryPlan: @unchecked Sendable {  // immutable
    /// Gives memory its value; false if the store has none, and then the memory stays as it was.
    func read(_ core: _ModelCore, into memory: UnsafeMutableRawPointer) -> Bool { false }
}

/// Reads and writes the structures of one property. Their fields are read and written in memory at their offsets.
final class StructurePlan: MemoryPlan, @unchecked Sendable {  // immutable
    private let fields: [FieldPlace]
    /// A structure with a field that the store does not have cannot be read.
    private let isWhole: Bool

    init(_ fields: [StructureField], at path: String, _ composite: NSCompositeAttributeDescription) {
        self.fields = fields.compactMap { field in
            composite.elements.first { $0.name == field.name }.flatMap { element in
                FieldPlace(field, at: "\(path).\(field.name)", element)
            }
        }
        isWhole = self.fields.count == fields.count
    }

    override func read(_ core: _ModelCore, into memory: UnsafeMutableRawPointer) -> Bool {
        guard isWhole else { return false }
        return fields.withUnsafeBufferPointer { fields in
            for index in fields.indices where !fields[index].read(core, into: memory) {
                for done in fields[..<index] { done.destroy(in: memory) }
                return false
            }
            return true
        }
    }

    func write(from memory: UnsafeRawPointer, to core: _ModelCore) {
        for field in fields { field.write(from: memory, to: core) }
    }

    func clear(_ core: _ModelCore) {
        for field in fields { field.clear(core) }
    }

    func isPresent(_ core: _ModelCore) -> Bool { fields.contains { $0.isPresent(core) } }

    func destroy(in memory: UnsafeMutableRawPointer) {
        for field in fields { field.destroy(in: memory) }
    }
}
