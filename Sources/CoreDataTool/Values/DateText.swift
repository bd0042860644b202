import Foundation

/// Dates in ISO 8601, in UTC, to the microsecond and without trailing zeros.
package enum DateText {
    /// Reads a day, or a moment with its distance from UTC, in ISO 8601; nil for what is none, as the 30th of February.
    /// A formatter takes that.
    package static func date(_ text: String) -> Date? {
        let format = /(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:Z|([+-])(\d\d):?(\d\d)))?/
        guard let found = text.wholeMatch(of: format)?.output else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        let (hour, minute, second) = (number(found.4), number(found.5), found.6.flatMap { Double($0) } ?? 0)
        let parts = DateComponents(
            calendar: calendar, year: number(found.1), month: number(found.2), day: number(found.3))
        guard parts.isValidDate, let day = parts.date, hour < 24, minute < 60, second < 60, number(found.8) < 24,
            number(found.9) < 60
        else { return nil }
        let east = Double(number(found.8) * 3_600 + number(found.9) * 60) * (found.7 == "-" ? -1 : 1)
        return day.addingTimeInterval(Double(hour * 3_600 + minute * 60) + second - east)
    }

    package static func iso(_ date: Date) -> String {
        var bytes: [UInt8] = []
        append(date.timeIntervalSinceReferenceDate, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the date of so many seconds since 2001. A formatter takes fifty times as long.
    package static func append(_ seconds: Double, to bytes: inout [UInt8]) {
        // What lies beyond the years of four digits is told as the store has it.
        guard seconds.isFinite, (-63_113_904_000..<252_455_616_000).contains(seconds) else {
            bytes.append(contentsOf: "\(seconds)".utf8)
            return
        }
        var whole = seconds.rounded(.down)
        var microseconds = Int(((seconds - whole) * 1e6).rounded())
        if microseconds == 1_000_000 {
            whole += 1
            microseconds = 0
        }
        // Days since the first of March of the year 0, from which leap days come last.
        let since = Int(whole)
        let day = Int((Double(since) / 86_400).rounded(.down))
        let second = since - day * 86_400
        let days = day + 730_791
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        digits(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), 4, &bytes)
        bytes.append(UInt8(ascii: "-"))
        digits(month, 2, &bytes)
        bytes.append(UInt8(ascii: "-"))
        digits(dayOfYear - (153 * shifted + 2) / 5 + 1, 2, &bytes)
        bytes.append(UInt8(ascii: "T"))
        digits(second / 3_600, 2, &bytes)
        bytes.append(UInt8(ascii: ":"))
        digits(second / 60 % 60, 2, &bytes)
        bytes.append(UInt8(ascii: ":"))
        digits(second % 60, 2, &bytes)
        if microseconds > 0 {
            bytes.append(UInt8(ascii: "."))
            digits(microseconds, 6, &bytes)
            while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    private static func digits(_ number: Int, _ count: Int, _ bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
