import CSQLite
import Foundation

extension SQLiteStore {
    func fetchRows(_ request: StoreFetch, _ body: ([Snapshot]) throws -> Void) throws {
        guard let decoder = decoders[request.layout.index] else { return }
        let (translator, frame) = try translated(request)
        try translator.addOrder(request.sortDescriptors, to: frame)
        frame.select.results = decoder.results(alias: frame.alias)
        try fetchRows(frame.select, decoder, body)
    }

    /// In-memory stores decide object by object, as Apple's do, although there is SQL underneath.
    func translator(for layout: EntityLayout) -> SQLFetchTranslator {
        SQLFetchTranslator(
            schema: schema, layout: layout, storeNumber: storeNumber, decidesByObject: type == NSInMemoryStoreType)
    }

    private func translated(_ request: StoreFetch) throws -> (SQLFetchTranslator, SQLFrame) {
        let translator = translator(for: request.layout)
        let frame = try translator.frame(includesSubentities: request.includesSubentities)
        if let predicate = request.predicate {
            frame.addCondition(try translator.condition(predicate, in: frame))
        }
        if let key = request.afterPrimaryKey {
            let column = frame.column(SQLSchema.keyColumn)
            frame.addCondition(.binary(.greater, column, .value(.int(key))))
            frame.select.order.append(SQLSelect.Order(expression: column))
        }
        if request.limit > 0 { frame.select.limit = request.limit }
        if request.offset > 0 { frame.select.offset = request.offset }
        return (translator, frame)
    }

    func fetch(_ request: StoreFetch) throws -> StoreFetchResult {
        // A store that holds none of the entity's rows has none to give.
        guard decoders[request.layout.index] != nil else { return Self.nothing(for: request.result) }
        let (translator, frame) = try translated(request)
        switch request.result {
        case .keys:
            try translator.addOrder(request.sortDescriptors, to: frame)
            frame.select.results = [SQLSchema.keyColumn, SQLSchema.entityColumn].map {
                SQLSelect.Result(expression: frame.column($0))
            }
            return .keys(try fetchKeys(frame.select, request.layout.rootIndex))
        case .count:
            frame.select.results = [SQLSelect.Result(expression: .countAll)]
            frame.select.limit = nil
            frame.select.offset = nil
            let count = max(0, try fetchCount(frame.select) - request.offset)
            return .count(request.limit > 0 ? min(count, request.limit) : count)
        case .dictionaries(let properties, let groupBy, let having, let distinct):
            let plan = try DictionaryPlan(properties, translator: translator, frame: frame)
            try plan.finish(groupBy: groupBy, having: having, distinct: distinct)
            try translator.addOrder(request.sortDescriptors, to: frame)
            return .dictionaries(try fetchDictionaries(frame.select, plan))
        }
    }

    private static func nothing(for result: StoreFetch.Result) -> StoreFetchResult {
        switch result {
        case .keys: .keys([])
        case .count: .count(0)
        case .dictionaries: .dictionaries([])
        }
    }

    /// Runs a body with the prepared SELECT, its values bound.
    private func selecting<Result>(
        _ select: SQLSelect, _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        var printer = SQLPrinter(dialect: SQLiteDialect())
        printer.print(select)
        let (text, values) = (printer.text, printer.values)
        return try reading { reader in
            let statement = try reader.connection.statement(.text(text)) { text }
            for (position, value) in values.enumerated() { statement.bind(Int32(position + 1), value) }
            defer { statement.clear() }
            return try body(statement)
        }
    }

    private func fetchRows(
        _ select: SQLSelect, _ decoder: RowDecoder, _ body: ([Snapshot]) throws -> Void
    ) throws {
        try selecting(select) { statement in
            var rows: [Snapshot] = []
            rows.reserveCapacity(Self.rowsPerBatch)
            var goesOn = true
            // The cache's lock is held for some hundred rows at a time, so that other threads get their turn.
            while goesOn {
                try rowCache.batch { cache in
                    while rows.count < Self.rowsPerBatch {
                        guard try statement.step() else {
                            goesOn = false
                            return
                        }
                        if let row = try decoder.decode(statement, cache: cache, refreshing: false) { rows.append(row) }
                    }
                }
                try body(rows)
                rows.removeAll(keepingCapacity: true)
            }
        }
    }

