// expect: mutation of captured var 'count' in concurrently-executing code
import Herald

#if !MISUSE
import Synchronization
#endif

struct Saved: HeraldCenter.Message {}

func count(_ center: HeraldCenter) -> Int {
    #if MISUSE
    var count = 0
    let token = center.observe(Saved.self) { _ in count += 1 }
    #else
    let count = Atomic(0)
    let token = center.observe(Saved.self) { _ in count.add(1, ordering: .relaxed) }
    #endif
    center.post(Saved())
    token.cancel()
    #if MISUSE
    return count
    #else
    return count.load(ordering: .relaxed)
    #endif
}
