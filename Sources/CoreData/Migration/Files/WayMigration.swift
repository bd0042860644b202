import Foundation

/// Carries out the hops of a SQLite store: in place and in one transaction if all are inferred, into a copy otherwise.
///
/// After any failure or kill the store is as it was, and no handler of a stage has changed it in part. A killed process
/// leaves the copy after the last complete copy stage. The next process resumes there.
struct WayMigration {
    let request: MigrationRequest
    let hops: [MigrationHop]
    /// The guard against losses; nil if the caller decides itself which content the hops may lose.
    var lossGuard: LossGuard?

    /// Migrates a store of the version that these metadata name.
    ///
    /// If another process has changed the version, this method changes nothing, and the caller reads the metadata
    /// again.
    func carryOut(from metadata: [String: Any]) throws {
        guard let last = hops.last else { return }
        let request = request.to(last.target)
        do {
            try lossGuard?.atBeginning.checkBeforehand()
        } catch {
            // If CloudKit's tables of the store are a reason as well, allowing the losses would not help.
            try checkMirror(request)
            throw error
        }
        try MirrorCheck.checkBeforehand(hops, of: request)
        if hops.contains(where: \.runsCode) {
            let stages = CopyingMigration.CopyStage.stages(for: hops, of: request, lossGuard)
            _ = try CopyingMigration(request).replaceStore(of: metadata, by: stages)
        } else {
            try LightweightMigrator(request, lossGuard: lossGuard)
                .apply(through: hops.dropLast().map(\.target), from: hops[0].source, request.progress)
        }
    }

    private func checkMirror(_ request: MigrationRequest) throws {
        do {
            _ = try LightweightMigrator(request).plan(from: hops[0].source)
        } catch let error as NSError where MigrationErrors.isAboutMirror(error) {
            throw error
        } catch {
            // The error is not about CloudKit's tables.
        }
    }
}
