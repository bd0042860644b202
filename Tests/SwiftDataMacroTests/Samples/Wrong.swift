import SwiftData

@Model struct Value {
    var a = 1
}

enum Version {
    @Model
    final class Trip {
        lazy var a = 1
        var b = 1, c = 2
        #Index<Trip>([\.d])
        var d: Int { 1 }
        var e = 1 { didSet {} }
        init() {}
    }
}

@Model class Harbour {
    @Relationship(inverse: \Ship.harbour) var ships: [Ship]
    init() {}
}

@Model class Ship {
    @Relationship(inverse: \Harbour.ships) var harbour: Harbour?
    init() {}
}

@ModelActor class Handler {
    init() {}
}
