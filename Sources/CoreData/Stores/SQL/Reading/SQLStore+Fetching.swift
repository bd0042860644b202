import Foundation

extension SQLStore {
    package func fetchRows(_ request: StoreFetch, _ body: ([Snapshot]) throws -> Void) throws {
        guard let shape = shapes[request.layout.index] else { return }
        #if DEBUG
        defer { reportTableScan(of: request) }
        #endif
        var count = 0
        try fetchRows(request, shape) { rows in
            count += rows.count
            try body(rows)
        }
        if count >= Self.manyRows { try readingOnce { $0.forgetPages() } }
    }

    private func fetchRows(
        _ request: StoreFetch, _ shape: RowShape, _ body: ([Snapshot]) throws -> Void
    ) throws {
        if let (fetch, constants) = try knownFetch(request, shape) {
            return try readingOnce { connection in
                try connection.statement(.fetch(fetch.number)) { .select(fetch.select) }.snapshots(
                    of: shape, into: rowCache, refreshing: false,
                    bind: { parameters in
                        for place in constants.indices { parameters.bind(place + 1, constants[place]) }
                    }, body: body)
            }
        }
        let (translator, frame) = try translated(request)
        try translator.addOrder(request.sortDescriptors, to: frame)
        if types != nil, try fetchRowsByKeys(of: frame, request.layout.rootIndex, body) { return }
        frame.select.results = shape.results(alias: frame.alias)
        try reading(frame.select) {
            try $0.snapshots(of: shape, into: rowCache, refreshing: false, bind: { _ in }, body: body)
        }
    }

    /// The statement that all fetches of one shape share, and the values of its parameters; nil if the fetch has no
    /// shape.
    private func knownFetch(
        _ request: StoreFetch, _ rowShape: RowShape
    ) throws -> (fetch: KnownFetches.Known, constants: [SlotValue])? {
        // In a database with types, the expression in the place of a constant depends on the constant.
        guard types == nil else { return nil }
        if let known = knownFetches.known(request) { return known }
        guard let (shape, constants) = FetchShape.of(request) else { return nil }
        let known = try knownFetches.known(shape) {
            var unbounded = request
            unbounded.predicate = nil
            let (translator, frame) = try translated(unbounded)
            guard let predicate = request.predicate else { return nil }
            var values: [SlotValue] = []
            guard
                let condition = try translator.condition(predicate, in: frame).withParameters(for: &values),
                values == constants
            else { return nil }
            frame.addCondition(condition)
            try translator.addOrder(request.sortDescriptors, to: frame)
            frame.select.results = rowShape.results(alias: frame.alias)
            return frame.select
        }
        return known.map { ($0, constants) }
    }

    /// Reads rows that the client sorts: first the keys, then their rows, all from one state of the database.
    ///
    /// - Returns: false if nothing was read, because the database sorts.
    private func fetchRowsByKeys(
        of frame: SQLFrame, _ rootIndex: Int, _ body: ([Snapshot]) throws -> Void
    ) throws -> Bool {
        frame.select.results = keyResults(frame, rootIndex)
        guard let postProcessing = postProcessing(of: frame.select) else { return false }
        try reading { connection in
            let request = try clientEvaluated(postProcessing.request, on: connection)
            let keys = try postProcessing.rows(of: connection.statement(request)).compactMap {
                try key(of: $0, rootIndex: rootIndex)?.key
            }
            for start in stride(from: 0, to: keys.count, by: Self.rowsTogether) {
                let part = Array(keys[start..<min(start + Self.rowsTogether, keys.count)])
                let rows = try rows(for: part, rootIndex: rootIndex, on: connection)
                let known = Dictionary(rows.map { ($0.key, $0) }) { first, _ in first }
                try body(part.compactMap { known[$0] })
            }
        }
        return true
    }

    /// The number of rows that are passed to the body at a time.
    private static let rowsTogether = 500

    /// The columns that a fetch of keys selects.
    private func keyResults(_ frame: SQLFrame, _ rootIndex: Int) -> [SQLSelect.Result] {
        [
            frame.column(SQLSchema.keyColumn), entity(ofRoot: rootIndex, frame.column(SQLSchema.entityColumn)),
        ].map { SQLSelect.Result(expression: $0) }
    }

    /// The client post-processing of a SELECT; nil if the database runs all of it.
    package func postProcessing(of select: SQLSelect) -> SQLClientPostProcessing? {
        types.flatMap { SQLClientPostProcessing($0.coerced(select), $0, missing: capabilities.missingCollations) }
    }

