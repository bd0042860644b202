/// An error about the arguments of the tool.
package struct ArgumentError: Error, CustomStringConvertible {
    package let description: String
}

extension Job {
    /// Reads a job from the tool's arguments: keywords, each with its values.
    ///
    /// | word | values |
    /// |---|---|
    /// | `module`, `compiler`, `folder`, `others`, `once` | the property of that name |
    /// | `framework` | the module of the framework, if the target depends on it |
    /// | `condition` | a compilation condition |
    /// | `source` | a Swift file |
    /// | `managed` | a Swift file, and the file for its accessors |
    /// | `model` | a model, and the file for its classes |
    /// | `bundle` | a model named before, and its compiled form: a `.momd`, or the `.mom` of one without versions |
    /// | `mapping` | a mapping model, and its compiled form |
    /// | `dependency` | the name of a module; its files follow as `dependency-source` and `dependency-model` |
    package init(arguments: [String]) throws {
        self.init()
        var rest = arguments[...]
        func value(of word: String) throws -> String {
            guard let value = rest.popFirst() else { throw ArgumentError(description: "'\(word)' needs a value") }
            return value
        }
        while let word = rest.popFirst() {
            let first = try value(of: word)
            switch word {
            case "module": module = first
            case "compiler": compiler = first
            case "folder": folder = first
            case "others": others = first
            case "once": once = first
            case "framework": dependsOnFramework = true
            case "condition": conditions.append(first)
            case "source": sources.append(first)
            case "managed": managed.append(Source(input: first, output: try value(of: word)))
            case "model": models.append(Model(input: first, classes: try value(of: word)))
            case "bundle":
                let bundle = try value(of: word)
                for index in models.indices where models[index].input == first { models[index].bundle = bundle }
            case "mapping": mappings.append(Mapping(input: first, output: try value(of: word)))
            case "dependency": dependencies.append(Dependency(module: first))
            case "dependency-source" where !dependencies.isEmpty:
                dependencies[dependencies.count - 1].sources.append(first)
            case "dependency-model" where !dependencies.isEmpty:
                dependencies[dependencies.count - 1].models.append(first)
            default: throw ArgumentError(description: "unknown argument '\(word)'")
            }
        }
        let required = [
            ("module", module), ("compiler", compiler), ("folder", folder), ("others", others), ("once", once),
        ]
        for (word, value) in required where value.isEmpty {
            throw ArgumentError(description: "'\(word)' is missing")
        }
    }
}
