import CoreData
import Foundation
import Synchronization

/// The plan for a property that was used last. A plan belongs to a schema, which stays for ever.
final class PlanCache: Sendable {
    /// A plan with the number of the layout for which it was made.
    private final class Entry {
        let layout: UInt32
        let plan: AnyObject
        /// The plan for reads.
        let memoryPlan: MemoryPlan

        init<Value>(_ layout: UInt32, _ plan: ValuePlan<Value>) {
            self.layout = layout
            self.plan = plan
            memoryPlan = plan.memoryPlan
        }
    }

    /// The address of the entry, which its schema keeps.
    private let found = Atomic<UInt>(0)

    /// Gives memory the value of a property; false if the store has none.
    @inline(__always)
    func read<Value>(named name: String, of core: _ModelCore, into memory: UnsafeMutablePointer<Value>) -> Bool {
        if let pointer = UnsafeRawPointer(bitPattern: found.load(ordering: .acquiring)) {
            let result = Unmanaged<Entry>.fromOpaque(pointer)._withUnsafeGuaranteedRef { entry -> Bool? in
                entry.layout == core.layoutNumber ? entry.memoryPlan.read(core, into: memory) : nil
            }
            if let result { return result }
        }
        return find(Value.self, name, core).memoryPlan.read(core, into: memory)
    }

    @inline(__always)
    func plan<Value>(of type: Value.Type, named name: String, in core: _ModelCore) -> ValuePlan<Value> {
        let address = found.load(ordering: .acquiring)
        if let pointer = UnsafeRawPointer(bitPattern: address) {
            let entry = Unmanaged<Entry>.fromOpaque(pointer)
            let plan = entry._withUnsafeGuaranteedRef { $0.layout == core.layoutNumber ? $0.plan : nil }
            if let plan { return unsafeDowncast(plan, to: ValuePlan<Value>.self) }
        }
        return find(type, name, core)
    }

    @inline(never)
    private func find<Value>(_ type: Value.Type, _ name: String, _ core: _ModelCore) -> ValuePlan<Value> {
        let entity = core.entity
        let kept = core.modelType.plan(named: name) {
            guard let attribute = entity.attributesByName[name] else {
                fatalError("'\(name)' is no attribute of entity '\(entity.name ?? "")'")
            }
            return Entry(core.layoutNumber, ValuePlans.plan(of: type, at: name, attribute))
        }
        let entry = unsafeDowncast(kept, to: Entry.self)
        found.store(UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque()), ordering: .releasing)
        guard let plan = entry.plan as? ValuePlan<Value> else {
            fatalError("Property '\(name)' of entity '\(entity.name ?? "")' is no \(type)")
        }
        return plan
    }
}