    /// Calls a body with each row of a SELECT, which the database or the client post-processing returns.
    private func readRows(
        of select: SQLSelect, isLarge: Bool = false, _ body: (any SQLRow) throws -> Void
    ) throws {
        guard let postProcessing = postProcessing(of: select) else {
            guard isLarge else { return try reading(select) { try $0.rows({ _ in }, body) } }
            return try reading { try $0.statement(clientEvaluated(select, on: $0)).stream({ _ in }, body) }
        }
        let row = SQLComputedRow()
        for values in try reading(postProcessing.request, { try postProcessing.rows(of: $0) }) {
            row.values = values
            try body(row)
        }
    }

    package func translator(for layout: EntityLayout, decidingByObject: Bool = false) -> SQLFetchTranslator {
        SQLFetchTranslator(
            schema: schema, layout: layout, storeNumber: storeNumber, storeIdentifier: identifier,
            decidesByObject: decidingByObject || decidesByObject)
    }

    /// A SELECT that the database can run. Conditions that the database cannot decide are evaluated on the client
    /// first.
    package func clientEvaluated(_ select: SQLSelect, on connection: any SQLConnection) throws -> SQLSelect {
        guard let types else { return select }
        return try SQLClientEvaluation(connection: connection, types: types).resolved(types.coerced(select))
    }

    private func translated(_ request: StoreFetch) throws -> (SQLFetchTranslator, SQLFrame) {
        let translator = translator(for: request.layout, decidingByObject: request.decidesByObject)
        let frame = try translator.frame(includesSubentities: request.includesSubentities)
        if let predicate = request.predicate {
            frame.addCondition(try translator.condition(predicate, in: frame))
        }
        if let key = request.afterPrimaryKey {
            let column = frame.column(SQLSchema.keyColumn)
            frame.addCondition(.binary(.greater, column, .value(.int(key))))
            frame.select.order += SQLSelect.Order.keys([column])
        }
        if request.limit > 0 { frame.select.limit = request.limit }
        if request.offset > 0 { frame.select.offset = request.offset }
        return (translator, frame)
    }

    package func fetch(_ request: StoreFetch) throws -> StoreFetchResult {
        // The store does not hold the entity, so it has no rows of it.
        guard shapes[request.layout.index] != nil else { return Self.nothing(for: request.result) }
        #if DEBUG
        defer { reportTableScan(of: request) }
        #endif
        let (select, plan) = try select(for: request)
        switch request.result {
        case .keys: return .keys(try fetchKeys(select, request.layout.rootIndex, isLarge: request.isLarge))
        case .count:
            let count = max(0, try fetchCount(select) - request.offset)
            return .count(request.limit > 0 ? min(count, request.limit) : count)
        case .dictionaries: return .dictionaries(try plan.map { try fetchDictionaries(select, $0) } ?? [])
        }
    }

    package func translation(of request: StoreFetch) -> FetchTranslation {
        guard let shape = shapes[request.layout.index] else { return .unneeded }
        // The columns of dictionaries are no part of a shape.
        if case .keys = request.result, let (known, _) = FetchShape.of(request), knownFetches.has(known) {
            return .statement
        }
        do {
            let (select, _) = try select(for: request, rows: shape)
            // SQLite has limits on the parts of a statement, which it applies when it prepares one.
            try reading(select) { _ in }
            return .statement
        } catch let error as NSError where error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError {
            return .missing
        } catch {
            return .statement
        }
    }

    /// The SELECT of a fetch, and the meaning of its columns if it returns dictionaries. With `rows` it returns whole
    /// rows instead of keys.
    func select(for request: StoreFetch, rows: RowShape? = nil) throws -> (SQLSelect, DictionaryPlan?) {
        let (translator, frame) = try translated(request)
        var plan: DictionaryPlan?
        switch request.result {
        case .keys:
            frame.select.results = rows?.results(alias: frame.alias) ?? keyResults(frame, request.layout.rootIndex)
        case .count:
            frame.select.results = [SQLSelect.Result(expression: .countAll)]
            frame.select.limit = nil
            frame.select.offset = nil
            return (frame.select, nil)
        case .dictionaries(let properties, let groupBy, let having, let distinct):
            plan = try DictionaryPlan(
                properties, groupBy: groupBy, having: having, translator: translator, frame: frame)
            frame.select.isDistinct = distinct
        }
        try translator.addOrder(request.sortDescriptors, to: frame)
        return (frame.select, plan)
    }

