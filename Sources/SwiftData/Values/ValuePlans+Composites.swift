import CoreData
import Foundation

extension ValuePlans {
    // MARK: Structures

    /// The plan of a structure, whose fields are read and written in memory at their offsets.
    static func structure<Value>(
        _ type: Value.Type, _ fields: [StructureField], at path: String, _ composite: NSCompositeAttributeDescription
    ) -> ValuePlan<Value> {
        let places = fields.compactMap { field -> (any FieldPlace)? in
            guard let element = composite.elements.first(where: { $0.name == field.name }) else { return nil }
            return place(of: field, at: "\(path).\(field.name)", element)
        }
        // A field that the store does not have cannot be read.
        let isWhole = places.count == fields.count
        return ValuePlan<Value>(
            read: { isWhole ? StructureMemory.read(type, places, $0) : nil },
            write: { value, core in
                guard var value else { return places.forEach { $0.clear(core) } }
                withUnsafeBytes(of: &value) { bytes in
                    for place in places { bytes.baseAddress.map { place.write(from: $0, to: core) } }
                }
            },
            hasValue: { core in places.contains { $0.isPresent(core) } })
    }

    private static func place(of field: StructureField, at path: String, _ element: NSAttributeDescription)
        -> (any FieldPlace)?
    {
        func open<Field>(_ type: Field.Type) -> (any FieldPlace)? {
            if let optional = type as? any OptionalType.Type {
                func openWrapped<Wrapped>(_ type: Wrapped.Type) -> (any FieldPlace)? {
                    OptionalFieldPlace<Wrapped>(
                        offset: field.offset, plan: ValuePlans.plan(of: type, at: path, element))
                }
                return _openExistential(optional.wrappedType, do: openWrapped)
            }
            return PlainFieldPlace<Field>(offset: field.offset, plan: ValuePlans.plan(of: type, at: path, element))
        }
        return _openExistential(field.type, do: open)
    }

    // MARK: Enumerations without a raw value

    /// The plan of an enumeration: the column of the present case has the case's name, or its payload.
    static func enumeration<Value>(
        _ type: Value.Type, _ cases: [EnumerationCase], at path: String, _ composite: NSCompositeAttributeDescription
    ) -> ValuePlan<Value> {
        let slots = cases.map { ManagedSlot("\(path).\($0.name)") }
        // A store may keep payloads as texts.
        let isText = cases.map { one in
            composite.elements.first { $0.name == one.name }?.attributeType == .stringAttributeType
        }
        let plain = cases.map { $0.hasPayload ? nil : decoded(type, #"{"\#($0.name)":{}}"#) }
        func hasValue(_ core: _ModelCore, _ index: Int) -> Bool {
            isText[index] ? core.string(slots[index]) != nil : core.data(slots[index]) != nil
        }
        return ValuePlan<Value>(
            read: { core in
                guard let index = cases.indices.first(where: { hasValue(core, $0) }) else { return nil }
                if let value = plain[index] { return value }
                let payload =
                    isText[index]
                    ? core.string(slots[index])
                    : core.data(slots[index]).flatMap { String(data: $0, encoding: .utf8) }
                guard let payload else { return nil }
                return decoded(type, #"{"\#(cases[index].name)":\#(payload)}"#)
            },
            write: { value, core in
                let present = value.flatMap { name(of: $0) }
                for (index, one) in cases.enumerated() {
                    let payload = one.name == present?.name ? present?.payload : nil
                    if isText[index] {
                        let text = payload.map { one.hasPayload ? String(decoding: $0, as: UTF8.self) : one.name }
                        core.set(slots[index], string: text)
                    } else {
                        core.set(slots[index], data: payload)
                    }
                }
            },
            hasValue: { core in cases.indices.contains { hasValue(core, $0) } })
    }

    private static func decoded<Value>(_ type: Value.Type, _ text: String) -> Value? {
        guard let type = type as? any Decodable.Type else { return nil }
        return try? JSONDecoder().decode(type, from: Data(text.utf8)) as? Value
    }

    /// The name of the present case, and its payload as JSON.
    private static func name<Value>(of value: Value) -> (name: String, payload: Data)? {
        guard let encodable = value as? any Encodable, let data = try? JSONEncoder().encode(encodable),
            let whole = try? JSONSerialization.jsonObject(with: data) as? [String: Any], let first = whole.first,
            let payload = try? JSONSerialization.data(withJSONObject: first.value, options: [.sortedKeys])
        else { return nil }
        return (first.key, payload)
    }
}

/// A field of a structure in memory.
private protocol FieldPlace: Sendable {
    /// Gives the field of a structure under construction its value; false if the store does not have it.
    func read(_ core: _ModelCore, into base: UnsafeMutableRawPointer) -> Bool
    func write(from base: UnsafeRawPointer, to core: _ModelCore)
    func clear(_ core: _ModelCore)
    func isPresent(_ core: _ModelCore) -> Bool
    /// Ends the value of a field whose structure could not be read to the end.
    func destroy(in base: UnsafeMutableRawPointer)
}

private struct PlainFieldPlace<Field>: FieldPlace {
    let offset: Int
    let plan: ValuePlan<Field>

    func read(_ core: _ModelCore, into base: UnsafeMutableRawPointer) -> Bool {
        guard let value = plan.read(core) else { return false }
        (base + offset).initializeMemory(as: Field.self, to: value)
        return true
    }

    func write(from base: UnsafeRawPointer, to core: _ModelCore) {
        plan.write((base + offset).assumingMemoryBound(to: Field.self).pointee, core)
    }

    func clear(_ core: _ModelCore) { plan.write(nil, core) }
    func isPresent(_ core: _ModelCore) -> Bool { plan.isPresent(core) }
    func destroy(in base: UnsafeMutableRawPointer) {
        (base + offset).assumingMemoryBound(to: Field.self).deinitialize(count: 1)
    }
}

private struct OptionalFieldPlace<Field>: FieldPlace {
    let offset: Int
    let plan: ValuePlan<Field>

    func read(_ core: _ModelCore, into base: UnsafeMutableRawPointer) -> Bool {
        (base + offset).initializeMemory(as: Field?.self, to: plan.readOptional(core))
        return true
    }

    func write(from base: UnsafeRawPointer, to core: _ModelCore) {
        plan.write((base + offset).assumingMemoryBound(to: Field?.self).pointee, core)
    }

    func clear(_ core: _ModelCore) { plan.write(nil, core) }
    func isPresent(_ core: _ModelCore) -> Bool { plan.isPresent(core) }
    func destroy(in base: UnsafeMutableRawPointer) {
        (base + offset).assumingMemoryBound(to: Field?.self).deinitialize(count: 1)
    }
}

private enum StructureMemory {
    /// Makes a structure of its fields, all of which have a place.
    static func read<Value>(_ type: Value.Type, _ places: [any FieldPlace], _ core: _ModelCore) -> Value? {
        withUnsafeTemporaryAllocation(of: type, capacity: 1) { memory in
            guard let base = UnsafeMutableRawPointer(memory.baseAddress) else { return nil }
            for (index, place) in places.enumerated() where !place.read(core, into: base) {
                for done in places[..<index] { done.destroy(in: base) }
                return nil
            }
            return memory.baseAddress?.move()
        }
    }
}
