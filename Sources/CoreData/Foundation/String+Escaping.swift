extension String {
    /// The text with some of its characters replaced. The closure returns nil for a character that stays.
    func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        var result = ""
        for scalar in unicodeScalars {
            if let escaped = escape(scalar) {
                result += escaped
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