    package func fetchTable(_ request: StoreFetch) throws -> FetchedTable? {
        guard shapes[request.layout.index] != nil, case .dictionaries = request.result else { return nil }
        let (select, plan) = try select(for: request)
        // Rows without columns cannot be a table.
        guard let plan, !plan.columns.isEmpty else { return nil }
        return try fetchTable(select, plan)
    }

    package func streamColumns(_ request: StoreFetch, _ body: (FetchedRow) throws -> Void) throws -> Bool {
        guard shapes[request.layout.index] != nil, case .dictionaries = request.result else { return false }
        let (select, plan) = try select(for: request)
        guard let plan, plan.columns.allSatisfy({ !$0.isObject }) else { return false }
        let kinds = plan.columns.map { column -> SlotKind? in
            // A value in a file of its own is not what the column has.
            if case .value(let kind, isExternal: false) = column.content { kind } else { nil }
        }
        let (names, places) = (plan.columns.map(\.name), plan.columns.map(\.place))
        var current: FetchedRow?
        try readRows(of: select) { row in
            if let current, current.row === row { return try body(current) }
            let fetched = FetchedRow(names: names, kinds: kinds, row: row, places: places) { [self] place in
                try value(of: plan.columns[place], row)
            }
            current = fetched
            try body(fetched)
        }
        return true
    }

    private static func nothing(for result: StoreFetch.Result) -> StoreFetchResult {
        switch result {
        case .keys: .keys(FetchedKeys())
        case .count: .count(0)
        case .dictionaries: .dictionaries([])
        }
    }

    private func fetchKeys(_ select: SQLSelect, _ rootIndex: Int, isLarge: Bool) throws -> FetchedKeys {
        var keys = FetchedKeys()
        let sole = soleLayouts[rootIndex]
        try readRows(of: select, isLarge: isLarge) { row in
            guard let index = sole ?? layoutIndex(number: row.int64(1), rootIndex: rootIndex) else { return }
            keys.append(ObjectKey(layoutIndex: index, key: try key(row.int64(0), rootIndex: rootIndex)))
        }
        if keys.count >= Self.manyKeys { try readingOnce { $0.forgetPages() } }
        return keys
    }

    /// After this number of keys, memory is full of the last pages that were read, and the caller needs memory next.
    private static let manyKeys = 100_000
    private static let manyRows = 500_000

    private func fetchCount(_ select: SQLSelect) throws -> Int {
        try reading(select) { Int(try $0.first { $0.int64(0) } ?? 0) }
    }

    private func fetchDictionaries(_ select: SQLSelect, _ plan: DictionaryPlan) throws -> [[String: Any]] {
        var result: [[String: Any]] = []
        try readRows(of: select) { row in
            var dictionary: [String: Any] = [:]
            dictionary.reserveCapacity(plan.columns.count)
            for column in plan.columns { dictionary[column.name] = try value(of: column, row) }
            result.append(dictionary)
        }
        for column in plan.columns where column.layoutWithoutEntity != nil {
            for place in result.indices {
                guard let key = result[place][column.name] as? ObjectKey else { continue }
                result[place][column.name] = try exact(key)
            }
        }
        return result
    }

    /// The key with the concrete entity of its row.
    private func exact(_ key: ObjectKey) throws -> ObjectKey {
        let entity = layout.entities[key.layoutIndex]
        guard entity.hasSubentities else { return key }
        let row = try row(for: key.key, rootIndex: entity.rootIndex, refreshing: false)
        return ObjectKey(layoutIndex: row?.layoutIndex ?? key.layoutIndex, key: key.key)
    }

