import CoreData
import Foundation

/// A field of a structure, at its offset in memory.
struct FieldPlace {
    /// How the field is read. Most fields are of a plain type, and their reads are compiled for it: a read of any type
    /// costs ten times as much.
    private enum Kind {
        case integer, double, boolean, string, date, uuid
        case structure(StructurePlan)
        case any
    }

    private let offset: Int
    private let isOptional: Bool
    private let kind: Kind
    private let slot: ManagedSlot
    private let plan: any FieldPlan

    /// - Parameter path: The name of the property, with the names of fields behind it.
    init(_ field: StructureField, at path: String, _ element: NSAttributeDescription) {
        offset = field.offset
        isOptional = field.isOptional
        slot = ManagedSlot(path)
        plan = Self.plan(of: field, at: path, element)
        kind = Self.kind(of: field, at: path, element)
    }

    private static func kind(of field: StructureField, at path: String, _ element: NSAttributeDescription) -> Kind {
        if let composite = element as? NSCompositeAttributeDescription {
            guard !field.isOptional, case .structure(let fields) = ValueKind.of(field.type) else { return .any }
            return .structure(StructurePlan(fields, at: path, composite))
        }
        if element.attributeType == .transformableAttributeType { return .any }
        switch ObjectIdentifier(ModelBuilder.unwrapped(field.type)) {
        case ObjectIdentifier(Int.self): return .integer
        case ObjectIdentifier(Double.self): return .double
        case ObjectIdentifier(Bool.self): return .boolean
        case ObjectIdentifier(String.self): return .string
        case ObjectIdentifier(Date.self): return .date
        case ObjectIdentifier(UUID.self): return .uuid
        default: return .any
        }
    }

    private static func plan(of field: StructureField, at path: String, _ element: NSAttributeDescription)
        -> any FieldPlan
    {
        func open<Field>(_ type: Field.Type) -> any FieldPlan {
            if let optional = type as? any OptionalType.Type {
                func openWrapped<Wrapped>(_ type: Wrapped.Type) -> any FieldPlan {
                    OptionalFieldPlan<Wrapped>(plan: ValuePlans.plan(of: type, at: path, element))
                }
                return _openExistential(optional.wrappedType, do: openWrapped)
            }
            return PlainFieldPlan<Field>(plan: ValuePlans.plan(of: type, at: path, element))
        }
        return _openExistential(field.type, do: open)
    }

    // MARK: Values

    /// Gives the field of a structure under construction its value; false if the store does not have it.
    @inline(__always)
    func read(_ core: _ModelCore, into structure: UnsafeMutableRawPointer) -> Bool {
        let memory = structure + offset
        switch kind {
        case .integer: return read(Int.self, core, memory)
        case .double: return read(Double.self, core, memory)
        case .boolean: return read(Bool.self, core, memory)
        case .string: return read(String.self, core, memory)
        case .date: return read(Date.self, core, memory)
        case .uuid: return read(UUID.self, core, memory)
        case .structure(let plan): return plan.read(core, into: memory)
        case .any: return plan.read(core, into: memory)
        }
    }

    @inline(__always)
    private func read<Value: ManagedAttributeValue>(
        _ type: Value.Type, _ core: _ModelCore, _ memory: UnsafeMutableRawPointer
    ) -> Bool {
        let value = Value.optionalManagedValue(of: slot, in: core)
        if isOptional {
            memory.initializeMemory(as: Value?.self, to: value)
            return true
        }
        guard let value else { return false }
        memory.initializeMemory(as: type, to: value)
        return true
    }

    func write(from structure: UnsafeRawPointer, to core: _ModelCore) { plan.write(from: structure + offset, to: core) }
    func clear(_ core: _ModelCore) { plan.clear(core) }
    func isPresent(_ core: _ModelCore) -> Bool { plan.isPresent(core) }
    /// Ends the value of a field whose structure could not be read to the end.
    func destroy(in structure: UnsafeMutableRawPointer) { plan.destroy(structure + offset) }
}

/// Reads and writes a field of any type.
private protocol FieldPlan: Sendable {
    func read(_ core: _ModelCore, into memory: UnsafeMutableRawPointer) -> Bool
    func write(from memory: UnsafeRawPointer, to core: _ModelCore)
    func clear(_ core: _ModelCore)
    func isPresent(_ core: _ModelCore) -> Bool
    func destroy(_ memory: UnsafeMutableRawPointer)
}

private struct PlainFieldPlan<Field>: FieldPlan {
    let plan: ValuePlan<Field>

    func read(_ core: _ModelCore, into memory: UnsafeMutableRawPointer) -> Bool { plan.read(core, into: memory) }
    func write(from memory: UnsafeRawPointer, to core: _ModelCore) {
        plan.write(memory.assumingMemoryBound(to: Field.self).pointee, core)
    }
    func clear(_ core: _ModelCore) { plan.write(nil, core) }
    func isPresent(_ core: _ModelCore) -> Bool { plan.isPresent(core) }
    func destroy(_ memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: Field.self).deinitialize(count: 1)
    }
}

private struct OptionalFieldPlan<Field>: FieldPlan {
    let plan: ValuePlan<Field>

    func read(_ core: _ModelCore, into memory: UnsafeMutableRawPointer) -> Bool {
        memory.initializeMemory(as: Field?.self, to: plan.readOptional(core))
        return true
    }
    func write(from memory: UnsafeRawPointer, to core: _ModelCore) {
        plan.write(memory.assumingMemoryBound(to: Field?.self).pointee, core)
    }
    func clear(_ core: _ModelCore) { plan.write(nil, core) }
    func isPresent(_ core: _ModelCore) -> Bool { plan.isPresent(core) }
    func destroy(_ memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: Field?.self).deinitialize(count: 1)
    }
}
