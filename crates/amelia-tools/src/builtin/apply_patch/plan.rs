//! From changes to files written: everything is decided before anything is touched, and undone if the disk refuses.

use std::collections::BTreeMap;
use std::fmt;

use crate::builtin::text_of;
use crate::confine::Root;
use crate::patch::{self, Change};

/// One file written or removed.
pub(super) enum Step {
    Write { path: String, content: String, before: Option<String> },
    Remove { path: String, before: String },
}

impl Step {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } => path,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write { path, before: None, .. } => write!(f, "created `{path}`"),
            Self::Write { path, before: Some(_), .. } => write!(f, "changed `{path}`"),
            Self::Remove { path, .. } => write!(f, "removed `{path}`"),
        }
    }
}

/// What is to be done, or everything that is in its way.
pub(super) fn plan(root: &Root, changes: &[Change]) -> Result<Vec<Step>, Vec<String>> {
    let mut files = Files { root, seen: BTreeMap::new(), order: Vec::new() };
    let problems: Vec<String> =
        changes.iter().filter_map(|change| files.change(change).err()).flatten().collect();
    if problems.is_empty() { Ok(files.steps()) } else { Err(problems) }
}

/// Does it. When a write fails, what was done before is put back.
pub(super) fn carry_out(root: &Root, steps: &[Step]) -> Result<(), String> {
    for (done, step) in steps.iter().enumerate() {
        let result = match step {
            Step::Write { path, content, .. } => root.write(path, content.as_bytes()).map(drop),
            Step::Remove { path, .. } => root.remove(path).map(drop),
        };
        if let Err(refusal) = result {
            let undone: Vec<String> =
                steps.iter().take(done).rev().filter_map(|step| undo(root, step)).collect();
            return Err(if undone.is_empty() {
                format!("nothing was changed: {refusal}")
            } else {
                format!("{refusal}; these could not be put back: {}", undone.join("; "))
            });
        }
    }
    Ok(())
}

/// Says what went wrong, if anything did.
fn undo(root: &Root, step: &Step) -> Option<String> {
    match step {
        Step::Write { path, before: Some(text), .. } | Step::Remove { path, before: text } => {
            root.write(path, text.as_bytes()).err()
        }
        Step::Write { path, before: None, .. } => root.remove(path).err(),
    }
    .map(|refusal| refusal.to_string())
}

struct File {
    before: Option<String>,
    now: Option<String>,
}

/// Files as they will be: a patch may name one twice.
struct Files<'a> {
    root: &'a Root,
    seen: BTreeMap<String, File>,
    order: Vec<String>,
}

impl Files<'_> {
    fn change(&mut self, change: &Change) -> Result<(), Vec<String>> {
        match change {
            Change::Add { path, content } => {
                self.absent(path).map_err(|problem| vec![problem])?;
                self.set(path, Some(content.clone()));
            }
            Change::Delete { path } => {
                self.text(path).map_err(|problem| vec![problem])?;
                self.set(path, None);
            }
            Change::Update { path, to, hunks } => {
                let text = self.text(path).map_err(|problem| vec![problem])?;
                let named = |problem: String| format!("`{path}`, {problem}");
                let text = patch::apply(&text, hunks)
                    .map_err(|problems| problems.into_iter().map(named).collect::<Vec<_>>())?;
                if let Some(to) = to.as_ref().filter(|to| *to != path) {
                    self.absent(to).map_err(|problem| vec![problem])?;
                    self.set(path, None);
                    self.set(to, Some(text));
                } else {
                    self.set(path, Some(text));
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, path: &str) -> Result<String, String> {
        if !self.seen.contains_key(path) {
            let text = text_of(self.root, path)?;
            self.remember(path, Some(text));
        }
        let now = self.seen.get(path).and_then(|file| file.now.clone());
        now.ok_or_else(|| format!("`{path}` was removed earlier in this patch"))
    }

    fn absent(&mut self, path: &str) -> Result<(), String> {
        if !self.seen.contains_key(path) {
            if self.root.exists(path).map_err(|refusal| refusal.to_string())? {
                return Err(format!("`{path}` exists already: update it, or delete it first"));
            }
            self.remember(path, None);
        }
        match self.seen.get(path) {
            Some(File { now: Some(_), .. }) => Err(format!("`{path}` is made twice by this patch")),
            Some(File { now: None, .. }) | None => Ok(()),
        }
    }

    fn remember(&mut self, path: &str, text: Option<String>) {
        self.seen.insert(path.to_owned(), File { before: text.clone(), now: text });
        self.order.push(path.to_owned());
    }

    fn set(&mut self, path: &str, text: Option<String>) {
        if let Some(file) = self.seen.get_mut(path) {
            file.now = text;
        }
    }

    fn steps(mut self) -> Vec<Step> {
        let step = |path: String| match self.seen.remove(&path)? {
            File { before, now: Some(content) } => Some(Step::Write { path, content, before }),
            File { before: Some(before), now: None } => Some(Step::Remove { path, before }),
            File { before: None, now: None } => None,
        };
        self.order.into_iter().filter_map(step).collect()
    }
}
