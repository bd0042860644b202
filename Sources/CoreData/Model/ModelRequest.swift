/// A fetch request in the view of the model that has it: its parameters, and its entity.
protocol ModelRequest: AnyObject {
    /// Everything the request says.
    var parameters: FetchParameters { get set }
    /// The entity of a fetched property's request. The entity owns the property, which owns the request: a strong
    /// reference back would keep all of them forever.
    var unretainedEntity: NSEntityDescription? { get set }
    /// Whether the model is in use, so that nothing of the request may change any more.
    var isFrozen: Bool { get set }
}
