import CoreData
import Foundation

/// The program `dot`, which lays out graphs.
package enum Graphviz {
    /// The drawing of a graph.
    /// - Throws: an error if Graphviz is not installed, with instructions to install it, or the error output of `dot`.
    package static func svg(of graph: String) throws -> Data {
        guard let program = ProgramPath.find("dot") else {
            throw ToolError(
                .failed, "Graphviz is not installed: there is no program 'dot' on the PATH",
                details: [
                    "Install it: 'bin/setup --tool' in OpenCoreData's folder, or the Debian package 'graphviz'.",
                    "'--dot' prints the graph itself, which needs no Graphviz.",
                ])
        }
        return try ScratchFolder.with { try draw(graph, by: program, in: $0) }
    }

    private static func draw(_ graph: String, by program: URL, in folder: URL) throws -> Data {
        // Files, not pipes, so that neither process waits for the other.
        let (input, output) = (folder.appendingPathComponent("graph.dot"), folder.appendingPathComponent("graph.svg"))
        try Data(graph.utf8).write(to: input)
        let process = AwaitedProcess()
        process.executableURL = program
        process.arguments = ["-Tsvg", "-o", output.path, input.path]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw ToolError(.failed, "\(program.path) cannot be started: \(ToolError(error).message)")
        }
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let svg = try? Data(contentsOf: output), !svg.isEmpty else {
            throw ToolError(
                .failed, "Graphviz cannot draw the model",
                details: said.split(separator: "\n").prefix(5).map { Table.onOneLine(String($0)) })
        }
        return svg
    }
}
