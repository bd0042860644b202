import Foundation
import Synchronization

/// The reaction of a context when a thread uses it, or one of its objects, without holding its queue.
///
/// OpenCoreData only.
public enum ConfinementResponse: UInt8, Sendable {
    /// No reaction. Apple's framework behaves so without the launch argument `-com.apple.CoreData.ConcurrencyDebug 1`.
    case ignore = 1
    /// One line on standard error for each entity, property and operation. The operation then continues.
    case report
    /// The process stops at the wrong use.
    case stop
}

/// The process-wide part of the check of queues.
///
/// The launch argument `-com.apple.CoreData.ConcurrencyDebug` decides for all contexts: 1 stops, 0 ignores. The
/// environment variable `OPENCOREDATA_CONCURRENCY_DEBUG` does the same where a program has no influence on its
/// arguments, as under a test runner. Without either a context uses its own `confinementResponse`, or else reports in
/// debug builds and ignores in release builds.
enum ConfinementCheck {
    #if DEBUG
    static let usual = ConfinementResponse.report
    #else
    static let usual = ConfinementResponse.ignore
    #endif

    /// Whether any context checks its queue. Initialised statically, so that reading it costs no once-check.
    static let isOn: Atomic<Bool> = {
        #if DEBUG
        Atomic(true)
        #else
        Atomic(false)
        #endif
    }()

    /// The response that the launch argument or the environment variable sets.
    static let requested: ConfinementResponse? = {
        let process = ProcessInfo.processInfo
        let position = process.arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug")
        let word =
            position.flatMap { process.arguments.dropFirst($0 + 1).first }
            ?? process.environment["OPENCOREDATA_CONCURRENCY_DEBUG"]
        return word.flatMap(Int.init).map { $0 > 0 ? .stop : .ignore }
    }()

    /// Reads the process's setting before its first context is used.
    static func prepare() { _ = prepared }

    private static let prepared: Void = {
        guard let requested else { return }
        isOn.store(requested != .ignore, ordering: .relaxed)
        if requested == .stop {
            write("CoreData: annotation: Core Data multi-threading assertions enabled.")
        }
    }()

    // MARK: Reporting

    /// The keys of the lines that were written. Their number is limited by the places in the program's source.
    private static let reported = Locked<Set<String>>([])

    /// Writes a line, unless one with the same key was written.
    static func report(_ message: String, key: String) {
        guard reported.withLock({ $0.insert(key).inserted }) else { return }
        write(
            "CoreData: warning: \(message) Use it inside perform or performAndWait of its context, or pass its objectID "
                + "to another queue. (Once for each entity, property and operation; -com.apple.CoreData.ConcurrencyDebug 1 "
                + "or OPENCOREDATA_CONCURRENCY_DEBUG=1 stops the process here, 0 says nothing.)")
    }

    private static func write(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}

extension NSManagedObjectContext {
    /// The reaction when the context, or one of its objects, is used without holding its queue.
    ///
    /// Unless set, a context reports in debug builds and ignores in release builds. The launch argument
    /// `-com.apple.CoreData.ConcurrencyDebug` and the environment variable `OPENCOREDATA_CONCURRENCY_DEBUG` take
    /// precedence for every context: 1 stops, 0 ignores.
    ///
    /// A child context takes over its parent's response when it gets the parent, unless its own was set before. Any
    /// thread may use this property.
    ///
    /// OpenCoreData only.
    public final var confinementResponse: ConfinementResponse {
        get { ConfinementCheck.requested ?? setConfinementResponse ?? ConfinementCheck.usual }
        set {
            ownConfinementResponse.store(newValue.rawValue, ordering: .relaxed)
            if newValue != .ignore, ConfinementCheck.requested == nil {
                ConfinementCheck.isOn.store(true, ordering: .relaxed)
            }
        }
    }

    /// The response that the program has set; nil when it has set none.
    private var setConfinementResponse: ConfinementResponse? {
        ConfinementResponse(rawValue: ownConfinementResponse.load(ordering: .relaxed))
    }

    /// Takes over a new parent's response.
    final func inheritConfinementResponse(from parent: NSManagedObjectContext) {
        guard setConfinementResponse == nil, let response = parent.setConfinementResponse else { return }
        confinementResponse = response
    }

    /// Responds when the calling thread does not hold the context's queue.
    @inline(__always)
    final func checkConfinement(_ operation: StaticString = #function) {
        if ConfinementCheck.isOn.load(ordering: .relaxed), !isOpenToCaller { respond(to: operation, of: nil, nil) }
    }

    /// Responds when the calling thread uses an object without holding the context's queue.
    final func checkConfinement(with object: NSManagedObject, _ operation: StaticString = #function) {
        if ConfinementCheck.isOn.load(ordering: .relaxed), !isOpenToCaller { respond(to: operation, of: object, nil) }
    }

    /// Whether the calling thread may use the context.
    final var isOpenToCaller: Bool { isHeldByCaller || queueType == .confinementConcurrencyType }

    /// The public method that a function does the work of: `save()` for `_save()`.
    private static func publicName(of function: String) -> String {
        function.hasPrefix("_") ? String(function.dropFirst()) : function
    }

    /// Reports a use off the queue, or stops the process.
    final func respond(to operation: StaticString, of object: NSManagedObject?, _ property: String?) {
        let response = confinementResponse
        if response == .ignore { return }
        let owner = isMain ? "the main queue" : "its own queue (perform, performAndWait)"
        let entity = object?.binding.layout.name
        let subject = object.map { "The object <\(entity ?? "") \($0.key)> of the" } ?? "The"
        let operation = Self.publicName(of: "\(operation)")
        let use = property.map { "\(operation) of '\($0)'" } ?? operation
        let message = """
            \(subject) \(debugName) was used (\(use)) from \(HeldContexts.placeDescription); it belongs to \(owner).
            """
        // The program, or its launch argument, has set the response `stop`.
        if response == .stop { fatalError("__Multithreading_Violation_AllThatIsLeftToUsIsHonor__: \(message)") }
        ConfinementCheck.report(message, key: "\(entity ?? ""),\(property ?? ""),\(operation)")
    }
}

extension NSManagedObject {
    /// Responds when the calling thread does not hold the queue of the object's context.
    ///
    /// - Parameters:
    ///   - property: The property that is read or written, for the message.
    ///   - operation: The operation, in words of the public interface.
    @inline(__always)
    final func checkConfinement(
        _ operation: StaticString = #function, _ property: @autoclosure () -> String? = nil
    ) {
        if ConfinementCheck.isOn.load(ordering: .relaxed), let context = binding.context, !context.isOpenToCaller {
            context.respond(to: operation, of: self, property())
        }
    }
}
