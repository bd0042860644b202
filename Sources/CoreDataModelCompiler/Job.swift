// Implementation notes: CoreDataModelCompiler.
//
// - On Linux `@NSManaged` type-checks and leaves the accessors as undefined symbols. The plugin
//   (`Plugins/CoreDataModelPlugin`) finds a target's files and models and passes them, as one job, to the tool
//   `coredata-modelc`. All the work is in this module. The package manager runs a plugin again only when files are
//   added or removed, so files that get their first `@NSManaged` between share one output.
// - `Scanning/` splits Swift into tokens and finds imports, types and `@NSManaged` members with their access and
//   conditions. The toolchain's SwiftParser is a host library that a package cannot link without unsafe flags. Such
//   flags would keep every package that uses this one from being a dependency.
// - `Accessors/` writes a probe: the same members in empty types of the same kinds, each calling a marker. The
//   compiler's intermediate language then shows which symbol calls each marker. A probe needs no module but Foundation,
//   so it does not wait for the dependencies to be compiled. Types of other modules get their kind from those modules'
//   sources. The result is kept, and the compiler runs again only when the probe changes.
// - An accessor is a computed property of another name whose getter and setter have the mangled names (`@_silgen_name`
//   on the accessors gives them the calling convention of accessors). It is `dynamic`, because callers take managed
//   members to be, and `final`. Its access level is the member's own, because the linkage follows from it. Members
//   private to their file become internal.
// - The work of an accessor is one call on a `ManagedSlot`. The compiler chooses the call by the declared type. If no
//   model of the target has the class, the slot of `primitiveTitle` has two names, and the object's entity decides.
// - A declared name or type that does not fit the target's model is an error at its place in the source. If the
//   compiler refuses the probe, that is a warning, and the module gets no accessors: the compiler then shows all of the
//   module's errors.
// - Models and mapping models that are declared as resources are compiled as well, because Xcode does so, and programs
//   read the `.momd` in their bundle. The package manager copies the source besides, so the bundle has the same model
//   twice. `ModelResources` uses the compiled one.
// - `Module/` writes aliases for the types whose declarations in Foundation are unavailable. It leaves the module's
//   name in a section of the program (`@section`, Swift 6.3). The class lookup reads that section, whose ends the
//   linker defines. So a model may name a class without its module, without code that runs at the start of the program.
// - `NamedMethods/` writes the list of methods that the framework calls by name (`NamedMethod` in `CoreData`). It has
//   only the tokens of a member. So it leaves out members that another file could not call without further keywords or
//   types: members of actors, generic, overloaded and deprecated ones. Overrides are left out as well, because a call
//   of the superclass's method finds them.
// - The name of a member behind `#if` is searched with the flags of a debug build, and again with other flags if it has
//   none (`ProbeSetting`). The probe has an empty module for each one that a condition tests by `canImport`.
// - Imports of generated files have an access level if the target's own files have one (`ImportWriter`).
// - A clean debug build of a hundred classes takes 1.2 times the processor time of the same classes without the plugin
//   (`bin/bench plugin`). With the framework in the tool it took twice as much. Without a change the plugin adds 0.01
//   s. A release build compiles the framework once and the tool twice. The package manager builds plugins' tools first,
//   and has no record of that when it builds the rest.
// - `CompiledSampleTests` compile `Examples/Library` by hand, `PackageTests` (long) through the package manager.

import CoreDataModelReading
import Foundation

/// The work for one target: the accessors of its `@NSManaged` members, the classes of its models, the models compiled.
/// Paths are absolute.
package struct Job {
    /// A Swift file that had `@NSManaged` when the plugin ran, and the file for its accessors.
    struct Source {
        let input: String
        let output: String
    }

    /// A model of the target.
    struct Model {
        /// The `.xcdatamodeld` or `.xcdatamodel`.
        let input: String
        /// The file for its classes.
        let classes: String
        /// The place of the compiled bundle, or of the compiled model of one without versions.
        var bundle: String?
    }

    /// A mapping model of the target.
    struct Mapping {
        /// The `.xcmappingmodel`.
        let input: String
        /// The place of the compiled mapping model.
        let output: String
    }

    /// A module on which the target depends.
    struct Dependency {
        let module: String
        /// The Swift files; none for a module of C.
        var sources: [String] = []
        /// Models whose classes are generated into the module.
        var models: [String] = []
    }

    /// The name of the target's module.
    var module = ""
    /// The path of `swiftc`.
    var compiler = ""
    /// A folder that remains between builds.
    var folder = ""
    /// The file for the accessors of all files without an output of their own.
    var others = ""
    /// The file for the code that the module needs once.
    var once = ""
    /// Whether the target depends on the framework, directly or not.
    var dependsOnFramework = false
    /// The target's compilation conditions.
    var conditions: [String] = []
    /// Every Swift file of the target.
    var sources: [String] = []
    var managed: [Source] = []
    var models: [Model] = []
    var mappings: [Mapping] = []
    var dependencies: [Dependency] = []
}

