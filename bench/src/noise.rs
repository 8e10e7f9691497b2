//! How busy other processes kept the machine during a run, from `/proc`.
//!
//! A wall-clock figure taken beside a busy neighbour is too low by up to four times: every run says how noisy it was.
//! Elsewhere than on Linux the answer is `None`, never a guess.

use std::time::{Duration, Instant};

/// `USER_HZ`: what `/proc` counts in on every Linux port that we build for, for any tick of the kernel.
const TICKS_PER_SECOND: f64 = 100.0;

/// Taken before a program starts.
pub(crate) struct NoiseMeter {
    at: Instant,
    before: Option<(Machine, f64)>,
}

impl NoiseMeter {
    pub(crate) fn start() -> Self {
        Self { at: Instant::now(), before: machine().zip(children()) }
    }

    /// Cores kept busy by others since the start. Ask after the program was waited for.
    pub(crate) fn others_cpu(&self) -> Option<f64> {
        let (machine_before, children_before) = self.before?;
        let (machine_now, children_now) = (machine()?, children()?);
        let own = children_now - children_before;
        let busy = machine_now.busy - machine_before.busy;
        Some(((busy - own) / self.at.elapsed().as_secs_f64().max(1e-3)).max(0.0))
    }
}

/// Returns when the machine has been mostly idle for a moment, or when the patience is over.
pub(crate) fn wait_for_quiet(patience: Duration) {
    let end = Instant::now() + patience;
    while Instant::now() < end {
        let Some(before) = machine() else { return };
        std::thread::sleep(Duration::from_millis(250).min(patience));
        let Some(now) = machine() else { return };
        let (busy, idle) = (now.busy - before.busy, now.idle - before.idle);
        if idle >= 0.85 * (busy + idle) {
            return;
        }
    }
}

/// CPU seconds of the whole machine.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Machine {
    busy: f64,
    idle: f64,
}

fn machine() -> Option<Machine> {
    parse_machine(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// CPU seconds of the children that this process has waited for, and of theirs.
pub(crate) fn children_seconds() -> Option<f64> {
    children()
}

fn children() -> Option<f64> {
    parse_children(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// `cpu user nice system idle iowait irq softirq steal …`; what the hypervisor took counts as the work of others.
fn parse_machine(text: &str) -> Option<Machine> {
    let line = text.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<f64> =
        line.split_whitespace().skip(1).take(8).map_while(|field| field.parse().ok()).collect();
    let idle = ticks.get(3)? + ticks.get(4)?;
    let all: f64 = ticks.iter().sum();
    Some(Machine { busy: (all - idle) / TICKS_PER_SECOND, idle: idle / TICKS_PER_SECOND })
}

/// Fields 16 and 17, counted after the command's name, which may itself hold spaces and brackets.
fn parse_children(text: &str) -> Option<f64> {
    let (_, fields) = text.rsplit_once(") ")?;
    let mut ticks = fields.split_whitespace().skip(13).map_while(|field| field.parse::<f64>().ok());
    Some((ticks.next()? + ticks.next()?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_line_is_cut_into_busy_and_idle() {
        let text = "cpu  100 0 50 800 200 10 20 20 0 0\ncpu0 1 1 1 1\n";
        assert_eq!(parse_machine(text), Some(Machine { busy: 2.0, idle: 10.0 }));
        assert_eq!(parse_machine("cpu 1 2"), None);
    }

    #[test]
    fn children_are_found_behind_an_odd_name() {
        let text = "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 11 12 250 50 20 0 1";
        assert_eq!(parse_children(text), Some(3.0));
        assert_eq!(parse_children("7 (a) S 1"), None);
    }
}
