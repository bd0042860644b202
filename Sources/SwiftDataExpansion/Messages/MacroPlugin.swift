/// The answers of the plugin to the compiler.
package enum MacroPlugin {
    /// The newest version of the messages that the plugin was written for. The compiler sends no message of a newer
    /// one.
    private static let protocolVersion = 7

    /// Answers one message.
    ///
    /// - Parameter message: the text of the message, without its length.
    package static func answer(to message: [UInt8]) -> [UInt8] {
        switch PluginMessage(message) {
        case .capability:
            Array(#"{"getCapabilityResult":{"capability":{"protocolVersion":\#(protocolVersion)}}}"#.utf8)
        case .expansion(let use): Array(MacroExpansion.expand(use).json.utf8)
        case .unknown: Array(MacroAnswer().json.utf8)
        }
    }
}