extension Job {
    /// Does the work of the job. Passes each warning about the models to `warn` once. Throws every problem found, each
    /// with its file and line.
    ///
    /// An error of the compiler is a warning here, and the module gets no accessors. The module's own compilation
    /// reports it, together with all other errors.
    package func run(warn: @escaping @Sendable (any CustomStringConvertible) -> Void = { _ in }) throws {
        let warnings = FirstWarnings()
        try ModelWarning.taken(by: { if warnings.insert($0) { warn($0) } }) { try work(warn) }
    }

    private func work(_ warn: (any CustomStringConvertible) -> Void) throws {
        let modelSources = try readModels()
        var files = try sources.map(scan)
        let imports = ImportWriter(files).lines(for: "CoreData", as: .isPublic)
        for (model, source) in zip(models, modelSources) {
            let text = ClassWriter(model: source).text(imports: imports)
            try write(text, to: model.classes)
            var scanned = DeclarationScanner.scan(source: text, path: model.classes)
            // The members of generated files are properties of the entity.
            scanned.namedMembers = []
            files.append(scanned)
        }
        try compileBundles(classes: Set(files.flatMap(\.types).map(\.fullName)))
        try compileMappingModels()
        let target = ScannedModule(name: module, files: files)
        let dependencies = try scannedDependencies(of: target)
        let named = NamedMethodWriter(ClassFamilies(target, dependencies: dependencies))
        named.warnings(about: files.flatMap(\.namedMembers)).forEach(warn)
        let writer = ModuleWriter(module: module, dependsOnFramework: dependsOnFramework, named: named)
        try write(writer.text(for: files), to: once)
        try writeAccessors(of: target, dependencies: dependencies, models: modelSources, warn: warn)
    }

    private func readModels() throws -> [ModelSource] {
        try models.map { model in
            let url = URL(fileURLWithPath: model.input)
            do {
                return try ModelSource(at: url, module: module)
            } catch {
                throw Diagnostic(of: error, in: model.input)
            }
        }
    }

    private func compileBundles(classes: Set<String>) throws {
        for model in models {
            guard let bundle = model.bundle else { continue }
            do {
                try ModelBundleCompiler.compile(
                    URL(fileURLWithPath: model.input), to: URL(fileURLWithPath: bundle), module: module,
                    classes: classes)
            } catch {
                throw Diagnostic(of: error, in: model.input)
            }
        }
    }

    private func compileMappingModels() throws {
        for mapping in mappings {
            do {
                try MappingModelCompiler.compile(
                    URL(fileURLWithPath: mapping.input), to: URL(fileURLWithPath: mapping.output),
                    models: models.map { URL(fileURLWithPath: $0.input) })
            } catch {
                throw Diagnostic(of: error, in: mapping.input)
            }
        }
    }

    private func scan(_ path: String) throws -> ScannedFile {
        DeclarationScanner.scan(source: try String(contentsOfFile: path, encoding: .utf8), path: path)
    }

    private func writeAccessors(
        of target: ScannedModule, dependencies: [ScannedModule], models: [ModelSource],
        warn: (any CustomStringConvertible) -> Void
    ) throws {
        var problems = target.files.flatMap(\.diagnostics)
        let check = ModelCheck(models: models, ownTypes: Set(target.files.flatMap(\.types).map(\.name)))
        let qualifier = TypeQualifier([target] + dependencies)
        let members = target.files.flatMap(\.members).map { $0.qualified(by: qualifier) }
        let declared = Dictionary(grouping: members, by: \.className)
        var accesses: [(number: Int, member: ManagedMember, access: MemberAccess)] = []
        for (number, member) in members.enumerated() {
            let own = declared[member.className, default: []].filter {
                if case .property = $0.kind { true } else { false }
            }
            let modelled = check.propertyNames(ofClass: member.className)
            let known = modelled ?? Set(own.map(\.plainName).filter(Self.isNoPrimitive))
            func fail(_ message: String) {
                problems.append(
                    Diagnostic(file: member.file, line: member.line, column: member.column, message: message))
            }
            guard let access = MemberAccess(of: member, known: known, isModelled: modelled != nil) else {
                fail(
                    "'\(member.name)' is no method that @NSManaged can implement: addTo…, removeFrom…, insertInto…, replace…"
                )
                continue
            }
            if let problem = check.problem(with: member, access: access) { fail(problem) }
            if let type = hiddenType(of: member, in: target) {
                fail(
                    "the accessors of '\(member.name)' are written outside this file and cannot see the type '\(type)': "
                        + "make it internal")
            }
            accesses.append((number, member, access))
        }
        if !problems.isEmpty { throw Problems(problems) }
        let names: MangledNames
        do {
            names = try findNames(members, target, dependencies)
        } catch let refusal as CompilerError {
            warn(refusal.asWarning)
            return try writeAccessors(of: target, [], [:], MangledNames())
        }
        if let unnamed = names.firstUnnamed(of: members) {
            throw Diagnostic(
                file: unnamed.file, line: unnamed.line, column: unnamed.column,
                message: "the compiler gives no name for the accessors of '\(unnamed.name)'")
        }
        try writeAccessors(of: target, dependencies, Dictionary(grouping: accesses, by: \.member.file), names)
    }

