import Foundation
import FuzzTargets
import Testing

/// Inputs that once stopped a fuzzer, seeds, and long ones: each is read or refused. Otherwise the process stops.
@Suite(.serialized)
struct KeptInputTests {
    @Test("Damaged bytes end in a value or in an error", arguments: FuzzTarget.all.map(\.name))
    func readsOrRefuses(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        var inputs = try target.seeds()
        inputs.merge(try target.growth()) { first, _ in first }
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fuzzing/Kept/\(name)").standardizedFileURL
        let kept = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in kept { inputs[file.lastPathComponent] = try Data(contentsOf: file) }
        #expect(!inputs.isEmpty)
        for (input, bytes) in inputs.sorted(by: { $0.key < $1.key }) {
            print("\(name)/\(input)")
            try? target.run(bytes)
        }
    }

    @Test("A whole file is read", arguments: FuzzTarget.all.map(\.name))
    func readsWhole(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = try target.seeds()
        // A target that refuses everything would find nothing.
        let errors = seeds.values.compactMap { seed -> String? in
            do {
                try target.run(seed)
                return nil
            } catch { return "\(error)" }
        }
        #expect(errors.count < seeds.count, "\(Set(errors))")
    }
}
