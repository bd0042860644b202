import CoreData
import Foundation

/// `coredata model show`: the content of a model.
package struct ModelShowCommand: Command {
    package static let page = CommandPage(
        "model show", "show a model's entities, properties, indexes, templates and versions",
        operands: [.model, Operand("ENTITY", .optional)],
        discussion: ["MODEL may also be a store, whose model is then shown."],
        options: [.version, .json],
        examples: [
            .init("coredata model show Library.momd", "everything that the current version says"),
            .init("coredata model show Library.sqlite Book", "one entity of the model in a store"),
        ])

    private let path: String
    private let entity: String?
    private let version: String?
    private let isJSON: Bool

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        entity = arguments.operand(1)
        version = arguments.value("version")
        isJSON = arguments.has(.json)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let subject = try ModelSubject(path, version: version)
        if let name = entity {
            let entity = try subject.entity(name)
            isJSON ? try console.write(Self.json(entity)) : try show(entity, console)
        } else if isJSON {
            try console.write(Self.json(subject))
        } else {
            try show(subject, console)
        }
        return .done
    }

    // MARK: JSON

    static func json(_ subject: ModelSubject) -> JSON {
        let model = subject.model
        return .object([
            ("version", subject.version.map { .string($0) } ?? .null),
            ("checksum", .string(model.versionChecksum)),
            ("identifiers", .array(identifiers(model).map { .string($0) })),
            (
                "versions",
                .array(
                    subject.versions.map { version in
                        .object([
                            ("name", .string(version.name)), ("isCurrent", .bool(version.isCurrent)),
                            ("checksum", .string(version.model.versionChecksum)),
                        ])
                    })
            ),
            ("entities", .array(subject.entities.map { json($0) })),
            (
                "configurations",
                .object(configurations(model).map { ($0.name, .array($0.entities.map { .string($0) })) })
            ),
            (
                "templates",
                .object(
                    model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
                        .map { ($0.key, .string(ModelFacts.text($0.value))) })
            ),
        ])
    }

    private static func json(_ entity: NSEntityDescription) -> JSON {
        func members(_ noun: String) -> JSON {
            .array(
                entity.declaredProperties.filter { $0.noun == noun }.map { property in
                    .object([("name", .string(property.name))] + ModelFacts.of(property).map { ($0.key, $0.value) })
                })
        }
        return .object(
            [("name", .string(entity.name ?? ""))] + ModelFacts.of(entity).map { ($0.key, $0.value) } + [
                ("hash", .string(entity.versionHash.base64EncodedString())),
                ("attributes", members("attribute")), ("relationships", members("relationship")),
                ("fetchedProperties", members("fetched property")),
                ("indexes", .array(entity.indexes.map { .string(ModelFacts.text($0)) })),
                (
                    "constraints",
                    .array(ModelFacts.constraints(of: entity).map { .array($0.map { .string($0) }) })
                ),
            ])
    }

    private static func identifiers(_ model: NSManagedObjectModel) -> [String] {
        model.versionIdentifiers.map { "\($0.base)" }.filter { !$0.isEmpty }.sorted()
    }

    private static func configurations(_ model: NSManagedObjectModel) -> [(name: String, entities: [String])] {
        model.configurations.map { name in
            (name, (model.entities(forConfigurationName: name) ?? []).compactMap(\.name).sorted())
        }
    }

    // MARK: Text

    private func show(_ subject: ModelSubject, _ console: Console) throws {
        try console.line(console.styled(Table.onOneLine(subject.title), .bold))
        try console.line("  checksum     \(subject.model.versionChecksum)")
        let identifiers = Self.identifiers(subject.model)
        if !identifiers.isEmpty {
            try console.line(Table.onOneLine("  identifiers  \(identifiers.joined(separator: ", "))"))
        }
        if subject.versions.count > 1 {
            try console.line()
            var table = Table([.init("version"), .init("current"), .init("checksum")], on: console)
            for version in subject.versions {
                try table.add([version.name, version.isCurrent ? "current" : "", version.model.versionChecksum])
            }
            try table.finish()
        }
        for entity in subject.entities {
            try console.line()
            try show(entity, console)
        }
        try list(
            "configuration",
            Self.configurations(subject.model).map { "\($0.name): \($0.entities.joined(separator: ", "))" },
            console)
        try list(
            "template",
            subject.model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
                .map { "\($0.key): \(ModelFacts.text($0.value))" }, console)
    }

    private func show(_ entity: NSEntityDescription, _ console: Console) throws {
        let facts = Self.prose(ModelFacts.of(entity))
        try console.line(
            console.styled(Table.onOneLine("entity \(entity.name ?? "")"), .bold)
                + Table.onOneLine(facts.isEmpty ? "" : ": \(facts)"))
        let properties = entity.declaredProperties
        try table(
            properties.filter { $0 is NSAttributeDescription }, title: "attribute",
            keys: ["type", "isOptional", "default"], to: console)
        try table(
            properties.filter { $0 is NSRelationshipDescription }, title: "relationship",
            keys: ["destination", "kind", "inverse", "deleteRule", "isOptional"], to: console)
        try table(
            properties.filter { $0 is NSFetchedPropertyDescription }, title: "fetched property",
            keys: ["destination", "predicate"], to: console)
        for index in entity.indexes { try console.line(Table.onOneLine("index \(ModelFacts.text(index))")) }
        for constraint in ModelFacts.constraints(of: entity) {
            try console.line(Table.onOneLine("unique \(constraint.joined(separator: ", "))"))
        }
    }

    /// The properties with a column for each of some facts, and one for all further facts.
    private func table(
        _ properties: [NSPropertyDescription], title: String, keys: [String], to console: Console
    ) throws {
        guard let first = properties.first else { return }
        let facts = ModelFacts.of(first)
        let titles = keys.map { key in facts.first { $0.key == key }?.title ?? key }
        var table = Table(([title] + titles + ["more"]).map { .init($0) }, on: console)
        for property in properties {
            let facts = ModelFacts.of(property)
            try table.add(
                [property.name] + keys.map { key in facts.first { $0.key == key }?.text ?? "" }
                    + [Self.prose(facts.filter { !keys.contains($0.key) })])
        }
        try table.finish()
    }

    private static func prose(_ facts: [ModelFact]) -> String {
        facts.filter { !$0.isUsual }.map { fact in
            if case .bool = fact.value { return fact.title }
            return "\(fact.title) \(fact.text)"
        }.joined(separator: "; ")
    }

    private func list(_ title: String, _ lines: [String], _ console: Console) throws {
        if !lines.isEmpty { try console.line() }
        for line in lines { try console.line(Table.onOneLine("\(title) \(line)")) }
    }
}
