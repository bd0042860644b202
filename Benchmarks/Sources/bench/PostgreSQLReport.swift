import Foundation

/// Runs works over a store in a PostgreSQL database beside plain C over libpq, on the same tables of a server of the
/// benchmark's own, and counts the round trips of saves and of prefetching.
struct PostgreSQLReport {
    let books: Int
    let rounds: Int

    /// The program that does a work. The best of plain C's ways sets the measure.
    enum Contender: String, CaseIterable, Codable {
        /// Plain C; it inserts by COPY in binary form.
        case c
        /// Plain C that inserts from arrays, in one pipeline.
        case arrays = "c-arrays"
        case coreData = "core-data"

        static func all(of work: Work) -> [Contender] { work == .insert ? allCases : [.c, .coreData] }
    }

    static let works: [Work] = [.insert, .readAll, .readByKey, .update, .prefetched]

    /// The operations whose round trips to the server are counted.
    enum Conversation: String, CaseIterable, Codable {
        /// Objects with ids of the store's are inserted; the statements are those of a save before.
        case insert = "insert-ids-reserved"
        case insertFirst = "first-insert-ids-reserved"
        case update
        case delete
        case prefetchToOne = "prefetch-author"
        case prefetchToMany = "prefetch-books"
        case fault

        var title: String {
            switch self {
            case .insert: "save of new objects, ids reserved before"
            case .insertFirst: "the first such save of a connection"
            case .update: "save of changed objects"
            case .delete: "save of deleted objects"
            case .prefetchToOne: "prefetching Book.author, beside the fetch"
            case .prefetchToMany: "prefetching Author.books, beside the fetch"
            case .fault: "firing one fault"
            }
        }

        var isPrefetch: Bool { self == .prefetchToOne || self == .prefetchToMany }

        /// The name of its bar; nil where there is none.
        var bar: String? {
            switch self {
            case .insert, .update, .delete: "postgresql.round-trips.save"
            case .prefetchToOne, .prefetchToMany: "postgresql.round-trips.prefetch"
            case .insertFirst, .fault: nil
            }
        }
    }

    /// The names of all bars, in their order.
    static let bars =
        works.map { "postgresql.\($0.rawValue)" } + ["postgresql.round-trips.save", "postgresql.round-trips.prefetch"]

    /// - Returns: whether every bar holds.
    func run(json: URL?) throws -> Bool {
        var bars = try BarCheck()
        let databases = try PostgreSQLDatabases(SourceData(authors: max(books / 100, 1), books: books))
        var file = FiguresFile(rounds: rounds)
        for work in Self.works { file.postgreSQL.append(try measure(work, databases)) }
        print(file.postgreSQL, &bars)
        try count(databases, &bars)
        if let json { try file.write(to: json) }
        return bars.holds
    }

    // MARK: Times

    private func measure(_ work: Work, _ databases: PostgreSQLDatabases) throws -> PostgreSQLFigures {
        var samples: [Contender: [Measurement]] = [:]
        for round in 1...rounds {
            for contender in Contender.all(of: work).shuffled() {
                let measurement = try databases.withCopy(isFilled: work.start == .filled) { database in
                    try ChildProcess.run([
                        "child-postgresql", contender.rawValue, work.rawValue, database, String(max(books / 100, 1)),
                        String(books),
                    ])
                }
                samples[contender, default: []].append(measurement)
            }
            try compare(samples, work, round)
        }
        return PostgreSQLFigures(work, books: books, samples)
    }

    /// Contenders that disagree have not done the same work.
    private func compare(_ samples: [Contender: [Measurement]], _ work: Work, _ round: Int) throws {
        guard let expected = samples[.c]?.last else { return }
        for (contender, all) in samples {
            guard let found = all.last else { continue }
            guard found.count == expected.count,
                abs(found.checksum - expected.checksum) <= abs(expected.checksum) * 1e-9
            else {
                throw BenchmarkFailure(
                    description: "\(work.title), round \(round), \(contender.rawValue): \(found.count) objects, sum "
                        + "\(found.checksum) instead of \(expected.count), \(expected.checksum)")
            }
        }
    }

    private func print(_ figures: [PostgreSQLFigures], _ bars: inout BarCheck) {
        Swift.print(
            """
            \(books) books of \(max(books / 100, 1)) authors, \(rounds) rounds, each in a database and processes of its own: \
            medians.
            Processor time in ms, of the client and of the server's processes together; theirs as the kernel counted it \
            (/proc/PID/schedstat).

            """)
        var rows = [
            ["work", "contender", "client", "server", "both", "wall", "ratio", "lowest…highest", "bar", "verdict"]
        ]
        for figure in figures {
            for side in figure.sides {
                var row = [
                    side.contender == .c ? figure.work.title : "", side.contender.rawValue,
                    (side.clientSeconds.median * 1_000).printed(0), (side.serverSeconds.median * 1_000).printed(0),
                    (side.bothSeconds.median * 1_000).printed(0), (side.seconds.median * 1_000).printed(0),
                    side.contender == .c ? "1" : side.ratio.median.printed(2),
                    side.contender == .c ? "" : side.ratio.printed(2),
                ]
                if side.contender == .coreData, books == WorkloadReport.barredSize {
                    row += bars.verdict(side.ratio.median, "postgresql.\(figure.work.rawValue)")
                } else {
                    row += ["", ""]
                }
                rows.append(row)
            }
        }
        printTable(rows)
        Swift.print("")
    }

    // MARK: Round trips

    private func count(_ databases: PostgreSQLDatabases, _ bars: inout BarCheck) throws {
        var rows = [["round trips of", "objects", "counted", "bar", "verdict"]]
        for kind in Conversation.allCases {
            let counts = kind == .fault ? [1] : kind.isPrefetch ? [books] : [1, min(1_000, books), books]
            for count in counts {
                let found = try databases.withCopy(isFilled: kind != .insert && kind != .insertFirst) { database in
                    try ChildProcess.run(["child-round-trips", kind.rawValue, database, String(count)])
                }
                rows.append(
                    [kind.title, String(count), String(found.roundTrips)]
                        + (kind.bar.map { bars.verdict(Double(found.roundTrips), $0, decimals: 0) } ?? ["", ""]))
            }
        }
        Swift.print("Counted where libpq sends and receives: a pipeline is one, whatever it holds.\n")
        printTable(rows)
    }
}

/// What the rounds of one work over PostgreSQL came to.
struct PostgreSQLFigures: Codable {
    struct Side: Codable {
        var contender: PostgreSQLReport.Contender
        var seconds: Spread
        var clientSeconds: Spread
        var serverSeconds: Spread
        /// Of client and server together.
        var bothSeconds: Spread
        /// The processor time in relation to that of plain C in the same round.
        var ratio: Spread
    }

    var work: Work
    var books: Int
    var sides: [Side]

    init(_ work: Work, books: Int, _ samples: [PostgreSQLReport.Contender: [Measurement]]) {
        func both(_ measurement: Measurement) -> Double { measurement.cpuSeconds + measurement.serverSeconds }
        (self.work, self.books) = (work, books)
        let plain = (samples[.c] ?? []).map(both)
        sides = PostgreSQLReport.Contender.all(of: work).map { contender in
            let all = samples[contender] ?? []
            return Side(
                contender: contender, seconds: Spread(all.map(\.seconds)),
                clientSeconds: Spread(all.map(\.cpuSeconds)), serverSeconds: Spread(all.map(\.serverSeconds)),
                bothSeconds: Spread(all.map(both)),
                ratio: Spread(zip(all, plain).map { both($0) / Swift.max($1, 1e-9) }))
        }
    }
}
