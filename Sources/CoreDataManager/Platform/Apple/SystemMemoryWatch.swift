import Foundation

/// Reports the system's warnings that memory is short.
// Sendable: the source is made and cancelled by one owner.
final class SystemMemoryWatch: @unchecked Sendable {
    private let source: any DispatchSourceMemoryPressure

    init(report: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: .global(qos: .utility))
        source.setEventHandler(handler: report)
        source.activate()
    }

    deinit {
        source.cancel()
    }
}
