import CSwiftRuntime

/// Retains an object unless its last reference is gone, as a weak reference does; returns whether it is retained.
@inline(__always)
func tryRetain(_ object: UnsafeMutableRawPointer) -> Bool { opencoredata_try_retain(object) != nil }
