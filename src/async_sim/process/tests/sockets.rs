//! Sockets inside one process: no time passes while anything can be read.

use super::{Notes, WALL, main_of, ms, pass};
use crate::async_sim::process::{Drivers, Stirred, TokioProcess};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep};

/// Hands every byte back, one more each time.
async fn hand_back(mut end: UnixStream, notes: Notes<&'static str>) {
    let mut byte = [0];
    while end.read_exact(&mut byte).await.is_ok() && byte[0] < u8::MAX {
        byte[0] += 1;
        end.write_all(&byte).await.unwrap();
    }
    notes.add("over");
}

#[test]
fn a_timer_waits_for_everything_that_can_be_read() {
    let notes = Notes::new();
    let given = notes.clone();
    let code = move || async move {
        for round in 1..=3 {
            let (mut one, other) = UnixStream::pair().unwrap();
            let handing = [tokio::spawn(hand_back(other, given.clone()))];
            let timer = given.clone();
            let timed = tokio::spawn(async move {
                sleep(Duration::from_millis(1)).await;
                timer.add("timer");
            });
            let began = Instant::now();
            one.write_all(&[0]).await.unwrap();
            hand_back(one, given.clone()).await;
            for task in handing {
                task.await.unwrap();
            }
            given.add(if began.elapsed().is_zero() { "at once" } else { "late" });
            timed.await.unwrap();
            // Neither on a tick nor at the beginning.
            sleep(Duration::from_micros(round * 300)).await;
        }
    };
    let drivers = Drivers::TimeAndSockets;
    let mut process = TokioProcess::new(7, WALL, Stirred::default(), drivers, main_of(code));
    pass(&mut process, ms(20));
    assert_eq!(notes.take(), ["over", "over", "at once", "timer"].repeat(3));
}
