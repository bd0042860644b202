// What is needed once in the module swiftdata_bench. Generated: changes will be lost.

import CoreData
/// What the framework calls by name. It finds the class by its own name.
nonisolated final class CoreDataNamedMethods: NamedMethodList {
    static var methods: [NamedMethod] {
        var methods: [NamedMethod] = []
        methods.append(NamedMethod(of: Book.self, "fieldSum") { object, values in object.fieldSum })
        return methods
    }
}
#if compiler(>=6.3) && os(Linux)
    @section("opencoredata_modules") @used private let managedModuleName: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (115, 119, 105, 102, 116, 100, 97, 116, 97, 95, 98, 101, 110, 99, 104, 0, 115, 119, 105, 102, 116, 100, 97, 116, 97, 95, 98, 101, 110, 99, 104, 46, 67, 111, 114, 101, 68, 97, 116, 97, 78, 97, 109, 101, 100, 77, 101, 116, 104, 111, 100, 115, 0)
#endif
