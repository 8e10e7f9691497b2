//! Files that calls in progress name: what becomes of them belongs to the call, also when other agents look at the same
//! worktree meanwhile, and when nothing was looked at before.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use amelia_core::event::EventKind;
use parking_lot::Mutex;

use super::file_stamp::{Files, Stamp, event};

/// How long the files of a call that has returned are left to it. It tells what became of them right away, unless its agent
/// was stopped in this moment.
const RETURNED_CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// The calls in progress.
#[derive(Default)]
pub(super) struct FileClaims {
    calls: Mutex<Vec<FileClaim>>,
    /// Files as calls have left them, that the next look has to know.
    told: Mutex<Files>,
}

/// Several agents may use the same id for a call.
struct FileClaim {
    number: u64,
    call: String,
    before: Files,
    returned: Option<Instant>,
}

/// Gives the files of a call up, unless it has returned.
pub(super) struct OpenClaim<'a> {
    claims: &'a FileClaims,
    number: u64,
}

impl FileClaims {
    /// A call begins that writes these files.
    pub(super) fn begin(&self, call: &str, root: &Path, paths: &[&str]) -> OpenClaim<'_> {
        let before = paths.iter().map(|path| ((*path).to_owned(), Stamp::of(&root.join(path)))).collect();
        let mut calls = self.calls.lock();
        let number = calls.last().map_or(0, |last| last.number + 1);
        calls.push(FileClaim { number, call: call.to_owned(), before, returned: None });
        OpenClaim { claims: self, number }
    }

    /// What became of the files of the call that this moment follows.
    pub(super) fn settle(&self, moment: &str, root: &Path) -> Vec<EventKind> {
        let is_meant = |claim: &FileClaim| {
            let before = moment.strip_suffix(claim.call.as_str());
            claim.returned.is_some() && before.is_some_and(|before| before.ends_with('/'))
        };
        let mut calls = self.calls.lock();
        let Some(place) = calls.iter().position(is_meant) else { return Vec::new() };
        let claim = calls.remove(place);
        drop(calls);
        let mut events = Vec::new();
        for (name, before) in claim.before {
            let now = Stamp::of(&root.join(&name));
            if now == before {
                continue;
            }
            events.extend(event(&name, before.is_some(), now).map(EventKind::Artifact));
            self.told.lock().insert(name, now);
        }
        events
    }

    /// Files that belong to calls in progress.
    pub(super) fn files(&self) -> BTreeSet<String> {
        let mut calls = self.calls.lock();
        calls.retain(|claim| {
            claim.returned.is_none_or(|returned| returned.elapsed() < RETURNED_CLAIM_TIMEOUT)
        });
        calls.iter().flat_map(|claim| claim.before.keys().cloned()).collect()
    }

    /// What was reported of files since the last look.
    pub(super) fn take_told(&self) -> Files {
        std::mem::take(&mut self.told.lock())
    }
}

impl OpenClaim<'_> {
    /// The call has returned: its files are its own until it tells what became of them.
    pub(super) fn returned(self) {
        let mut calls = self.claims.calls.lock();
        if let Some(claim) = calls.iter_mut().find(|claim| claim.number == self.number) {
            claim.returned = Some(Instant::now());
        }
    }
}

impl Drop for OpenClaim<'_> {
    fn drop(&mut self) {
        self.claims.calls.lock().retain(|claim| claim.number != self.number || claim.returned.is_some());
    }
}
