import Herald
import Synchronization

struct Saved: HeraldCenter.Message {}

func count(_ center: HeraldCenter) -> Int {
    let count = Atomic(0)
    let token = center.observe(Saved.self) { _ in count.add(1, ordering: .relaxed) }
    center.post(Saved())
    token.cancel()
    return count.load(ordering: .relaxed)
}
