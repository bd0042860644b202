import CoreDataModelCompiler
import MigrationTestKit

/// Policies that mapping models name and that no source of the repository declares.
struct PolicyFindings {
    /// The policies that the commit declares and the working tree does not.
    private(set) var findings: [ModelGateReport.Finding] = []
    /// The policies that the working tree names for the first time. Another package may declare them.
    private(set) var notes: [String] = []

    init(in repository: ComparedRepository) throws {
        let (policies, shipped) = repository.policies
        for policy in policies {
            func isDeclared(in sources: [(path: String, text: String)]) -> Bool {
                sources.contains { DeclarationCheck.declares(policy.name, $0) }
            }
            if isDeclared(in: try repository.sources(with: policy.name)) { continue }
            let file = repository.prefix + policy.path
            if isDeclared(in: try repository.shippedSources(with: policy.name)) {
                findings.append(
                    .init(
                        .mapping, file: file, entity: policy.entity,
                        message:
                            "The mapping model names the policy '\(policy.name)', and no source declares this class "
                            + "any more. A migration by it fails.",
                        remedy: "Keep the class as long as the mapping model names it."))
            } else if !shipped.contains(policy) {
                notes.append(
                    "\(file) names the policy '\(policy.name)' for \(policy.entity), and no source of the repository "
                        + "declares this class. A migration needs it in the program.")
            }
        }
    }
}
