import CoreDataModelReading
import Foundation

/// Compares the classes in sources with the current versions of models, without a build.
package enum DeclarationCheck {
    /// Texts of which a source has one that this check concerns.
    package static let marks = ["@NSManaged", ClassWriter.mark]

    /// A model by its name and the source of its current version.
    package typealias Model = (name: String, source: Data)

    /// The declarations that do not fit the models. Classes that no model has are left out. A model that cannot be read
    /// counts as absent.
    package static func problems(of sources: [(path: String, text: String)], models: [Model]) -> [Diagnostic] {
        let roots = models.compactMap { model in
            (try? ModelFile.source(in: model.source, file: model.name)).map { (model.name, $0) }
        }
        let files = sources.map { DeclarationScanner.scan(source: $0.text, path: $0.path) }
        let check = ModelCheck(
            models: roots.map { ModelSource(root: $1, name: $0, module: "") },
            ownTypes: Set(files.flatMap(\.types).map(\.name)))
        let declared = files.flatMap(\.members).compactMap { member in
            problem(of: member, check).map {
                Diagnostic(file: member.file, line: member.line, column: member.column, message: $0)
            }
        }
        return declared + sources.compactMap { stale($0, roots) }
    }

    /// Whether a source in Swift or Objective-C has a class of a name.
    package static func declares(_ name: String, _ source: (path: String, text: String)) -> Bool {
        if !source.path.hasSuffix(".swift") { return source.text.contains("@implementation \(name)") }
        return source.text.contains("@objc(\(name))")
            || DeclarationScanner.scan(source: source.text, path: source.path).types.contains { $0.name == name }
    }

    private static func problem(of member: ManagedMember, _ check: ModelCheck) -> String? {
        guard let known = check.propertyNames(ofClass: member.className) else { return nil }
        guard let access = MemberAccess(of: member, known: known, isModelled: true) else {
            return "'\(member.name)' of the class '\(member.className)' belongs to no relationship of its entity"
        }
        return check.problem(with: member, access: access)
    }

    /// The problem of a generated file that has other classes than the model asks for.
    private static func stale(
        _ source: (path: String, text: String), _ roots: [(name: String, root: XMLTreeElement)]
    ) -> Diagnostic? {
        guard source.text.hasPrefix(ClassWriter.mark),
            let model = roots.first(where: { source.text.hasPrefix("\(ClassWriter.mark)\($0.name). ") })
        else { return nil }
        let classes = model.root.children(named: "entity").compactMap { $0.text("representedClassName") }
        // The module is not known whose name the generator leaves out.
        let modules = Set([""] + classes.compactMap { $0.split(separator: ".").dropLast().first.map(String.init) })
        let fits = modules.contains { module in
            ClassWriter(model: ModelSource(root: model.root, name: model.name, module: module)).text() == source.text
        }
        return fits
            ? nil
            : Diagnostic(
                file: source.path, line: 1,
                message: "the generated classes are not those of the current version of the model '\(model.name)'")
    }
}
