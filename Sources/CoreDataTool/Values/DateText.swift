import Foundation

/// Dates in ISO 8601, in UTC, to the microsecond and without trailing zeros.
package enum DateText {
    /// Reads a day, or a moment with its offset from UTC, in ISO 8601; nil for a text that is none, such as the 30th of
    /// February. A formatter accepts that.
    package static func date(_ text: String) -> Date? {
        let format = /(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:Z|([+-])(\d\d):?(\d\d)))?/
        guard let found = text.wholeMatch(of: format)?.output else { return nil }
        func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        let (hour, minute, second) = (number(found.4), number(found.5), found.6.flatMap { Double($0) } ?? 0)
        guard let day = days(year: number(found.1), month: number(found.2), day: number(found.3)), hour < 24,
            minute < 60, second < 60, number(found.8) < 24, number(found.9) < 60
        else { return nil }
        let east = Double(number(found.8) * 3_600 + number(found.9) * 60) * (found.7 == "-" ? -1 : 1)
        return Date(timeIntervalSinceReferenceDate: Double(day * 86_400 + hour * 3_600 + minute * 60) + second - east)
    }

    /// The days from the beginning of 2001 to a day of the calendar that `append` writes, which has leap years by
    /// today's rule at any time; nil for a day that does not exist. A calendar of Foundation's counts otherwise before
    /// 1582.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        // Years that begin in March have the leap day at their end.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 730_791
    }

    package static func iso(_ date: Date) -> String {
        var bytes: [UInt8] = []
        append(date.timeIntervalSinceReferenceDate, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the date of a number of seconds since 2001. A formatter takes fifty times as long.
    package static func append(_ seconds: Double, to bytes: inout [UInt8]) {
        var whole = seconds.rounded(.down)
        var microseconds = seconds.isFinite ? Int(((seconds - whole) * 1e6).rounded()) : 0
        if microseconds == 1_000_000 {
            whole += 1
            microseconds = 0
        }
        // Dates beyond the years of four digits are printed as the store has them.
        guard seconds.isFinite, (-63_113_904_000..<252_455_616_000).contains(whole) else {
            bytes.append(contentsOf: "\(seconds)".utf8)
            return
        }
        // Days since the first of March of the year 0. Years from there have the leap day at their end.
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
