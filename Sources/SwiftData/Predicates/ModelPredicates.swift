import CoreData
import Foundation

/// What models add to `#Predicate`.
struct ModelPredicates: PredicateExtending {
    /// Installs the extension before the first schema is used.
    static let installation: Void = PredicateExtension.install(ModelPredicates())

    func keys(of keyPath: AnyKeyPath) -> String? {
        if let keys = ModelKeyPaths.keys(of: keyPath) { return keys }
        let (root, value) = (Swift.type(of: keyPath).rootType, Swift.type(of: keyPath).valueType)
        // The raw value of an enumeration is what the store has.
        if let raw = root as? any RawRepresentable.Type, ValueKind.of(root).isRawEnumeration, rawType(raw) == value {
            return "self"
        }
        return nil
    }

    private func rawType<Raw: RawRepresentable>(_ type: Raw.Type) -> any Any.Type { Raw.RawValue.self }

    /// Types that are constants already. A cast to a protocol costs more than all of them.
    private static let plain: Set<ObjectIdentifier> = [
        ObjectIdentifier(String.self), ObjectIdentifier(Int.self), ObjectIdentifier(Double.self),
        ObjectIdentifier(Bool.self), ObjectIdentifier(Date.self), ObjectIdentifier(UUID.self),
    ]

    static func isPlain(_ type: any Any.Type) -> Bool { plain.contains(ObjectIdentifier(type)) }

    func constant(of value: Any) -> Any? {
        if Self.isPlain(Swift.type(of: value)) { return nil }
        return switch value {
        case let identifier as PersistentIdentifier: id(of: identifier)
        case let model as any PersistentModel: model.presentCore.objectID
        case let list as any ListOfConstants: list.constants { self.constant(of: $0) }
        default: nil
        }
    }

    /// Finds the stores of identifiers that came from elsewhere, while a predicate of a context is translated.
    @TaskLocal static var coordinator: NSPersistentStoreCoordinator?

    private func id(of identifier: PersistentIdentifier) -> Any {
        if let id = identifier.objectID { return id }
        return identifier.uri.flatMap { Self.coordinator?.managedObjectID(forURIRepresentation: $0) } ?? NSNull()
    }
}

/// A collection of identifiers, models or enumerations, which the framework takes for objects of their own.
private protocol ListOfConstants {
    func constants(_ constant: (Any) -> Any?) -> [Any]?
}

extension ListOfConstants where Self: Collection {
    func constants(_ constant: (Any) -> Any?) -> [Any]? {
        if Element.self == PersistentIdentifier.self || Element.self is any PersistentModel.Type {
            return map { constant($0) ?? NSNull() }
        }
        guard Element.self is any RawRepresentable.Type, ValueKind.of(Element.self).isRawEnumeration else { return nil }
        return compactMap { ($0 as? any RawRepresentable)?.rawValue }
    }
}

extension Array: ListOfConstants {}
extension Set: ListOfConstants {}
