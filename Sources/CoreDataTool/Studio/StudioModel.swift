import CoreData
import Foundation
import StudioServer

/// The model for the page: facts, a diagram, and the differences between two versions.
struct StudioModel {
    /// The file with all versions; nil if the model is the store's own copy.
    let file: ModelArgument?
    let store: ResolvedStore

    var versions: [ManagedModelVersion] { file?.versions ?? [] }

    /// The version that the store is of; nil if the file does not have it.
    var current: ManagedModelVersion? { file?.version(fitting: store.metadata) }

    func json(_ request: HTTPRequest) throws -> JSON { ModelShowCommand.json(try subject(request.query["version"])) }

    func diagram(_ request: HTTPRequest) throws -> HTTPResponse {
        let subject = try subject(request.query["version"])
        do {
            let svg = try Graphviz.svg(of: ModelDiagram.dot(subject.model, title: subject.name))
            return HTTPResponse(type: "image/svg+xml", body: .bytes(svg))
        } catch {
            let error = ToolError(error)
            throw StudioFailure(503, error.message, details: error.details)
        }
    }

    func comparison(_ request: HTTPRequest) throws -> JSON {
        let old = try subject(try request.required("from"))
        let new = try subject(try request.required("to"))
        return ModelDifference(from: old, to: new).json
    }

    private func subject(_ name: String?) throws -> ModelSubject {
        guard let name, !name.isEmpty else {
            return ModelSubject(
                shown: store.shown, model: store.model, version: current?.name, versions: versions)
        }
        guard let file else { throw StudioFailure(400, "\(store.shown) has no version '\(name)' to choose") }
        let version = try file.version(name)
        return ModelSubject(
            shown: file.url.lastPathComponent, model: version.model, version: version.name, versions: versions)
    }
}
