import CSwiftRuntime

/// A reference of a core to its model, which does not retain the model and takes no memory beside the pointer.
///
/// A weak reference would cost a side allocation for each model. This reference keeps the model's memory, as an unowned
/// one does, and the runtime's try-retain tells whether the model is still alive, on any thread.
struct ModelReference: ~Copyable {
    private let pointer: UnsafeMutableRawPointer

    init(_ model: AnyObject) {
        pointer = Unmanaged.passUnretained(model).toOpaque()
        opencoredata_unowned_retain(pointer)
    }

    /// The model; nil if it is gone.
    var model: AnyObject? {
        guard opencoredata_try_retain(pointer) != nil else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Whether the reference is to this model.
    func leads(to model: AnyObject) -> Bool { pointer == Unmanaged.passUnretained(model).toOpaque() }

    deinit { opencoredata_unowned_release(pointer) }
}
