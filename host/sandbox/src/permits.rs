//! Permits for instances, with a queue.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use adjudicate_core::Error;

use crate::codes;

/// A counting semaphore whose queue has a deadline.
#[derive(Debug)]
pub(crate) struct Permits {
    count: Mutex<Count>,
    freed: Condvar,
    wait: Duration,
}

#[derive(Debug)]
struct Count {
    free: u32,
    /// The number of waiting threads. A wakeup is a system call even without waiting threads, so it is skipped then.
    waiting: u32,
}

impl Permits {
    pub(crate) fn new(free: u32, wait: Duration) -> Arc<Self> {
        Arc::new(Self { count: Mutex::new(Count { free, waiting: 0 }), freed: Condvar::new(), wait })
    }

    /// Takes a permit. If none is free, waits for one.
    pub(crate) fn acquire(self: &Arc<Self>) -> Result<Permit, Error> {
        let mut count = self.lock();
        if count.free == 0 {
            count.waiting += 1;
            let waited = self.freed.wait_timeout_while(count, self.wait, |count| count.free == 0);
            (count, _) = waited.unwrap_or_else(PoisonError::into_inner);
            count.waiting -= 1;
        }
        if count.free == 0 {
            let message = format!("no instance was free within {} ms; try again", self.wait.as_millis());
            return Err(Error::new(codes::HOST_OVERLOADED, message));
        }
        count.free -= 1;
        Ok(Permit(Arc::clone(self)))
    }

    fn release(&self) {
        let mut count = self.lock();
        count.free += 1;
        if count.waiting > 0 {
            self.freed.notify_one();
        }
    }

    /// The count is consistent even after a thread panicked while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Count> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to one instance. Dropping it releases the permit.
#[derive(Debug)]
pub(crate) struct Permit(Arc<Permits>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_that_is_given_back_is_handed_on() {
        let permits = Permits::new(1, Duration::from_secs(60));
        let held = permits.acquire().unwrap();
        let waiter = std::thread::spawn({
            let permits = Arc::clone(&permits);
            move || permits.acquire().map(|_| ())
        });
        while permits.lock().waiting == 0 {
            std::thread::yield_now();
        }
        drop(held);
        assert_eq!(waiter.join().unwrap(), Ok(()));
    }

    #[test]
    fn the_queue_has_a_deadline() {
        let permits = Permits::new(1, Duration::ZERO);
        let held = permits.acquire().unwrap();
        assert_eq!(permits.acquire().unwrap_err().code(), codes::HOST_OVERLOADED);
        drop(held);
        assert!(permits.acquire().is_ok());
    }
}
