import CoreData
import Foundation

extension ValuePlans {
    // MARK: Structures

    /// The plan of a structure, whose fields are read and written in memory at their offsets.
    static func structure<Value>(
        _ type: Value.Type, _ fields: [StructureField], at path: String, _ composite: NSCompositeAttributeDescription
    ) -> ValuePlan<Value> {
        let structure = StructurePlan(fields, at: path, composite)
        return ValuePlan<Value>(
            read: { core in
                withUnsafeTemporaryAllocation(of: type, capacity: 1) { memory in
                    guard let base = memory.baseAddress, structure.read(core, into: UnsafeMutableRawPointer(base))
                    else { return nil }
                    return base.move()
                }
            },
            write: { value, core in
                guard var value else { return structure.clear(core) }
                withUnsafeBytes(of: &value) { bytes in
                    bytes.baseAddress.map { structure.write(from: $0, to: core) }
                }
            },
            hasValue: { structure.isPresent($0) }, structure: structure)
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
    static func name<Value>(of value: Value) -> (name: String, payload: Data)? {
        guard let encodable = value as? any Encodable, let data = try? JSONEncoder().encode(encodable),
            let whole = try? JSONSerialization.jsonObject(with: data) as? [String: Any], let first = whole.first,
            let payload = try? JSONSerialization.data(withJSONObject: first.value, options: [.sortedKeys])
        else { return nil }
        return (first.key, payload)
    }
}
