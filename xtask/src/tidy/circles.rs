//! No circle between modules. Of the modules below one parent, none leads back to itself over its siblings: then each can
//! be read, moved and tested without the others.
//!
//! A file uses a module when it names a path into it (`crate::a::B`, `super::a`). What a module and its own children
//! have to do with each other is not counted, and neither are tests.

#[cfg(test)]
mod tests;
mod uses;

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::source::SourceFile;

/// The modules of a crate, by their path from its root.
type Modules = BTreeSet<Vec<String>>;

/// Where one module uses another for the first time.
type Uses<'a> = BTreeMap<(String, String), (&'a str, usize)>;

pub(super) fn check(sources: &[SourceFile]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(Vec<String>, &SourceFile)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test_file()) {
        if let Some((name, module)) = module_of(&source.path) {
            crates.entry(name).or_default().push((module, source));
        }
    }
    crates.values().flat_map(|files| check_crate(files)).collect()
}

/// The crate of a file, and its module: `crates/x/src/a/b.rs` is `a::b` of `crates/x`.
fn module_of(path: &str) -> Option<(&str, Vec<String>)> {
    let (name, below) = path.split_once("/src/")?;
    let module: Vec<String> = below.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    let is_root = matches!(below, "lib.rs" | "main.rs");
    Some((name, if is_root { Vec::new() } else { module }))
}

fn check_crate(files: &[(Vec<String>, &SourceFile)]) -> Vec<Finding> {
    let modules: Modules = files.iter().map(|(module, _)| module.clone()).collect();
    // By parent: which of its children use which.
    let mut siblings: BTreeMap<Vec<String>, Uses<'_>> = BTreeMap::new();
    for (module, source) in files {
        for (line, path) in uses::of(source) {
            let used = resolve(&modules, module, &path);
            let common = module.iter().zip(&used).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (module.get(common), used.get(common)) {
                let parent = module.iter().take(common).cloned().collect();
                let uses = siblings.entry(parent).or_default();
                uses.entry((from.clone(), to.clone())).or_insert((&source.path, line));
            }
        }
    }
    siblings.values().flat_map(circles).collect()
}

/// The module that a path leads to, as far as it names modules.
fn resolve(modules: &Modules, from: &[String], path: &[String]) -> Vec<String> {
    let mut here = from.to_vec();
    let mut rest = path.iter().peekable();
    while let Some(step) = rest.next_if(|step| matches!(step.as_str(), "crate" | "super" | "self")) {
        match step.as_str() {
            "crate" => here.clear(),
            "super" => drop(here.pop()),
            _ => {}
        }
    }
    for name in rest {
        here.push(name.clone());
        if !modules.contains(&here) {
            here.pop();
            break;
        }
    }
    here
}

/// One finding for every use that is part of a circle and comes first in it.
fn circles(uses: &Uses<'_>) -> Vec<Finding> {
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut found = Vec::new();
    for ((from, to), (path, line)) in uses {
        let Some(way) = way_back(uses, to, from) else { continue };
        if way.iter().any(|name| told.contains(name)) {
            continue;
        }
        told.extend(way.iter().cloned());
        let message = format!("modules use each other in a circle: {from} → {}", way.join(" → "));
        found.push(Finding::error(path, *line, message));
    }
    found
}

/// The shortest way from one module to another.
fn way_back(uses: &Uses<'_>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut ways = std::collections::VecDeque::from([vec![from.to_owned()]]);
    while let Some(way) = ways.pop_front() {
        let last = way.last()?;
        if last == to {
            return Some(way);
        }
        for (_, next) in uses.keys().filter(|(user, _)| user == last) {
            if seen.insert(next.clone()) {
                ways.push_back(way.iter().cloned().chain([next.clone()]).collect());
            }
        }
    }
    None
}
