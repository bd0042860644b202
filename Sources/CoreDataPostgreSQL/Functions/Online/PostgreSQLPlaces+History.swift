#if PostgreSQL
import CoreData

// The names of the properties that bits of history stand for, where versions of the model have different names.
extension PostgreSQLPlaces {
    /// Records this version's names of the properties that the bits of all earlier versions stand for. The models
    /// of those versions are removed before their history is. Where an earlier version has the same names for other
    /// properties, changes of this one get a mark of their own.
    mutating func tellHistory(_ difference: ModelDifference, after former: Self) {
        (earlierBits, names.marks) = ([:], [:])
        for entity in difference.destination.entities {
            guard let index = difference.sourceOf[entity.index], let number = numbers[entity.name] else { continue }
            let origin = difference.source.entities[index]
            let before = HistoryProperties(origin, mark: former.names.marks[origin.name])
            let now = Dictionary(difference.properties[entity.index].map { ($1.name, $0) }) { first, _ in first }
            var bits = former.earlierBits[number] ?? [:]
            bits[before.mark] = before.names
            bits = bits.mapValues { names in names.map { name in name.flatMap { now[$0] } } }
            earlierBits[number] = bits
            let own = HistoryProperties(entity)
            var (mark, attempt) = (own.mark, 0)
            while let others = bits[mark], others != own.names {
                attempt += 1
                mark = HistoryProperties.mark(of: own.names.map { $0 ?? "" } + ["\(attempt)"])
            }
            if mark != own.mark { names.marks[entity.name] = mark }
        }
    }

    // MARK: As a property list

    var listOfEarlierBits: [String: [String]] {
        var list: [String: [String]] = [:]
        for (number, bits) in earlierBits {
            for (mark, names) in bits { list["\(number) \(mark)"] = names.map { $0 ?? "" } }
        }
        return list
    }

    mutating func readEarlierBits(_ list: [String: [String]]) {
        for (key, names) in list {
            let parts = key.split(separator: " ").compactMap { Int64($0) }
            guard parts.count == 2 else { continue }
            earlierBits[Int(parts[0]), default: [:]][parts[1]] = names.map { $0.isEmpty ? nil : $0 }
        }
    }
}
#endif
