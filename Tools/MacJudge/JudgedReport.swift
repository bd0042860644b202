import Foundation
import MacCheckKit

/// The verdicts of a report as texts.
package struct JudgedReport {
    private let report: Report
    package let verdicts: [Verdict]

    package init(_ judge: Judge) {
        report = judge.report
        verdicts = judge.verdicts()
    }

    package func count(_ state: Verdict.State) -> Int { verdicts.filter { $0.state == state }.count }

    /// What a person reads.
    package var text: String {
        var lines = ["\(report.platform); \(report.framework); stores by \(report.maker); \(Int(report.seconds)) s"]
        for state in [Verdict.State.failed, .fact, .leftOut] {
            for verdict in verdicts where verdict.state == state {
                lines.append("\(state.rawValue): \(verdict.check)")
                if let row = verdict.row { lines.append("    row: \(row)") }
                lines += verdict.lines.map { "    \($0)" }
            }
        }
        lines.append(
            "\(count(.passed)) passed, \(count(.failed)) failed, \(count(.fact)) facts, \(count(.leftOut)) left out")
        if !report.isOfAMac {
            lines.append("This is not the report of a Mac: it says nothing about Apple's framework.")
        }
        return lines.joined(separator: "\n")
    }

    /// The file `verdict.tsv` of a kept report: the platform, and the state of each check.
    package var table: String {
        "# \(report.platform)\t\(report.framework)\t\(report.maker)\n"
            + verdicts.map { "\($0.check)\t\($0.state.rawValue)\n" }.joined()
    }
}
