import Foundation

/// The methods of classes by their names in Objective-C, from the lists of the program's modules.
///
/// The program contains the names of the lists that the plugin wrote, so all of them are read at the first call. The
/// runtime takes a millisecond to find that there is no class of a name. So the class of a list that the plugin did not
/// write is looked up once, at the first call for a class of its module.
enum NamedMethods {
    typealias Body = (AnyObject, NamedArguments) throws -> Any?

    /// The methods of one class, with those of its superclasses.
    private struct Table {
        var bodies: [String: Body] = [:]
        var validates = false
    }

    private struct Tables {
        /// The names of the lists that were looked up.
        var lists: Set<String> = []
        /// The methods that each class itself declares.
        var declared: [ObjectIdentifier: [String: Body]] = [:]
        var ofClasses: [ObjectIdentifier: Table] = [:]
        /// The classes without methods of validation, which are known without a list.
        var unvalidated: Set<ObjectIdentifier> = []
        /// The modules of the lists that were found.
        var listedModules: Set<String> = []
        /// The classes without a list that a debug build has reported.
        var reported: Set<ObjectIdentifier> = []
    }

    private static let lock = NSRecursiveLock()
    // nonisolated(unsafe): read and written under `lock` only, which is recursive.
    nonisolated(unsafe) private static var tables = Tables()

    /// The method of an object's class; nil where no list has it.
    static func body(_ name: String, of object: AnyObject) -> Body? { table(of: type(of: object)).bodies[name] }

    /// Calls the method of an object's class; nil where no list has it.
    static func call(_ name: String, of object: AnyObject, _ arguments: [Any?]) throws -> Any?? {
        guard let body = body(name, of: object) else { return .none }
        return .some(try body(object, NamedArguments(arguments)))
    }

    /// The keys of a class's getters whose values are affected by the values of other keys, as the class says.
    static func affectedKeys(of type: NSManagedObject.Type) -> [String] {
        table(of: type).bodies.keys.sorted().filter {
            !$0.contains(":") && !type.keyPathsForValuesAffectingValue(forKey: $0).isEmpty
        }
    }

    /// Whether a class has methods such as `validateEmail(_:)`.
    ///
    /// A save asks this. So the program names the lists that have such methods, and only those are read here.
    static func validates(_ type: AnyClass) -> Bool {
        lock.withLock {
            if let known = tables.ofClasses[ObjectIdentifier(type)] { return known.validates }
            if tables.unvalidated.contains(ObjectIdentifier(type)) { return false }
            if registersValidation || !isRegistered(type) { return table(of: type).validates }
            tables.unvalidated.insert(ObjectIdentifier(type))
            return false
        }
    }

    private static let registersValidation = ManagedClassLookup.registeredNames.contains {
        $0.hasSuffix(".CoreDataNamedMethods.validate")
    }

    /// Whether the plugin has listed the methods of a class and of all of its superclasses.
    private static func isRegistered(_ type: AnyClass) -> Bool {
        if type == NSManagedObject.self { return true }
        guard ManagedClassLookup.registeredNames.contains(module(of: type)), let superclass = _getSuperclass(type)
        else {
            return false
        }
        return isRegistered(superclass)
    }

    private static func module(of type: AnyClass) -> String {
        // String(reflecting:) looks for conformances of the class's type, which takes as long as a search for a class.
        String(_typeName(type).prefix { $0 != "." })
    }

    private static func table(of type: AnyClass) -> Table {
        lock.withLock {
            if let known = tables.ofClasses[ObjectIdentifier(type)] { return known }
            // No list has methods of the framework's own classes.
            if module(of: type) == "CoreData" { return Table() }
            load(lists(for: type))
            var table = _getSuperclass(type).map(table) ?? Table()
            for (name, body) in tables.declared[ObjectIdentifier(type)] ?? [:] {
                table.bodies[name] = body
                if name.hasPrefix("validate"), name.hasSuffix(":error:") { table.validates = true }
            }
            tables.ofClasses[ObjectIdentifier(type)] = table
            #if DEBUG
            reportMissingList(of: type)
            #endif
            return table
        }
    }

    #if DEBUG
    /// Warns once of a class whose methods no list can have: a program would lose its own rules without a message.
    private static func reportMissingList(of type: AnyClass) {
        let module = module(of: type)
        guard !ManagedClassLookup.registeredNames.contains(module), !tables.listedModules.contains(module),
            tables.reported.insert(ObjectIdentifier(type)).inserted
        else { return }
        let text = """
            CoreData: warning: \(_typeName(type)) is in a target without CoreDataModelPlugin, or in a binary. Its methods \
            that the framework calls by their names, such as validateName(_:), are not called.

            """
        FileHandle.standardError.write(Data(text.utf8))
    }
    #endif

    /// The names of the lists that may have methods of a class.
    private static func lists(for type: AnyClass) -> [String] {
        let registered = ManagedClassLookup.registeredNames
        let lists = registered.filter { $0.hasSuffix(".CoreDataNamedMethods") }
        let module = module(of: type)
        return registered.contains(module) ? lists : lists + ["\(module).CoreDataNamedMethods"]
    }

    private static func load(_ lists: [String]) {
        for name in lists where tables.lists.insert(name).inserted {
            guard let list = NSClassFromString(name) as? any NamedMethodList.Type else { continue }
            tables.listedModules.insert(String(name.prefix { $0 != "." }))
            for method in list.methods {
                tables.declared[ObjectIdentifier(method.owner), default: [:]][method.name] = method.body
            }
            // A list may have methods of classes of other modules.
            tables.ofClasses = [:]
        }
    }
}

extension NSManagedObject {
    /// Whether the class has methods such as `validateEmail(_:)`. A save reads this for each object.
    final var validatesByName: Bool {
        let type = type(of: self)
        return type == binding.managedClass ? binding.validatesByName : NamedMethods.validates(type)
    }

    /// Calls the method `validateEmail(_:)` of the class for the key `email`, if there is one.
    final func validateByName(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        guard validatesByName, let body = NamedMethods.body("validate\(key.withCapital):error:", of: self) else {
            return
        }
        do {
            _ = try body(self, NamedArguments(place: value))
        } catch let error as UnfitArgument {
            fatalError("The value of '\(key)' of entity '\(binding.layout.name)' does not fit its validation: \(error)")
        }
    }

    /// The value of a method or computed property that is no property of the entity; `.none` where the class has none.
    final func valueByName(forKey key: String) -> Any?? {
        let capital = key.withCapital
        for name in ["get\(capital)", key, "is\(capital)"] {
            guard let body = NamedMethods.body(name, of: self) else { continue }
            return .some((try? body(self, NamedArguments([]))).flatMap(ExpressionValue.bridged))
        }
        return .none
    }

    /// Sets a computed property, or calls `setName(_:)`; false where the class has none.
    final func setByName(_ value: Any?, forKey key: String) -> Bool {
        guard let body = NamedMethods.body("set\(key.withCapital):", of: self) else { return false }
        do {
            _ = try body(self, NamedArguments([value]))
        } catch {
            fatalError("The value for '\(key)' of entity '\(binding.layout.name)' cannot be set: \(error)")
        }
        return true
    }
}

extension String {
    /// The key with a capital first letter, as in the names of methods.
    fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
