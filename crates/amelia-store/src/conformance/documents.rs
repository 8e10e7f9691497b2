//! What is promised about documents.

use amelia_core::document::{DocumentChange, DocumentKind, Documents};
use amelia_core::store::StoreError;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::ConformanceResult;

fn ok<T>(answer: Result<T, StoreError>) -> Result<T, String> {
    answer.map_err(|error| error.to_string())
}

fn change(name: &str, body: Option<Value>) -> DocumentChange {
    DocumentChange::new(DocumentKind::Prompt, name, body)
}

pub(super) async fn versions(store: &dyn Documents) -> ConformanceResult {
    let at = Timestamp::UNIX_EPOCH;
    let (one, two) = (json!({"text": "one"}), json!({"text": "two"}));
    let first = vec![change("a", Some(one.clone())), change("b", Some(one.clone()))];
    let mut found = vec![ok(store.change(at, first).await)?];
    for body in [Some(two.clone()), Some(two.clone()), None, None, Some(one.clone())] {
        found.push(ok(store.change(at, vec![change("a", body)]).await)?);
    }
    found.push(ok(store.change(at, vec![change("never", None)]).await)?);
    let expected: &[&[u32]] = &[&[1, 1], &[2], &[2], &[3], &[3], &[4], &[0]];
    if found != expected {
        return Err(format!("the versions are {found:?}, not {expected:?}"));
    }
    let bodies: Vec<Option<Value>> = ok(store.versions(DocumentKind::Prompt, "a").await)?
        .into_iter()
        .map(|version| version.body)
        .collect();
    if bodies != [Some(one.clone()), Some(two), None, Some(one)] {
        return Err(format!("the versions of a are {bodies:?}"));
    }
    let newest = ok(store.documents(DocumentKind::Prompt).await)?;
    let newest: Vec<(&str, u32)> = newest.iter().map(|found| (found.name.as_str(), found.version)).collect();
    if newest != [("a", 4), ("b", 1)] {
        return Err(format!("the newest are {newest:?}"));
    }
    let others = ok(store.documents(DocumentKind::Profile).await)?;
    if others.is_empty() { Ok(()) } else { Err(format!("other kinds are listed: {others:?}")) }
}
