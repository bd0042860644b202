import Foundation

/// Runs the works that other libraries do, too, beside plain C and Core Data, on copies of the same store.
struct PeersReport {
    /// The library, by its name and version.
    let peer: String
    /// The program that does its works.
    let program: URL
    let books: Int
    let rounds: Int
    let works: [Work]

    func run(json: URL?) throws {
        if let work = works.first(where: { !Work.peers.contains($0) }) {
            let known = Work.peers.map(\.rawValue).joined(separator: ", ")
            throw BenchmarkFailure(description: "no peer does \(work.rawValue); they do \(known)")
        }
        var file = FiguresFile(rounds: rounds, peer: peer)
        file.works = try WorkloadReport(sizes: [books], rounds: rounds, works: works, peers: program)
            .measure(books: books)
        print(file)
        if let json { try file.write(to: json) }
    }

    private func print(_ file: FiguresFile) {
        let versions = file.versions.joined(separator: ", ")
        Swift.print("\n\(versions); \(books) books, \(rounds) rounds; times plain C's processor time, medians\n")
        let others = Contender.allCases.dropFirst()
        printTable(
            [["work", "C, CPU s"] + others.flatMap { [$0.title, "rounds"] }]
                + file.works.map { figure in
                    let ratios = [figure.cpuRatio] + Contender.peers.compactMap { figure.peers[$0.rawValue]?.cpuRatio }
                    return [WorkFigures.title(figure.work), figure.c.cpuSeconds.median.printed(4)]
                        + ratios.flatMap { [$0.median.printed(2), $0.printed(2)] }
                })
        Swift.print("\nthe most memory of the process at a time, its source rows included, MB\n")
        printTable(
            [["work"] + Contender.allCases.map(\.title)]
                + file.works.map { figure in
                    let sides =
                        [figure.c, figure.coreData] + Contender.peers.compactMap { figure.peers[$0.rawValue]?.side }
                    return [WorkFigures.title(figure.work)]
                        + sides.map { ($0.peakBytes.median / 1e6).printed(1) }
                })
    }
}
