import Dispatch
import Foundation

/// An actor with a context of its own. The macro ``ModelActor()`` adds the members.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelactor)
public protocol ModelActor: Actor {
    /// The container.
    nonisolated var modelContainer: ModelContainer { get }
    /// The executor, which has the context.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The context of the actor.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// The executor of the actor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { modelExecutor.asUnownedSerialExecutor }

    /// Returns the model of an identifier.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - type: The class.
    /// - Returns: The model; nil if no store has it.
    public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
        modelContext.existingModel(for: id, as: type)
    }
}

/// An executor with a context.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelexecutor)
public protocol ModelExecutor: Executor {
    /// The context.
    var modelContext: ModelContext { get }
    /// The executor for the runtime.
    var asUnownedSerialExecutor: UnownedSerialExecutor { get }
}

/// An executor that runs one job after the other.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/serialmodelexecutor)
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// An executor with a queue of its own, also if it was made on the main thread.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaultserialmodelexecutor)
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
    /// The context, which only the executor's queue uses.
    public let modelContext: ModelContext
    private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

    /// Creates an executor.
    ///
    /// - Parameter modelContext: The context, which nothing else may use.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/defaultserialmodelexecutor/init(modelcontext:))
    public init(modelContext: ModelContext) { self.modelContext = modelContext }

    /// Runs a job on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor
        queue.async { job.runSynchronously(on: executor) }
    }

    /// The executor for the runtime.
    public var asUnownedSerialExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
