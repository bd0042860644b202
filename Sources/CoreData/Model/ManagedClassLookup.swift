import CSwiftRuntime
import Foundation
import Synchronization

/// Finds the class an entity names.
enum ManagedClassLookup {
    /// The class itself, or `NSManagedObject` if the program has no class of the name.
    ///
    /// "Module.Class" is found as it is. A bare name is the class's Objective-C name on Apple's platforms; ".Class"
    /// means the module of the current product. Both are searched in these modules, in this order:
    ///
    /// - the module of the main executable,
    /// - the modules whose resources are beside the executable,
    /// - the modules whose names the plugin has written into the executable,
    /// - the modules of classes whose entity was requested.
    ///
    /// A class inside other types is found by the names of all of them, with the module or without:
    /// "Module.Outer.Class". Foundation writes a warning to standard error for names with more than one dot, so it
    /// never gets one.
    static func managedClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
        if let representation = entity.representation as? any EntityRepresentation {
            return representation.managedClass
        }
        guard let name = entity.managedObjectClassName, name != "NSManagedObject", !name.isEmpty else {
            return NSManagedObject.self
        }
        // The runtime goes through the classes of all modules for each name, and each new context needs the classes.
        if let known = foundClasses.withLock({ $0[name] }) { return known }
        guard let found = foundClass(name) else { return NSManagedObject.self }
        foundClasses.withLock { $0[name] = found }
        return found
    }

    private static func foundClass(_ name: String) -> NSManagedObject.Type? {
        if !name.hasPrefix("."), name.filter({ $0 == "." }).count <= 1,
            let found = classAtTop(name) as? NSManagedObject.Type
        {
            return found
        }
        let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
        if bare.contains(".") { return nestedClass(bare) }
        for module in modules {
            if let found = classAtTop("\(module).\(bare)") as? NSManagedObject.Type { return found }
        }
        return nil
    }

    /// The class of a name at the top of a module.
    private static func classAtTop(_ name: String) -> AnyClass? {
        // The runtime finds a name with its module. Foundation's function first lists the names of its classes.
        name.contains(".") && !name.hasPrefix("Foundation") ? _typeByName(name) as? AnyClass : NSClassFromString(name)
    }

    /// The class of a name, with its module or without. If the named module has no such class, the result is a class of
    /// the name in another module of the program: a mapping model may have been made in a project whose modules had
    /// other names.
    static func anyClass(named name: String) -> AnyClass? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count <= 2, !name.hasPrefix("."), let found = classAtTop(name) { return found }
        if parts.count > 2, let found = namedClasses.withLock({ $0[name] }) ?? NestedClassName(parts)?.anyClass {
            return found
        }
        let bare = parts.last.map(String.init) ?? ""
        for module in modules {
            if let found = classAtTop("\(module).\(bare)") { return found }
        }
        return nil
    }

    /// Remembers the module of a class that is in use.
    static func learnModule(of managedClass: NSManagedObject.Type) {
        // String(reflecting:) searches conformances of the class's type, which takes half a millisecond.
        let module = String(_typeName(managedClass).prefix { $0 != "." })
        knownModules.withLock {
            if $0.contains(module) { return }
            $0.append(module)
            learnedModules.add(1, ordering: .releasing)
        }
    }

    /// Remembers a class by the name that ``NSStringFromClass(_:)`` gave it. The runtime finds no class of such a name
    /// if the class is private or has parameters.
    static func learn(_ type: AnyClass, named name: String) { namedClasses.withLock { $0[name] = type } }

    private static func nestedClass(_ name: String) -> NSManagedObject.Type? {
        if let found = namedClasses.withLock({ $0[name] }) as? NSManagedObject.Type { return found }
        let (known, modules) = (nestedClasses.withLock { $0[name] }, modules)
        if let known, known.found != nil || known.modules == modules.count { return known.found }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        var found = NestedClassName(parts).flatMap { $0.anyClass as? NSManagedObject.Type }
        for module in modules where found == nil {
            found = NestedClassName([module[...]] + parts).flatMap { $0.anyClass as? NSManagedObject.Type }
        }
        nestedClasses.withLock { $0[name] = (found, modules.count) }
        return found
    }

    /// The names of the modules in which classes are searched.
    static var modules: [String] { knownModules.withLock { $0 } }

    /// Changes when another module is registered.
    static var generation: Int { learnedModules.load(ordering: .acquiring) }

    /// The classes of entities that were found, by the names that the entities have for them.
    private static let foundClasses = Locked<[String: NSManagedObject.Type]>([:])
    /// The results for names of classes inside other types, with the number of modules that were registered then.
    private static let nestedClasses = Locked<[String: (found: NSManagedObject.Type?, modules: Int)]>([:])
    private static let namedClasses = Locked<[String: AnyClass]>([:])
    private static let knownModules = Locked<[String]>(modulesAtStart)
    /// The number of modules that were registered since the start. A program whose classes are found by their names
    /// alone never has to list the modules.
    private static let learnedModules = Atomic(0)

    private static var modulesAtStart: [String] {
        // A module's name has no dot; a test bundle's process is called "Package.xctest".
        let executable = String(ProcessInfo.processInfo.processName.prefix { $0 != "." })
        // A package's resources are named "Package_Target.resources", its modules like their targets.
        let targets = PackageResources.folders.compactMap { folder in
            folder.deletingPathExtension().lastPathComponent.split(separator: "_", maxSplits: 1).last.map(String.init)
        }
        var names: [String] = []
        for name in [executable] + targets {
            let module = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
            for candidate in [name, module] where !names.contains(candidate) { names.append(candidate) }
        }
        for name in registeredNames where !name.contains(".") && !names.contains(name) { names.append(name) }
        return names
    }
}

extension ManagedClassLookup {
    /// The names that the plugin has written into the executable: of the modules with managed classes, and of the
    /// classes that list a module's methods (`Module.CoreDataNamedMethods`).
    static let registeredNames: [String] = {
        guard let start = opencoredata_modules_start(), let end = opencoredata_modules_end(), start < end else {
            return []
        }
        var names: [String] = []
        var place = start
        while place < end {
            // Each name ends with a zero byte; the linker may leave more zeros between them.
            let name = String(cString: place)
            if !name.isEmpty { names.append(name) }
            place += name.utf8.count + 1
        }
        return names
    }()
}

/// What a module above has made of an entity, with the class of the entity's objects.
package protocol EntityRepresentation: AnyObject {
    /// The class, which counts in place of the class that the entity names.
    var managedClass: NSManagedObject.Type { get }
}
