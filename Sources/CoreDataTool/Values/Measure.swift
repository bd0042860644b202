import Foundation

/// Sizes and times in readable units.
package enum Measure {
    /// `812 bytes`, `3.4 KB`, `12 MB`, in powers of 1,024.
    package static func bytes(_ count: Int64) -> String {
        if count < 1_024 { return count == 1 ? "1 byte" : "\(count) bytes" }
        var value = Double(count) / 1_024
        for unit in ["KB", "MB", "GB"] {
            if value < 999.5 {
                return value < 9.95 ? "\((value * 10).rounded() / 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
            }
            value /= 1_024
        }
        return "\((value * 10).rounded() / 10) TB"
    }

    /// `12 ms`, `3.4 s`, `5 min`.
    package static func seconds(_ seconds: Double) -> String {
        if seconds < 1 { return "\(max(1, Int((seconds * 1_000).rounded()))) ms" }
        return seconds < 120 ? "\((seconds * 10).rounded() / 10) s" : "\(Int((seconds / 60).rounded())) min"
    }
}
