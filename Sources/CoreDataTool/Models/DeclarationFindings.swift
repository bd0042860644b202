import CoreDataModelCompiler
import MigrationTestKit

/// Classes in the sources of a repository that do not fit the current versions of its models.
enum DeclarationFindings {
    /// The findings, without faults that the commit has as well.
    static func findings(in repository: ComparedRepository) throws -> [ModelGateReport.Finding] {
        let models = repository.currentSources
        if models.isEmpty { return [] }
        let problems = DeclarationCheck.problems(
            of: try repository.swiftFiles(with: DeclarationCheck.marks), models: models)
        if problems.isEmpty { return [] }
        let former = DeclarationCheck.problems(
            of: try repository.shippedFiles(at: Set(problems.map(\.file))), models: repository.shippedSources)
        let known = Set(former.map { "\($0.file): \($0.message)" })
        return problems.filter { !known.contains("\($0.file): \($0.message)") }.map { problem in
            .init(
                .declarations, file: repository.prefix + problem.file, line: problem.line,
                message: "In the current version of the model this does not fit: \(problem.message). A program with it "
                    + "does not build, or stops at the property.",
                remedy: "Change the declaration, or write generated classes anew: coredata generate.")
        }
    }
}
