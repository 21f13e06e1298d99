#if os(Linux)
import CHerald

extension HeraldCenter {
    /// The corresponding C type is `HeraldSuspensionBehavior`.
    public enum SuspensionBehavior: Sendable {
        /// The observer is not called for these posts.
        case drop
        /// For each name and subject, the center holds the last post for the observer. It holds at most 1024 posts for
        /// one observer, and drops the oldest if there are more. The held posts are delivered when the center resumes.
        /// They are delivered earlier if a post of a name matches an observer with ``deliverImmediately``. In this case
        /// the center delivers the held posts first, and then the new post.
        case coalesce
        /// The center holds every post for the observer. It holds at most 1024 posts for one observer, and drops the
        /// oldest if there are more. The held posts are delivered at the same times as with ``coalesce``.
        case hold
        /// The observer is called during the post. Before this call, the center delivers all posts that it holds.
        case deliverImmediately

        var native: HeraldSuspensionBehavior {
            switch self {
            case .drop: HeraldSuspensionDrop
            case .coalesce: HeraldSuspensionCoalesce
            case .hold: HeraldSuspensionHold
            case .deliverImmediately: HeraldSuspensionDeliverImmediately
            }
        }
    }
}
#endif
