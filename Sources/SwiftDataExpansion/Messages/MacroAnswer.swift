/// The expansion of a macro, with what the compiler is to report.
package struct MacroAnswer {
    /// The text of the expansion.
    package var source = ""
    package var diagnostics: [MacroDiagnostic] = []

    /// The answer as the compiler reads it.
    var json: String {
        let diagnostics = self.diagnostics.map(\.json).joined(separator: ",")
        return
            #"{"expandMacroResult":{"expandedSource":\#(source.quotedForJSON),"diagnostics":[\#(diagnostics)]}}"#
    }
}

/// An error or a warning at a place of a source file.
package struct MacroDiagnostic: Equatable {
    package enum Severity: String {
        case error, warning, note
    }

    package let severity: Severity
    package let message: String
    package let place: SourcePlace
    /// Other places that belong to it.
    package var notes: [Note] = []

    package struct Note: Equatable {
        package let message: String
        package let place: SourcePlace
    }

    fileprivate var json: String {
        let notes = self.notes.map { #"{"position":\#($0.place.json),"message":\#($0.message.quotedForJSON)}"# }
        return
            #"{"message":\#(message.quotedForJSON),"severity":"\#(severity.rawValue)","position":\#(place.json),"#
            + #""highlights":[],"notes":[\#(notes.joined(separator: ","))],"fixIts":[]}"#
    }
}

/// A place in a file, in bytes of UTF-8 from its start.
package struct SourcePlace: Equatable {
    package let file: String
    package let offset: Int

    fileprivate var json: String { #"{"fileName":\#(file.quotedForJSON),"offset":\#(offset)}"# }
}

extension String {
    fileprivate var quotedForJSON: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
