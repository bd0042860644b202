import BenchmarkChart
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct RatioChartTests {
    private let chart = RatioChart(
        title: "R & D <of> a kind", notes: ["26 November 2026"], series: ["ours", "theirs"],
        groups: [
            .init(title: "read", ratios: [2, 4]), .init(title: "write", ratios: [1.5, nil]),
            .init(title: "search", ratios: [12.6, 3]),
        ])

    @Test("Bars are as long as their ratios, and there is none where a ratio is missing")
    func barsAreAsLongAsTheirRatios() throws {
        let picture = try Picture(chart.svg)
        let bars = picture.rectangles.dropFirst(chart.series.count)
        #expect(bars.count == 5)
        let lengths = bars.map(\.width)
        let unit = lengths[0] / 2
        for (length, ratio) in zip(lengths, [2, 4, 1.5, 12.6, 3]) {
            // Places are written with one decimal.
            #expect(abs(length - ratio * unit) < 0.5, "\(ratio)")
        }
        #expect(Set(bars.map(\.x)).count == 1)
    }

    @Test("Bars of a series have the colour of its name in the legend")
    func barsHaveTheColourOfTheirSeries() throws {
        let fills = try Picture(chart.svg).rectangles.map(\.fill)
        let (ours, theirs) = (fills[0], fills[1])
        #expect(ours != theirs)
        #expect(Array(fills.dropFirst(2)) == [ours, theirs, ours, ours, theirs])
    }

    @Test("Everything is drawn within the picture")
    func everythingIsWithinThePicture() throws {
        let picture = try Picture(chart.svg)
        for rectangle in picture.rectangles {
            #expect(rectangle.x + rectangle.width <= picture.width)
            #expect(rectangle.y + rectangle.height <= picture.height)
        }
        // Two bars of a group, and two groups, do not cover each other.
        let bars = picture.rectangles.dropFirst(chart.series.count)
        for (bar, next) in zip(bars, bars.dropFirst()) { #expect(bar.y + bar.height <= next.y) }
    }

    @Test("A bar beyond the limit ends at the limit, with a gap, and says its number")
    func barsBeyondTheLimitAreCut() throws {
        var limited = chart
        limited.limit = 4
        let bars = try Picture(limited.svg).rectangles.dropFirst(limited.series.count).map(\.self)
        #expect(bars.count == 6)
        let (whole, start, end, last) = (bars[1], bars[3], bars[4], bars[5])
        #expect(start.y == end.y && start.fill == end.fill)
        #expect(start.x + start.width < end.x)
        #expect(end.x + end.width == whole.x + whole.width)
        #expect(abs(last.width - whole.width * 3 / 4) < 0.5)
        #expect(limited.svg.contains(">12.6<"))
    }

    @Test("The picture's title and description have every number, for readers who do not see it")
    func titleAndDescriptionTellEverything() throws {
        let picture = try Picture(chart.svg)
        #expect(picture.attributes["role"] == "img")
        let named = picture.attributes["aria-labelledby"]?.split(separator: " ").map(String.init) ?? []
        #expect(
            named.compactMap { picture.textByID[$0] } == [
                "R & D <of> a kind",
                "read: ours 2.00; theirs 4.00. write: ours 1.50. search: ours 12.6; theirs 3.00. 26 November 2026",
            ])
    }

    @Test("Ratios below 1 leave the line of 1 in the picture")
    func ratiosBelowOneLeaveTheLineVisible() throws {
        var small = chart
        small.groups = [.init(title: "read", ratios: [0.5, 0.25])]
        let bars = try Picture(small.svg).rectangles.dropFirst(small.series.count).map(\.width)
        let full = try Picture(chart.svg).rectangles.map(\.width).max() ?? 0
        #expect(abs(bars[0] - full / 2) < 0.5)
        #expect(abs(bars[1] - full / 4) < 0.5)
    }
}

/// The elements that an XML parser finds in a picture.
private final class Picture: NSObject, XMLParserDelegate {
    struct Rectangle {
        var x, y, width, height: Double
        var fill: String
    }
    private(set) var attributes: [String: String] = [:]
    private(set) var rectangles: [Rectangle] = []
    private(set) var textByID: [String: String] = [:]
    private(set) var width = 0.0
    private(set) var height = 0.0
    private var openID: String?

    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        try #require(parser.parse(), "\(parser.parserError as Any)")
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes found: [String: String]
    ) {
        func number(_ name: String) -> Double { found[name].flatMap(Double.init) ?? .nan }
        openID = found["id"]
        switch element {
        case "svg":
            attributes = found
            let box = found["viewBox"]?.split(separator: " ").compactMap { Double($0) } ?? []
            if box.count == 4 { (width, height) = (box[2], box[3]) }
        case "rect":
            rectangles.append(
                Rectangle(
                    x: number("x"), y: number("y"), width: number("width"), height: number("height"),
                    fill: found["fill"] ?? ""))
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        if let openID { textByID[openID, default: ""] += characters }
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        openID = nil
    }
}
