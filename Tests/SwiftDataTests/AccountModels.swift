import CoreData
import Foundation
import SwiftData

// The classes of a program that keeps accounts, written anew from the model that its store keeps. A stand-in has the
// place of its class of colours.

final class Colour: NSObject {
    let data: Data

    init(_ data: Data) { self.data = data }
}

/// Keeps the bytes of a colour as they are.
final class ColorTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override func transformedValue(_ value: Any?) -> Any? { (value as? Colour)?.data }
    override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).map { Colour($0) } }
}

@Model final class EntityAccount {
    var currencyCode: String = "EUR"
    var dateEcheancier: Date = Date()
    var isAccount: Bool = true
    var isDemo: Bool = false
    var name: String = ""
    var nameIcon: String = ""
    @Attribute(.unique) var uuid: UUID = UUID()
    @Relationship(deleteRule: .cascade, inverse: \EntityBanqueInfo.account) var bank: EntityBanqueInfo?
    @Relationship(deleteRule: .cascade, inverse: \EntityBankStatement.account) var bankStatement: [EntityBankStatement]?
    @Relationship(deleteRule: .cascade, inverse: \EntityCheckBook.account) var carnetCheques: [EntityCheckBook]?
    var compteLie: EntityTransaction?
    @Relationship(deleteRule: .cascade, inverse: \EntitySchedule.account) var echeanciers: [EntitySchedule]?
    @Relationship(deleteRule: .cascade, inverse: \EntityIdentity.account) var identity: EntityIdentity?
    @Relationship(deleteRule: .cascade, inverse: \EntityInitAccount.account) var initAccount: EntityInitAccount?
    @Relationship(deleteRule: .cascade, inverse: \EntityPaymentMode.account) var paymentMode: [EntityPaymentMode]?
    @Relationship(deleteRule: .cascade, inverse: \EntityPreference.account) var preference: EntityPreference?
    @Relationship(deleteRule: .cascade, inverse: \EntityRubric.account) var rubric: [EntityRubric]?
    @Relationship(deleteRule: .cascade, inverse: \EntityStatus.account) var status: [EntityStatus]?
    @Relationship(deleteRule: .cascade, inverse: \EntityTransaction.account) var transactions: [EntityTransaction]?

    init() {}
}

@Model final class EntityBankStatement {
    var cbDate: Date = Date()
    var cbSolde: Double = 0
    var endDate: Date = Date()
    var endSolde: Double = 0
    var interDate: Date = Date()
    var interSolde: Double = 0
    var num: Int = 0
    @Attribute(.externalStorage) var pdfDoc: Data?
    var pdfLink: String = ""
    var startDate: Date = Date()
    var startSolde: Double = 0
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityBanqueInfo {
    var adresse: String = ""
    var complement: String = ""
    var country: String = ""
    var cp: String = ""
    var email: String = ""
    var fonction: String = ""
    var mobile: String = ""
    var name: String = ""
    var nomBanque: String = ""
    var phone: String = ""
    var town: String = ""
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityCategory {
    var name: String = ""
    var objectif: Double = 0.0
    @Attribute(.unique) var uuid: UUID = UUID()
    @Relationship(inverse: \EntitySchedule.category) var echeancier: [EntitySchedule]?
    @Relationship(inverse: \EntityPreference.category) var preference: EntityPreference?
    var rubric: EntityRubric?
    @Relationship(inverse: \EntitySousOperation.category) var sousOperations: [EntitySousOperation]?

    init() {}
}

@Model final class EntityCheckBook {
    var name: String = ""
    var nbCheques: Int = 25
    var numPremier: Int = 1
    var numSuivant: Int = 10
    var prefix: String = "CH"
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount?

    init() {}
}

@Model final class EntityFolderAccount {
    var isRoot: Bool = false
    var name: String = ""
    var nameImage: String = "folder.fill"
    @Attribute(.unique) var uuid: UUID = UUID()
    var children: [EntityAccount]

    init() { children = [] }
}

@Model final class EntityIdentity {
    var adress: String = ""
    var complement: String = ""
    var country: String = ""
    var cp: String = ""
    var email: String = ""
    var mobile: String = ""
    var name: String = "Dupont"
    var nameImage: String = ""
    var phone: String = ""
    var surName: String = "leon"
    var town: String = ""
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityInitAccount {
    var bic: String = ""
    var cleRib: String = ""
    var codeAccount: String = ""
    var codeBank: String = ""
    var codeGuichet: String = ""
    var engage: Double = 0.0
    var iban: String = ""
    var prevu: Double = 0.0
    var realise: Double = 0.0
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityPaymentMode {
    @Attribute(.transformable(by: ColorTransformer.self)) var color: Colour = Colour(Data())
    var name: String = ""
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityPreference {
    var signe: Bool = true
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount
    var category: EntityCategory?
    var paymentMode: EntityPaymentMode?
    var status: EntityStatus?

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityRubric {
    @Attribute(.transformable(by: ColorTransformer.self)) var color: Colour = Colour(Data())
    var name: String = ""
    @Attribute(.ephemeral) var total: Double = 0.0
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount
    @Relationship(deleteRule: .cascade) var categorie: [EntityCategory]

    init(account: EntityAccount) {
        self.account = account
        categorie = []
    }
}

@Model final class EntitySchedule {
    var amount: Double = 0.0
    var dateCree: Date = Date()
    var dateDebut: Date = Date()
    var dateFin: Date = Date()
    var dateModifie: Date = Date()
    var dateValeur: Date = Date()
    var frequence: Int16 = 0
    var isProcessed: Bool = false
    var libelle: String = ""
    var nextOccurrence: Int16 = 0
    var occurrence: Int16 = 0
    var typeFrequence: Int16 = 0
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount
    var category: EntityCategory?
    var linkedAccount: EntityAccount?
    var paymentMode: EntityPaymentMode?

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntitySousOperation {
    var amount: Double = 0.0
    var libelle: String?
    @Attribute(.unique) var uuid: UUID = UUID()
    var category: EntityCategory?
    @Relationship(inverse: \EntityTransaction.sousOperations) var transaction: EntityTransaction?

    init() {}
}

@Model final class EntityStatus {
    @Attribute(.transformable(by: ColorTransformer.self)) var color: Colour = Colour(Data())
    var name: String = ""
    var rawType: Int = 0
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount

    init(account: EntityAccount) { self.account = account }
}

@Model final class EntityTransaction {
    var _sectionIdentifier: String?
    var bankStatement: Double = 0.0
    var checkNumber: String = ""
    var createAt: Date = Date()
    var dateOperation: Date = Date()
    var datePointage: Date = Date()
    @Attribute(.ephemeral) var solde: Double? = 0.0
    var updatedAt: Date = Date()
    @Attribute(.unique) var uuid: UUID = UUID()
    var account: EntityAccount
    var paymentMode: EntityPaymentMode?
    @Relationship(deleteRule: .cascade) var sousOperations: [EntitySousOperation]
    var status: EntityStatus?

    init(account: EntityAccount) {
        self.account = account
        sousOperations = []
    }
}
