import Foundation

/// `coredata model diagram`: a model as a picture.
package struct ModelDiagramCommand: Command {
    package static let page = CommandPage(
        "model diagram", "draw a model as an SVG",
        operands: [.model],
        discussion: [
            "Draws a box for each entity, a line for each relationship with its inverse and an arrow to each parent. "
                + "Graphviz lays it out: its program 'dot' has to be installed ('bin/setup --tool', Debian's "
                + "package 'graphviz'). MODEL may also be a store."
        ],
        options: [
            .version,
            Option(
                "output", letter: "o", value: "FILE", completion: .file, "the file for the SVG, instead of the output"),
            Option("dot", "write the graph in Graphviz's language instead of the drawing"), .force,
        ],
        examples: [
            .init("coredata model diagram Library.momd --output Library.svg", "the current version"),
            .init("coredata model diagram Library.sqlite --dot | dot -Tpng > Library.png", "another format"),
        ])

    private let path: String
    private let version: String?
    private let output: String?
    private let isDot: Bool
    private let isForced: Bool

    package init(_ arguments: Arguments) throws {
        path = try arguments.required(0)
        version = arguments.value("version")
        output = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
        isDot = arguments.has("dot")
        isForced = arguments.has(.force)
    }

    package func run(_ console: Console) throws -> ExitStatus {
        let subject = try ModelSubject(path, version: version)
        if let output { try OutputFile.requireFree(output, force: isForced) }
        let name = URL(fileURLWithPath: subject.shown).lastPathComponent
        let title = subject.version.map { subject.versions.count > 1 ? "\(name), version '\($0)'" : name } ?? name
        let graph = ModelDiagram.dot(subject.model, title: title)
        let drawing = isDot ? Data(graph.utf8) : try Graphviz.svg(of: graph)
        guard let output else {
            try console.write(drawing)
            return .done
        }
        try OutputFile.write(drawing, to: output, isForced: isForced)
        try console.line(Table.onOneLine(output))
        return .done
    }
}
