//! Profiles, as they are kept in the store: read, written, and which one is the default.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::config::profile::Profile;
use amelia_core::config::settings::Settings;
use amelia_core::document::{Document, DocumentChange, DocumentKind, Documents};
use amelia_core::store::StoreError;
use serde_json::{Value, json};

/// The document that names the active profile.
const ACTIVE: &str = "active_profile";
/// How the documents begin that name the active profile of a directory.
const ACTIVE_IN: &str = "active_profile:";

/// A handle on the profiles of a store.
#[derive(Clone)]
pub struct Profiles {
    documents: Arc<dyn Documents>,
    clock: Arc<dyn Clock>,
}

impl Profiles {
    /// Profiles in `documents`.
    #[must_use]
    pub fn new(documents: Arc<dyn Documents>, clock: Arc<dyn Clock>) -> Self {
        Self { documents, clock }
    }

    /// Every profile, by name, and which is active.
    pub async fn settings(&self) -> Result<Settings, StoreError> {
        let stored = self.documents.documents(DocumentKind::Profile).await?;
        let profiles = stored.iter().map(profile_of).collect::<Result<BTreeMap<_, _>, _>>()?;
        let settings = self.documents.documents(DocumentKind::Setting).await?;
        let text = |body: &Option<Value>| body.as_ref().and_then(Value::as_str).map(str::to_owned);
        let active = settings.iter().find(|setting| setting.name == ACTIVE);
        let active_in = settings.iter().filter_map(|setting| {
            let directory = setting.name.strip_prefix(ACTIVE_IN)?.to_owned();
            Some((directory, text(&setting.body)?))
        });
        Ok(Settings {
            active_profile: active.and_then(|setting| text(&setting.body)).unwrap_or_default(),
            active_in: active_in.collect(),
            profiles,
        })
    }

    /// The profile of this name, or the active one.
    pub async fn find(&self, name: Option<&str>) -> Result<Option<Profile>, StoreError> {
        let mut settings = self.settings().await?;
        let name = name.unwrap_or(&settings.active_profile).to_owned();
        Ok(settings.profiles.remove(&name))
    }

    /// The profile of this name, or the one for work in this directory.
    pub async fn find_for(
        &self,
        name: Option<&str>,
        directory: &Path,
    ) -> Result<Option<Profile>, StoreError> {
        match name {
            Some(_) => self.find(name).await,
            None => Ok(self.settings().await?.profile_for(directory).cloned()),
        }
    }

    /// The newest version of a profile; 0 when there never was one.
    pub async fn version(&self, name: &str) -> Result<u32, StoreError> {
        let versions = self.documents.versions(DocumentKind::Profile, name).await?;
        Ok(versions.last().map_or(0, |last| last.version))
    }

    /// Keeps a profile; with `after`, only when that is the newest version. The first one is the active one.
    pub async fn put(&self, profile: &Profile, after: Option<u32>) -> Result<(), StoreError> {
        let settings = self.settings().await?;
        let mut changes = vec![DocumentChange { after, ..change_of(profile)? }];
        if settings.active().is_none() {
            changes.push(active(&profile.name));
        }
        self.write(changes).await
    }

    /// Changes the newest version of a profile, even if it is changed elsewhere at the same time. `false` when there is none of this
    /// name.
    pub async fn change<E: From<StoreError>>(
        &self,
        name: &str,
        change: impl Fn(&mut Profile) -> Result<(), E>,
    ) -> Result<bool, E> {
        loop {
            let version = self.version(name).await?;
            let Some(before) = self.find(Some(name)).await? else { return Ok(false) };
            let mut profile = before.clone();
            change(&mut profile)?;
            if profile == before {
                return Ok(true);
            }
            match self.put(&profile, Some(version)).await {
                Err(StoreError::Outdated { .. }) => {}
                put => return put.map(|()| true).map_err(E::from),
            }
        }
    }

    /// Makes everything as `settings` says; profiles that it does not name stay.
    pub async fn apply(&self, settings: &Settings) -> Result<(), StoreError> {
        let mut changes = settings.profiles.values().map(change_of).collect::<Result<Vec<_>, _>>()?;
        changes.push(active(&settings.active_profile));
        changes.extend(settings.active_in.iter().map(|(directory, name)| active_in(directory, name)));
        self.write(changes).await
    }

