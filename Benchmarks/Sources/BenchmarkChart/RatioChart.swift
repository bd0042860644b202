import Foundation

/// A bar chart of ratios, as the text of an SVG picture: groups of bars below each other, a number at the end of each
/// bar, a line where the ratio is 1.
///
/// The picture has no background. Its colours stand out from white and from black. Its description has every number,
/// for readers who do not see it.
public struct RatioChart {
    /// Bars that belong together.
    public struct Group {
        public var title: String
        /// A ratio for each series; nil where there is no bar.
        public var ratios: [Double?]

        public init(title: String, ratios: [Double?]) {
            self.title = title
            self.ratios = ratios
        }
    }

    public var title: String
    /// Lines below the bars.
    public var notes: [String]
    /// The names of the bars of each group.
    public var series: [String]
    public var groups: [Group]
    /// Bars above this ratio are cut, and have a gap, so that one long bar does not make all other bars short. Nil for
    /// none.
    public var limit: Double?

    public init(title: String, notes: [String], series: [String], groups: [Group], limit: Double? = nil) {
        self.title = title
        self.notes = notes
        self.series = series
        self.groups = groups
        self.limit = limit
    }

    // MARK: - Measures

    private static let width = 800.0
    /// Where the bars begin; the titles of the groups end before.
    private static let origin = 210.0
    /// The longest bar; its number stands behind it.
    private static let longest = 530.0
    private static let barHeight = 13.0
    /// Where a bar that is cut has its gap, from its end, and how wide it is.
    private static let cut = 20.0
    private static let cutWidth = 4.0
    private static let groupGap = 9.0
    private static let lineHeight = 20.0
    /// Colours that people with colour blindness can distinguish.
    private static let colours = ["#2f7de1", "#c9700a", "#8a63d2", "#2a9d8f"]
    private static let textColour = "#777777"

    /// The end of the scale.
    private var highest: Double {
        min(max(groups.flatMap(\.ratios).compactMap(\.self).max() ?? 1, 1), limit ?? .infinity)
    }
    /// How far apart the lines of the scale are: so that there are ten at most.
    private var step: Double {
        let steps = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
        return steps.first { highest / $0 <= 10 } ?? highest
    }
    private func x(_ ratio: Double) -> Double { Self.origin + min(ratio / highest, 1) * Self.longest }

    // MARK: - The picture

    /// The whole picture.
    public var svg: String {
        var body: [String] = []
        var y = Self.lineHeight
        body.append(text(title, x: 0, y: y - 4, extra: "font-size=\"15\" font-weight=\"600\""))
        y += Self.lineHeight
        body += legend(y: y)
        let top = y + Self.lineHeight
        let heights = groups.map { Double(max($0.ratios.count { $0 != nil }, 1)) * Self.barHeight + Self.groupGap }
        let bottom = top + heights.reduce(0, +)
        body += scale(from: top, to: bottom)
        y = top + Self.groupGap / 2
        for (group, height) in zip(groups, heights) {
            body += bars(of: group, y: y, height: height - Self.groupGap)
            y += height
        }
        y = bottom + 2 * Self.lineHeight
        for note in notes {
            body.append(text(note, x: 0, y: y))
            y += Self.lineHeight
        }
        let size = "\(Self.number(Self.width)) \(Self.number(y))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" viewBox="0 0 \(size)"
              width="\(Self.number(Self.width))" height="\(Self.number(y))" font-family="system-ui, sans-serif" font-size="12" \
            fill="\(Self.textColour)">
            <title id="title">\(Self.escaped(title))</title>
            <desc id="desc">\(Self.escaped(description))</desc>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    /// Every number in words.
    private var description: String {
        let sentences = groups.map { group in
            let values = zip(series, group.ratios).compactMap { name, ratio in
                ratio.map { "\(name) \(Self.printed($0))" }
            }
            return "\(group.title): \(values.joined(separator: "; "))."
        }
        return (sentences + notes).joined(separator: " ")
    }

    private func legend(y: Double) -> [String] {
        var x = Self.origin
        return series.enumerated().flatMap { index, name in
            defer { x += 40 + 7 * Double(name.count) }
            return [rectangle(x: x, y: y - 10, width: 12, height: 11, series: index), text(name, x: x + 18, y: y)]
        }
    }

    private func scale(from top: Double, to bottom: Double) -> [String] {
        func line(at ratio: Double, _ extra: String) -> String {
            let x = Self.number(x(ratio))
            return "<line x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Self.number(top))\" y2=\"\(Self.number(bottom))\" \(extra)/>"
        }
        let ticks = stride(from: 0, through: highest, by: step).flatMap { ratio in
            [
                line(at: ratio, "stroke=\"\(Self.textColour)\" stroke-opacity=\"0.3\""),
                text(
                    Self.number(ratio), x: x(ratio), y: bottom + 14,
                    extra: "text-anchor=\"middle\" font-size=\"11\""),
            ]
        }
        return ticks + [line(at: 1, "stroke=\"\(Self.textColour)\" stroke-width=\"2\"")]
    }

    private func bars(of group: Group, y: Double, height: Double) -> [String] {
        var parts = [
            text(group.title, x: Self.origin - 10, y: y + height / 2 + 4, extra: "text-anchor=\"end\"")
        ]
        var y = y
        for (index, ratio) in group.ratios.enumerated() {
            guard let ratio else { continue }
            var start = Self.origin
            func bar(to end: Double) {
                parts.append(
                    rectangle(x: start, y: y + 1, width: end - start, height: Self.barHeight - 2, series: index))
            }
            if ratio > highest {
                bar(to: x(ratio) - Self.cut)
                start = x(ratio) - Self.cut + Self.cutWidth
            }
            bar(to: x(ratio))
            parts.append(
                text(Self.printed(ratio), x: x(ratio) + 5, y: y + Self.barHeight - 3, extra: "font-size=\"11\""))
            y += Self.barHeight
        }
        return parts
    }

    // MARK: - Elements

    private func rectangle(x: Double, y: Double, width: Double, height: Double, series: Int) -> String {
        "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\" "
            + "height=\"\(Self.number(height))\" fill=\"\(Self.colours[series % Self.colours.count])\"/>"
    }

    private func text(_ text: String, x: Double, y: Double, extra: String = "") -> String {
        "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"\(extra.isEmpty ? "" : " " + extra)>"
            + "\(Self.escaped(text))</text>"
    }

    /// A ratio as it stands at its bar.
    private static func printed(_ ratio: Double) -> String { String(format: ratio < 10 ? "%.2f" : "%.1f", ratio) }

    /// A place or a length, without decimals that are zero.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
