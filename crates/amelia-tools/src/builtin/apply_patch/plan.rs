//! From changes to files written: everything is decided before anything is touched, and undone if the disk refuses.

use std::collections::BTreeMap;
use std::fmt;

use crate::builtin::text_of;
use crate::confine::{Inside, Root};
use crate::patch::{self, FilePatch};

/// One file written or removed.
pub(super) enum Step {
    /// `mode` is for a file that is new under this name.
    Write {
        path: String,
        content: String,
        before: Option<String>,
        mode: Option<u32>,
    },
    Remove {
        path: String,
        before: String,
        mode: Option<u32>,
    },
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
pub(super) fn plan(root: &Root, changes: &[FilePatch]) -> Result<Vec<Step>, Vec<String>> {
    let mut files = Files { root, seen: BTreeMap::new(), order: Vec::new() };
    let problems: Vec<String> =
        changes.iter().filter_map(|change| files.change(change).err()).flatten().collect();
    if problems.is_empty() { Ok(files.steps()) } else { Err(problems) }
}

/// Does it. When a write fails, what was done before is put back.
pub(super) fn carry_out(root: &Root, steps: &[Step]) -> Result<(), String> {
    for (done, step) in steps.iter().enumerate() {
        let result = match step {
            Step::Write { path, content, mode, .. } => {
                root.write_new_with(path, content.as_bytes(), *mode).map(drop)
            }
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
        Step::Write { path, before: Some(text), mode, .. } | Step::Remove { path, before: text, mode } => {
            root.write_new_with(path, text.as_bytes(), *mode).err()
        }
        Step::Write { path, before: None, .. } => root.remove(path).err(),
    }
    .map(|refusal| refusal.to_string())
}

struct File {
    /// As the patch first spelt it.
    path: String,
    before: Option<String>,
    now: Option<String>,
    mode: Option<u32>,
}

/// Files as they will be: a patch may name one twice, and spell it differently.
struct Files<'a> {
    root: &'a Root,
    seen: BTreeMap<Inside, File>,
    order: Vec<Inside>,
}

impl Files<'_> {
    fn change(&mut self, change: &FilePatch) -> Result<(), Vec<String>> {
        match change {
            FilePatch::Add { path, content } => {
                self.absent(path).map_err(|problem| vec![problem])?;
                self.set(path, Some(content.clone()));
            }
            FilePatch::Delete { path } => {
                self.text(path).map_err(|problem| vec![problem])?;
                self.set(path, None);
            }
            FilePatch::Update { path, to, hunks } => {
                let text = self.text(path).map_err(|problem| vec![problem])?;
                let named = |problem: String| format!("`{path}`, {problem}");
                let text = patch::apply(&text, hunks)
                    .map_err(|problems| problems.into_iter().map(named).collect::<Vec<_>>())?;
                let same = |to: &&String| self.key(to).ok() == self.key(path).ok();
                if let Some(to) = to.as_ref().filter(|to| !same(to)) {
                    self.absent(to).map_err(|problem| vec![problem])?;
                    self.rename(path, to, text);
                } else {
                    self.set(path, Some(text));
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, path: &str) -> Result<String, String> {
        let key = self.key(path)?;
        if !self.seen.contains_key(&key) {
            let text = text_of(self.root, path)?;
            let mode = self.root.mode(path).map_err(|refusal| refusal.to_string())?;
            self.remember(key.clone(), path, Some(text), Some(mode));
        }
        let now = self.seen.get(&key).and_then(|file| file.now.clone());
        now.ok_or_else(|| format!("`{path}` was removed earlier in this patch"))
    }

    fn absent(&mut self, path: &str) -> Result<(), String> {
        let key = self.key(path)?;
        if !self.seen.contains_key(&key) {
            if self.root.exists(path).map_err(|refusal| refusal.to_string())? {
                return Err(format!("`{path}` exists already: update it, or delete it first"));
            }
            self.remember(key.clone(), path, None, None);
        }
        match self.seen.get(&key) {
            Some(File { now: Some(_), .. }) => Err(format!("`{path}` is made twice by this patch")),
            Some(File { now: None, .. }) | None => Ok(()),
        }
    }

    /// One name for every way to write a path.
    fn key(&self, path: &str) -> Result<Inside, String> {
        self.root.inside(path).map_err(|refusal| refusal.to_string())
    }

    fn remember(&mut self, key: Inside, path: &str, text: Option<String>, mode: Option<u32>) {
        let file = File { path: path.to_owned(), before: text.clone(), now: text, mode };
        self.seen.insert(key.clone(), file);
        self.order.push(key);
    }

    fn set(&mut self, path: &str, text: Option<String>) {
        if let Some(file) = self.key(path).ok().and_then(|key| self.seen.get_mut(&key)) {
            file.now = text;
        }
    }

    /// A file under another name is the same file: whether it can be executed goes with it.
    fn rename(&mut self, from: &str, to: &str, text: String) {
        let from = self.key(from).ok().and_then(|key| self.seen.get_mut(&key));
        let mode = from.and_then(|file| {
            file.now = None;
            file.mode
        });
        if let Some(file) = self.key(to).ok().and_then(|key| self.seen.get_mut(&key)) {
            (file.now, file.mode) = (Some(text), mode);
        }
    }

    fn steps(mut self) -> Vec<Step> {
        let step = |key: Inside| {
            let File { path, before, now, mode } = self.seen.remove(&key)?;
            match (before, now) {
                (before, Some(content)) => Some(Step::Write { path, content, before, mode }),
                (Some(before), None) => Some(Step::Remove { path, before, mode }),
                (None, None) => None,
            }
        };
        self.order.into_iter().filter_map(step).collect()
    }
}
