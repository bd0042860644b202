import Foundation

/// The ranges of a sparse file that have data.
struct DataPlaces {
    /// Nil if the file has no holes, or if the file system does not report them.
    private let descriptor: Int32?
    private let count: Int

    // Foundation's Glibc module lacks these constants.
    #if os(Linux)
    private static let (seekData, seekHole): (Int32, Int32) = (3, 4)
    #else
    private static let (seekData, seekHole): (Int32, Int32) = (4, 3)
    #endif

    /// - Parameter descriptor: one whose position is not used elsewhere; it stays open as long as this is in use.
    init(_ descriptor: Int32, count: Int) {
        self.descriptor = descriptor >= 0 && Self.hasHoles(descriptor) ? descriptor : nil
        self.count = count
    }

    /// The data of a file on which this process may have locks. Closing any descriptor of the file would drop them. So
    /// a descriptor is opened only if there are holes, and stays open until the process ends.
    init(ofLockedFile url: URL, count: Int) {
        var status = stat()
        let isSparse = stat(url.path, &status) == 0 && Self.isSparse(status)
        self.init(isSparse ? open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1, count: count)
    }

    private static func hasHoles(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && isSparse(status)
    }

    private static func isSparse(_ status: stat) -> Bool { Int(status.st_blocks) * 512 < Int(status.st_size) }

    func data(from offset: Int) -> Range<Int>? {
        guard offset < count else { return nil }
        guard let descriptor else { return offset..<count }
        let start = lseek(descriptor, off_t(offset), Self.seekData)
        if start < 0 { return errno == ENXIO ? nil : offset..<count }
        // Every file ends with a virtual hole.
        let end = lseek(descriptor, start, Self.seekHole)
        let place = max(offset, Int(start))
        guard place < count else { return nil }
        return place..<max(place + 1, min(count, end < 0 ? count : Int(end)))
    }
}
