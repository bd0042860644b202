import Foundation
import SwiftData
import TestSupport

// The classes of the two versions of `SoakModels`, with equal hashes.

/// An entry of either version.
protocol SoakEntry: PersistentModel {
    init(number: Int64, owner: String)

    var words: String? { get set }
    var number: Int64? { get }
    var value: Data? { get set }

    /// The entries of an owner, in their order.
    static func all(of owner: String) -> FetchDescriptor<Self>
    static func one(_ number: Int64, of owner: String) -> FetchDescriptor<Self>
}

/// An account of either version.
protocol SoakAccount: PersistentModel {
    var name: String? { get }
    var balance: Int64? { get }

    /// All accounts, in their order.
    static var all: FetchDescriptor<Self> { get }
}

/// A version of the classes.
protocol SoakSchema: Sendable {
    associatedtype Entry: SoakEntry
    associatedtype Account: SoakAccount
    static var types: [any PersistentModel.Type] { get }
}

enum SoakSchema0: SoakSchema {
    static var types: [any PersistentModel.Type] { [Account.self, Entry.self] }

    @Model final class Account: SoakAccount {
        var name: String?
        var balance: Int64?

        init() {}

        static var all: FetchDescriptor<Account> { FetchDescriptor(sortBy: [SortDescriptor(\.name)]) }
    }

    @Model final class Entry: SoakEntry {
        @Attribute(originalName: "label") var text: String?
        var number: Int64?
        var owner: String?
        @Attribute(.externalStorage) var value: Data?

        init(number: Int64, owner: String) { (self.number, self.owner) = (number, owner) }

        var words: String? {
            get { text }
            set { text = newValue }
        }

        static func all(of owner: String) -> FetchDescriptor<Entry> {
            FetchDescriptor(predicate: #Predicate { $0.owner == owner }, sortBy: [SortDescriptor(\.number)])
        }

        static func one(_ number: Int64, of owner: String) -> FetchDescriptor<Entry> {
            FetchDescriptor(predicate: #Predicate { $0.owner == owner && $0.number == number })
        }
    }
}

enum SoakSchema1: SoakSchema {
    static var types: [any PersistentModel.Type] { [Account.self, Entry.self, Extra.self] }

    @Model final class Account: SoakAccount {
        var name: String?
        var balance: Int64?

        init() {}

        static var all: FetchDescriptor<Account> { FetchDescriptor(sortBy: [SortDescriptor(\.name)]) }
    }

    @Model final class Entry: SoakEntry {
        @Attribute(originalName: "text") var label: String?
        var number: Int64?
        var owner: String?
        @Attribute(.externalStorage) var value: Data?

        init(number: Int64, owner: String) { (self.number, self.owner) = (number, owner) }

        var words: String? {
            get { label }
            set { label = newValue }
        }

        static func all(of owner: String) -> FetchDescriptor<Entry> {
            FetchDescriptor(predicate: #Predicate { $0.owner == owner }, sortBy: [SortDescriptor(\.number)])
        }

        static func one(_ number: Int64, of owner: String) -> FetchDescriptor<Entry> {
            FetchDescriptor(predicate: #Predicate { $0.owner == owner && $0.number == number })
        }
    }

    @Model final class Extra {
        var name: String?

        init() {}
    }
}
