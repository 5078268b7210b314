import CBluetooth
import Dispatch
import Glibc

/// Tells a queue what a descriptor is ready for.
///
/// Not a dispatch source on the descriptor itself: on Linux those report reading and writing only, and the kernel shows
/// the end of an adapter as an error without either (`POLLERR`). The source would never fire, and the thread that serves
/// all sources would be woken again and again for it. So the descriptor is alone in an epoll set, and the source watches
/// that: it is readable whatever there is to say. As a gain the descriptor is not libdispatch's business, and may be closed
/// at any time after ``cancel()``.
///
/// Confined to the queue, but for `deinit`.
final class DescriptorWatch {
    private let watched: Int32
    private let watch: Int32
    private let source: any DispatchSourceRead

    /// Whether to report room for writing. A socket nearly always has some, so only while something waits for it.
    var wantsRoom = false {
        didSet { if wantsRoom != oldValue { _ = watch_set_writing(watch, watched, wantsRoom ? 1 : 0) } }
    }

    /// Begins to watch; `nil`, with `errno` set, when the system does not.
    ///
    /// - Parameter ready: Given `POLLIN`, `POLLOUT`, `POLLERR` and `POLLHUP`, as they are there; called again as long as
    ///   they are.
    init?(_ descriptor: Int32, queue: DispatchQueue, ready: @escaping @Sendable (Int32) -> Void) {
        let watch = watch_create(descriptor)
        guard watch >= 0 else { return nil }
        watched = descriptor
        self.watch = watch
        source = DispatchSource.makeReadSource(fileDescriptor: watch, queue: queue)
        source.setEventHandler {
            let events = watch_events(watch)
            if events != 0 { ready(events) }
        }
        source.setCancelHandler { close(watch) }
        source.activate()
    }

    deinit { cancel() }

    /// Ends it; nothing is reported afterwards.
    func cancel() { source.cancel() }
}