    /// Makes a profile the one that is used where none is named, in its directory and where there is no other. `false` when
    /// there is none of this name.
    pub async fn activate(&self, name: &str) -> Result<bool, StoreError> {
        let settings = self.settings().await?;
        let Some(profile) = settings.profiles.get(name) else { return Ok(false) };
        self.write(vec![active(name), active_in(&profile.repo_root, name)]).await?;
        Ok(true)
    }

    /// Forgets a profile; its versions are kept. `false` when there is none of this name.
    pub async fn delete(&self, name: &str) -> Result<bool, StoreError> {
        if !self.settings().await?.profiles.contains_key(name) {
            return Ok(false);
        }
        let gone = DocumentChange::new(DocumentKind::Profile, name, None);
        self.write(vec![gone]).await?;
        Ok(true)
    }

    async fn write(&self, changes: Vec<DocumentChange>) -> Result<(), StoreError> {
        self.documents.change(self.clock.now(), changes).await.map(|_| ())
    }
}

fn change_of(profile: &Profile) -> Result<DocumentChange, StoreError> {
    let body = serde_json::to_value(profile).map_err(|error| StoreError::Invalid(error.to_string()))?;
    Ok(DocumentChange::new(DocumentKind::Profile, &profile.name, Some(body)))
}

fn active(name: &str) -> DocumentChange {
    DocumentChange::new(DocumentKind::Setting, ACTIVE, Some(json!(name)))
}

fn active_in(directory: &str, name: &str) -> DocumentChange {
    DocumentChange::new(DocumentKind::Setting, format!("{ACTIVE_IN}{directory}"), Some(json!(name)))
}

fn profile_of(document: &Document) -> Result<(String, Profile), StoreError> {
    let damaged = |error: serde_json::Error| StoreError::Damaged {
        what: format!("profile `{}`", document.name),
        detail: error.to_string(),
        hint: "replace it with `amelia config profile apply`".to_owned(),
    };
    let body = document.body.clone().unwrap_or_default();
    Ok((document.name.clone(), serde_json::from_value(body).map_err(damaged)?))
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::SystemClock;
    use amelia_store::memory::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_directory_keeps_the_profile_that_was_activated_for_it() {
        let profiles = Profiles::new(Arc::new(MemoryStore::new()), Arc::new(SystemClock));
        for (name, directory) in [("default", "/a"), ("slow", "/a"), ("other", "/b")] {
            profiles.put(&Profile::new(name, directory), None).await.unwrap();
        }
        let chosen = async |directory| {
            let found = profiles.find_for(None, Path::new(directory)).await.unwrap();
            found.map(|profile| profile.name).unwrap_or_default()
        };
        profiles.activate("slow").await.unwrap();
        assert_eq!(chosen("/a").await, "slow");
        profiles.activate("other").await.unwrap();
        assert_eq!((chosen("/a/src").await, chosen("/b").await), ("slow".to_owned(), "other".to_owned()));
        profiles.activate("default").await.unwrap();
        assert_eq!((chosen("/a").await, chosen("/b").await), ("default".to_owned(), "other".to_owned()));
    }

    #[tokio::test]
    async fn the_first_profile_is_active_until_another_is_named() {
        let profiles = Profiles::new(Arc::new(MemoryStore::new()), Arc::new(SystemClock));
        assert_eq!(profiles.find(None).await.unwrap(), None);
        let (work, home) = (Profile::new("work", "/w"), Profile::new("home", "/h"));
        profiles.put(&work, None).await.unwrap();
        profiles.put(&home, None).await.unwrap();
        assert_eq!(profiles.find(None).await.unwrap(), Some(work.clone()));
        assert!(profiles.activate("home").await.unwrap());
        assert_eq!(profiles.find(None).await.unwrap(), Some(home));
        assert_eq!(profiles.find(Some("work")).await.unwrap(), Some(work));
        let chosen = async |name, directory| {
            let found = profiles.find_for(name, Path::new(directory)).await.unwrap();
            found.map(|profile| profile.name)
        };
        assert_eq!(chosen(None, "/w/src").await.as_deref(), Some("work"), "the repository has its own");
        assert_eq!(chosen(Some("home"), "/w").await.as_deref(), Some("home"), "a name counts more");
        assert_eq!(
            chosen(None, "/elsewhere").await.as_deref(),
            Some("home"),
            "none is for it: the active one"
        );
        assert!(!profiles.activate("nowhere").await.unwrap());
        assert!(profiles.delete("home").await.unwrap());
        assert_eq!(profiles.find(None).await.unwrap(), None);
        assert!(!profiles.delete("home").await.unwrap());
    }
}
