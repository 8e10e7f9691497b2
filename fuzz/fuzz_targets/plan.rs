//! A plan as a model or a person writes it: read, judged and written the same for ever, however long it is.
#![no_main]

use std::collections::BTreeSet;

use amelia_core::plan::batch::batch;
use amelia_core::plan::check::{check, key_files};
use amelia_core::plan::markdown::{read, section, write};
use amelia_core::plan::{Plan, PlanTask};
use libfuzzer_sys::fuzz_target;

/// More than anybody accepts; the time it takes is limited by the fuzzer.
const LARGEST: usize = 5 * 1024 * 1024;

/// As the first character, it asks for as much of the rest as fits; only for some lengths, because it takes long.
const REPEAT: char = '\u{1}';
const SOME: usize = 64;

fuzz_target!(|text: &str| {
    if let Some(piece) = text.strip_prefix(REPEAT).filter(|piece| piece.len() % SOME == SOME - 1) {
        let long = piece.repeat(LARGEST / piece.len());
        let plan = judged(&long);
        assert!(!check(&long).1.is_valid() && plan.tasks.len() <= LARGEST);
        judged(&piece.repeat((500 * 1024) / piece.len()));
        return;
    }
    let plan = judged(text);
    for task in &plan.tasks {
        assert!(section(text, &task.id).is_some_and(|section| section.starts_with("###")));
    }
    let written = write(&plan, "a plan");
    let again = read(&written);
    assert_eq!(again.tasks.len(), plan.tasks.len(), "{written}");
    assert_eq!(write(&again, "a plan"), written);
});

/// Everything that is asked about a plan before a person sees it.
fn judged(text: &str) -> Plan {
    let plan = read(text);
    let (_, verdict) = check(text);
    let tasks: Vec<&PlanTask> = plan.tasks.iter().take(100).collect();
    assert!(verdict.is_valid() == verdict.issues.is_empty());
    assert!(batch(&tasks, |_| false, &BTreeSet::new(), 4).len() <= 4);
    key_files(&plan);
    plan
}