    private static var rowsPerBatch: Int { 256 }

    private func fetchKeys(_ select: SQLSelect, _ rootIndex: Int) throws -> [ObjectKey] {
        try selecting(select) { statement in
            var keys: [ObjectKey] = []
            while try statement.step() {
                guard let index = layoutIndex(number: statement.int64(1), rootIndex: rootIndex) else { continue }
                keys.append(
                    ObjectKey(
                        layoutIndex: index,
                        key: ObjectKey.key(storeNumber: storeNumber, primaryKey: statement.int64(0))))
            }
            return keys
        }
    }

    private func fetchCount(_ select: SQLSelect) throws -> Int {
        try selecting(select) { statement in
            guard try statement.step() else { return 0 }
            return Int(statement.int64(0))
        }
    }

    private func fetchDictionaries(_ select: SQLSelect, _ plan: DictionaryPlan) throws -> [[String: Any]] {
        try selecting(select) { statement in
            var result: [[String: Any]] = []
            while try statement.step() {
                var dictionary: [String: Any] = [:]
                dictionary.reserveCapacity(plan.columns.count)
                for column in plan.columns {
                    dictionary[column.name] = value(of: column, statement)
                }
                result.append(dictionary)
            }
            return result
        }
    }

    private func value(of column: DictionaryPlan.Column, _ statement: SQLiteStatement) -> Any? {
        let place = column.place
        let type = statement.type(place)
        if type == SQLITE_NULL { return nil }
        if case .object(let destination, let entityPlace) = column.content {
            let number = entityPlace.map { statement.int64($0) }
            let index =
                number.flatMap { layoutIndex(number: $0, rootIndex: layout.entities[destination].rootIndex) }
                ?? destination
            return ObjectKey(
                layoutIndex: index, key: ObjectKey.key(storeNumber: storeNumber, primaryKey: statement.int64(place)))
        }
        guard case .value(let kind, let isExternal) = column.content else { return nil }
        switch kind {
        case .integer, .boolean, .order, .entityNumber, .reference:
            return SlotValue.int(statement.int64(place)).boxed(as: kind ?? .integer)
        case .double, .float, .date:
            return SlotValue.double(statement.double(place)).boxed(as: kind ?? .double)
        case .decimal:
            switch type {
            case SQLITE_INTEGER: return SlotValue.decimal(Decimal(statement.int64(place))).boxed(as: .decimal)
            case SQLITE_TEXT:
                return DecimalStorage.decimal(statement.string(place)).map { NSDecimalNumber(decimal: $0) }
            default: return SlotValue.decimal(DecimalStorage.decimal(statement.double(place))).boxed(as: .decimal)
            }
        case .string, .uri:
            return SlotValue.string(statement.string(place)).boxed(as: kind ?? .string)
        case .uuid:
            let data = statement.data(place)
            guard data.count == 16 else { return nil }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case .data, .transformable:
            return isExternal ? externalValue(statement.data(place)) : statement.data(place)
        case nil:
            switch type {
            case SQLITE_INTEGER: return NSNumber(value: statement.int64(place))
            case SQLITE_FLOAT: return NSNumber(value: statement.double(place))
            case SQLITE_TEXT: return statement.string(place)
            default: return statement.data(place)
            }
        }
    }

    private func externalValue(_ stored: Data) -> Data? {
        stored.withUnsafeBytes { bytes in
            if let name = ExternalData.fileName(bytes) { return (try? externalData?.read(name)) ?? nil }
            return Data(ExternalData.inlineBytes(bytes))
        }
    }
}
