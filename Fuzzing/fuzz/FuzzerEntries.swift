import Foundation
import FuzzTargets

// libFuzzer calls these two. The target is chosen by the environment, so that one program has them all.

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["OPENCOREDATA_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
        fatalError("OPENCOREDATA_FUZZ_TARGET names no target: '\(name)'")
    }
    return target
}()

/// Chooses the target before the first input comes.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    _ = target.name
    return 0
}

/// Reads one input. Errors that the target throws are right.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    try? target.run(data)
    return 0
}
