/// A fixed work of the kind that readers do: bytes, strings, dictionaries and objects. The time that it takes shows how
/// fast this machine is at the moment with this kind of build.
enum Yardstick {
    private final class Node {
        let name: String
        var children: [Node] = []

        init(name: String) { self.name = name }
    }

    /// Returns a sum of what was made, so that no compiler leaves the work out.
    static func run() -> Int {
        var nodes: [String: Node] = [:]
        let root = Node(name: "root")
        for number in 0..<50_000 {
            let node = Node(name: "node \(number)")
            (nodes["node \(number / 2)"] ?? root).children.append(node)
            nodes[node.name] = node
        }
        var sum = 0
        for node in nodes.values {
            for byte in Array(node.name.utf8) { sum += Int(byte) }
            sum += node.children.count
        }
        return sum
    }
}