    private func writeAccessors(
        of target: ScannedModule, _ dependencies: [ScannedModule],
        _ byFile: [String: [(number: Int, member: ManagedMember, access: MemberAccess)]],
        _ names: MangledNames
    ) throws {
        let outputs = Dictionary(managed.map { ($0.input, $0.output) }, uniquingKeysWith: { first, _ in first })
        let writer = AccessorWriter(
            module: module, imports: ImportWriter(target.files),
            declaringModules: DeclaringModules(target, dependencies: dependencies))
        for file in target.files {
            guard let output = outputs[file.path] else { continue }
            try write(writer.text(for: [file], members: byFile[file.path] ?? [], names: names), to: output)
        }
        let rest = target.files.filter { outputs[$0.path] == nil && byFile[$0.path] != nil }
        try write(
            writer.text(for: rest, members: rest.flatMap { byFile[$0.path] ?? [] }, names: names), to: others)
    }

    /// Whether the name of a member suggests a property of that name. `primitiveTitle` does not.
    private static func isNoPrimitive(_ name: String) -> Bool { !name.hasPrefix("primitive") }

    /// A type of the member that only its own file can use.
    private func hiddenType(of member: ManagedMember, in target: ScannedModule) -> String? {
        let words = Set(NeededTypes.words(of: member))
        guard let file = target.files.first(where: { $0.path == member.file }) else { return nil }
        let hidden = file.types.first { type in
            type.access.isOfFile && words.contains(type.name)
                && !target.files.contains { $0.types.contains { $0.name == type.name && !$0.access.isOfFile } }
        }
        return hidden?.fullName
    }

    private func findNames(
        _ members: [ManagedMember], _ target: ScannedModule, _ dependencies: [ScannedModule]
    ) throws -> MangledNames {
        guard !members.isEmpty else { return MangledNames() }
        let probe = ManglingProbe(members: members, target: target, dependencies: dependencies)
        return try MangledNames.find(
            probe, members: members,
            compiler: .init(path: compiler, moduleName: module, conditions: conditions),
            folder: URL(fileURLWithPath: folder))
    }

    /// The dependencies of a target with members, if it names any of them, because those may re-export other modules.
    private func scannedDependencies(of target: ScannedModule) throws -> [ScannedModule] {
        let members = target.files.flatMap(\.members)
        let named = Set(target.files.flatMap(\.imports).map(\.module))
            .union(Set(members.flatMap(\.conditions)).flatMap { BuildCondition($0).modules })
        let hasMembers = !members.isEmpty || target.files.contains { !$0.namedMembers.isEmpty }
        guard hasMembers, dependencies.contains(where: { named.contains($0.module) })
        else { return [] }
        return try dependencies.map { dependency in
            let classes = try dependency.models.map { path in
                let model = try ModelSource(at: URL(fileURLWithPath: path), module: dependency.module)
                return DeclarationScanner.scan(source: ClassWriter(model: model).text(), path: path)
            }
            return ScannedModule(name: dependency.module, files: try dependency.sources.map(scan) + classes)
        }
    }

    private func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        // A file that is not touched is not compiled again.
        if let present = try? Data(contentsOf: url), present == Data(text.utf8) { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }
}

/// All problems of a target's declarations.
package struct Problems: Error, CustomStringConvertible {
    package let diagnostics: [Diagnostic]

    init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

    package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// The warnings that a job has given. It reads every model more than once.
// @unchecked Sendable: the lock guards the set.
private final class FirstWarnings: @unchecked Sendable {
    private let lock = NSLock()
    private var warnings: Set<ModelWarning> = []

    func insert(_ warning: ModelWarning) -> Bool { lock.withLock { warnings.insert(warning).inserted } }
}
