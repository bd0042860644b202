import Foundation

/// A value of a binary property list, with the references of keyed archives.
///
/// The framework has its own reader and writer, because neither of the two available ones is usable. Foundation's
/// `PropertyListSerialization` on Linux shows references only as an opaque type. Debian's libplist would be one more
/// library to install, with a C interface that has to be guarded against the same hostile input. The format is a page
/// long.
enum PropertyListValue: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data(Data)
    case string(String)
    /// A UID: an index into a keyed archive's objects.
    case reference(Int)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// The number as an integer; a Boolean counts as 0 or 1, because older and newer archives differ in that.
    var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value ? 1 : 0
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as a double.
    var realValue: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
}

/// The error of an invalid archive; the text has the problem and the place.
func archiveError(_ reason: String) -> NSError {
    .coreData(NSFileReadCorruptFileError, reason: reason)
}

/// `NSFileReadCorruptFileError`, which Foundation on Linux has only as a `CocoaError.Code`.
private var NSFileReadCorruptFileError: Int { CocoaError.Code.fileReadCorruptFile.rawValue }
