import Foundation
import SwiftData

/// Conditions that compile on every system, and that stop a program on Apple's when it fetches by them.
enum StoppingPredicates {
    static func all(in context: ModelContext) throws -> [(text: String, predicate: Predicate<Trip>)] {
        let ann = try context.fetch(FetchDescriptor<Guide>(predicate: #Predicate { $0.name == "Ann" })).first?.id
        let kind = Kind.hike
        return [
            ("$0.guide == nil", #Predicate { $0.guide == nil }),
            ("$0.guide?.chief?.id == ann", #Predicate { $0.guide?.chief?.id == ann }),
            ("$0.kind == kind", #Predicate { $0.kind == kind }),
            ("$0.tags.contains(\"rain\")", #Predicate { $0.tags.contains("rain") }),
            ("$0.isBooked && $0.isLong", #Predicate { $0.isBooked && $0.isLong }),
        ]
    }
}
