import Dispatch
import Foundation

/// A process of Foundation whose end is an event. `Process.waitUntilExit()` looks for it every 50 milliseconds.
package final class AwaitedProcess: Process, @unchecked Sendable {  // as the class above it is
    private let end = DispatchGroup()

    package override func run() throws {
        end.enter()
        terminationHandler = { [end] _ in end.leave() }
        do {
            try super.run()
        } catch {
            end.leave()
            throw error
        }
    }

    package override func waitUntilExit() { end.wait() }
}
