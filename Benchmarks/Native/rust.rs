//! A list of observers by hand in Rust, with the standard library alone. A place is an `Arc` of a vector: a post clones
//! it under a read lock, and a change replaces it.
use std::ffi::c_void;
use std::sync::{Arc, Mutex, RwLock};

/// As in the harness: peer.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Listener {
    call: extern "C" fn(*mut c_void),
    release: Option<extern "C" fn(*mut c_void)>,
    context: *mut c_void,
}

struct Held(Listener);
unsafe impl Send for Held {}
unsafe impl Sync for Held {}
impl Held {
    fn call(&self) {
        (self.0.call)(self.0.context)
    }
}
impl Drop for Held {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            release(self.0.context)
        }
    }
}

/// A word that only the posting thread adds to.
struct Word(*mut u64);
unsafe impl Send for Word {}
unsafe impl Sync for Word {}
impl Word {
    fn hear(&self) {
        unsafe { *self.0 += 1 }
    }
}

type Observer = Arc<dyn Fn(&str) + Send + Sync>;
type List = Arc<Vec<(usize, Observer)>>;

pub struct Place {
    list: RwLock<List>,
    changing: Mutex<usize>,
}

impl Place {
    fn add(&self, observer: Observer) -> usize {
        let mut last = self.changing.lock().unwrap();
        *last += 1;
        let mut next = Vec::clone(&self.list.read().unwrap());
        next.push((*last, observer));
        self.replace(next);
        *last
    }

    fn remove(&self, number: usize) {
        let _before = {
            let _changing = self.changing.lock().unwrap();
            let before = self.list.read().unwrap().clone();
            let Some(at) = before.iter().rposition(|entry| entry.0 == number) else { return };
            let mut next = Vec::clone(&before);
            next.remove(at);
            self.replace(next);
            before // the observer is released with it, outside of the lock
        };
    }

    fn replace(&self, next: Vec<(usize, Observer)>) {
        let next = Arc::new(next);
        let _before = std::mem::replace(&mut *self.list.write().unwrap(), next);
    }

    #[inline]
    fn post(&self, info: &str) {
        let list = self.list.read().unwrap().clone();
        for (_, observer) in list.iter() {
            observer(info)
        }
    }
}

extern "C" {
    fn rust_count_here();
}

#[no_mangle]
pub extern "C" fn rust_make_place() -> *mut Place {
    Box::into_raw(Box::new(Place { list: RwLock::new(Arc::new(Vec::new())), changing: Mutex::new(0) }))
}
#[no_mangle]
pub unsafe extern "C" fn rust_end_place(place: *mut Place) {
    drop(Box::from_raw(place))
}
#[no_mangle]
pub unsafe extern "C" fn rust_add(place: &Place, word: *mut u64) -> usize {
    if word.is_null() {
        return place.add(Arc::new(|info| {
            std::hint::black_box(info);
            unsafe { rust_count_here() }
        }));
    }
    let word = Word(word);
    place.add(Arc::new(move |info| {
        std::hint::black_box(info);
        word.hear()
    }))
}
#[no_mangle]
pub unsafe extern "C" fn rust_observe(place: &Place, listener: &Listener) -> usize {
    let held = Held(*listener);
    place.add(Arc::new(move |_| held.call()))
}
#[no_mangle]
pub unsafe extern "C" fn rust_remove(place: &Place, number: usize) {
    place.remove(number)
}
#[no_mangle]
pub unsafe extern "C" fn rust_post(place: &Place, count: i64) {
    for _ in 0..count {
        place.post("what happened")
    }
}
