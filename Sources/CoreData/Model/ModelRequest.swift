/// The part of a fetch request that its model uses: its parameters, and its entity.
protocol ModelRequest: AnyObject {
    /// All settings of the request.
    var parameters: FetchParameters { get set }
    /// The entity of a fetched property's request. The entity owns the property, which owns the request: a strong
    /// reference back would be a cycle that is never released.
    var unretainedEntity: NSEntityDescription? { get set }
    /// Whether the model is in use, so that the request may not change any more.
    var isFrozen: Bool { get set }
}