    private func fetchTable(_ select: SQLSelect, _ plan: DictionaryPlan) throws -> FetchedTable {
        let keyPlaces = plan.columns.indices.filter { plan.columns[$0].isObject }
        var table = FetchedTable(names: plan.columns.map(\.name), keyPlaces: keyPlaces)
        let columns = plan.columns.map { (reader: ColumnReader($0.content), place: $0.place) }
        var numbers = NumberBoxes()
        try readRows(of: select) { row in
            try table.appendRow { column in
                let place = columns[column].place
                if row.isNull(place) { return nil }
                // The most frequent kinds are converted without boxing and casting.
                switch columns[column].reader {
                case .text: return row.string(place) as NSString
                case .boolean: return NSNumber(value: row.int64(place) != 0)
                case .integer: return numbers.box(row.int64(place))
                case .double: return NSNumber(value: row.double(place))
                case .float: return NSNumber(value: Float(row.double(place)))
                case .date: return NSDate(timeIntervalSinceReferenceDate: row.double(place))
                case .other: return try object(of: plan.columns[column], row)
                }
            }
        }
        for (place, column) in plan.columns.enumerated() where column.layoutWithoutEntity != nil {
            try table.mapKeys(at: place, exact)
        }
        return table
    }

    /// The value of a column as an object.
    private func object(of column: DictionaryPlan.Column, _ row: any SQLRow) throws -> AnyObject? {
        let value = try value(of: column, row)
        return column.isObject ? (value as? ObjectKey).map(FetchedTable.Key.init) : value.map { $0 as AnyObject }
    }

    /// The way in which the values of a column become objects.
    private enum ColumnReader {
        case text, boolean, integer, double, float, date
        /// By `value(of:_:)`.
        case other

        init(_ content: DictionaryPlan.Content) {
            self =
                switch content {
                case .value(.string, _): .text
                case .value(.boolean, _): .boolean
                case .value(.integer, _): .integer
                case .value(.double, _): .double
                case .value(.float, _): .float
                case .value(.date, _): .date
                case .value, .object: .other
                }
        }
    }

    private func value(of column: DictionaryPlan.Column, _ row: any SQLRow) throws -> Any? {
        let place = column.place
        if row.isNull(place) { return nil }
        if case .object(let destination, let entityPlace) = column.content {
            let number = entityPlace.map { row.int64($0) }
            let rootIndex = layout.entities[destination].rootIndex
            let index = number.flatMap { layoutIndex(number: $0, rootIndex: rootIndex) } ?? destination
            let reference = row.int64(place)
            return reference > 0
                ? ObjectKey(layoutIndex: index, key: try key(reference, rootIndex: rootIndex)) : nil
        }
        guard case .value(let kind, let isExternal) = column.content else { return nil }
        switch kind {
        case .integer, .boolean, .order, .entityNumber, .reference:
            return SlotValue.int(row.int64(place)).boxed(as: kind ?? .integer)
        case .double, .float, .date:
            return SlotValue.double(row.double(place)).boxed(as: kind ?? .double)
        case .decimal:
            return try decimal(row.slotValue(place), of: column).map { NSDecimalNumber(decimal: $0) }
        case .string, .uri:
            return SlotValue.string(row.string(place)).boxed(as: kind ?? .string)
        case .uuid:
            let data = row.data(place)
            guard data.count == 16 else { return nil }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case .data, .transformable:
            return isExternal ? externalValue(row.data(place)) : row.data(place)
        case nil:
            switch row.slotValue(place) {
            case .int(let number): return NSNumber(value: number)
            case .double(let number): return NSNumber(value: number)
            case .string(let text): return text
            case let other: return other.boxed(as: .data)
            }
        }
    }

    /// A stored or computed decimal. The sum of decimals may be larger than the largest decimal.
    private func decimal(_ value: SlotValue, of column: DictionaryPlan.Column) throws -> Decimal? {
        let found: Decimal?
        let shown: String
        switch value {
        case .int(let number): return Decimal(number)
        case .decimal(let number): return number
        case .string(""): return nil
        // The row has a number that the type of its reader cannot hold.
        case .null: (found, shown) = (nil, "in the database")
        case .double(let number): (found, shown) = (DecimalStorage.decimal(number), "\(number)")
        case .string(let text): (found, shown) = (DecimalStorage.decimal(text), "“\(text.prefix(64))”")
        case .data, .uuid: (found, shown) = (nil, "bytes")
        }
        if let found { return found }
        throw NSError.coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The value \(shown) of “\(column.name)” is no decimal number, or is larger than any.", url: url,
            userInfo: [NSValidationKeyErrorKey: column.name])
    }

    private func externalValue(_ stored: Data) -> Data? {
        guard schema.tagsExternalValues else { return stored }
        return stored.withUnsafeBytes { bytes in
            if let name = ExternalData.fileName(bytes) { return (try? externalData?.read(name)) ?? nil }
            return Data(ExternalData.inlineBytes(bytes))
        }
    }
}
