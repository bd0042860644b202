extension String {
    /// The text with other words for some of its characters; nil for those that stand for themselves.
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
