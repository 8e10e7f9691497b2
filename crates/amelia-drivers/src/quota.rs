//! Accounts that are used up, and models of an account that want to be left alone: none is called before its reset, and
//! then one caller alone, until a call has shown that it can be used again. What is held back, or until when, does not follow from a run's log, so it is kept, and comes
//! again in a replay at the same place.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_core::driver::DriverError;
use amelia_core::recording::{Channel, FrameSource, Playback};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// While another run tries an account: when to look again.
const TRIAL: SignedDuration = SignedDuration::from_secs(5);

/// The accounts of a server that are used up.
#[derive(Debug, Default)]
pub struct QuotaRegistry(Mutex<HashMap<String, UsedUpAccount>>);

#[derive(Debug, Clone)]
struct UsedUpAccount {
    provider: String,
    resets_at: Timestamp,
    detail: String,
    /// A run is finding out whether it can be used again.
    is_tried: bool,
}

impl QuotaRegistry {
    /// No run uses this account before then.
    pub fn hold(&self, account: &str, provider: &str, resets_at: Timestamp, detail: &str) {
        let mut quotas = self.0.lock();
        let known = quotas.get(account).map_or(resets_at, |held| held.resets_at.max(resets_at));
        let (provider, detail) = (provider.to_owned(), detail.to_owned());
        quotas.insert(
            account.to_owned(),
            UsedUpAccount { provider, resets_at: known, detail, is_tried: false },
        );
    }

    /// A person says that it can be used again.
    pub fn lift(&self, account: &str) {
        self.0.lock().remove(account);
    }

    /// Whether a call may be made. `Some` for the one who tries it after the reset.
    fn admit(&self, account: &str, now: Timestamp) -> Result<Option<()>, UsedUpAccount> {
        let mut quotas = self.0.lock();
        let Some(held) = quotas.get_mut(account) else { return Ok(None) };
        if now < held.resets_at {
            return Err(held.clone());
        }
        if held.is_tried {
            let resets_at = now.checked_add(TRIAL).unwrap_or(now);
            return Err(UsedUpAccount { resets_at, ..held.clone() });
        }
        held.is_tried = true;
        Ok(Some(()))
    }

    /// A call was answered. One that was under way since before the account was used up says nothing about it.
    fn proved(&self, account: &str, now: Timestamp) {
        let mut quotas = self.0.lock();
        if quotas.get(account).is_some_and(|held| held.resets_at <= now) {
            quotas.remove(account);
        }
    }

    fn release(&self, account: &str) {
        if let Some(held) = self.0.lock().get_mut(account) {
            held.is_tried = false;
        }
    }
}

/// The account of an agent.
#[derive(Clone, Default)]
pub struct QuotaGate {
    account: Arc<str>,
    /// The account as far as one of its models is meant.
    model: Option<Arc<str>>,
    quotas: Arc<QuotaRegistry>,
    played: Option<Arc<Playback>>,
}

/// What is kept of a hold.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum QuotaFrame {
    /// A call was not made.
    Held { account: String, provider: String, resets_at: Timestamp, detail: String },
    /// A call was refused; until when follows from the moment of the refusal.
    UsedUp { account: String, resets_at: Timestamp },
}

/// One may call. Returned, it lets another run find out whether the account can be used.
#[derive(Debug)]
#[must_use = "as long as it lives, no other run tries the account"]
pub struct QuotaPermit(Vec<(Arc<QuotaRegistry>, Arc<str>)>);

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        for (quotas, account) in self.0.drain(..) {
            quotas.release(&account);
        }
    }
}

impl QuotaGate {
    /// On an account that others may use, too.
    #[must_use]
    pub fn live(quotas: &Arc<QuotaRegistry>, account: impl Into<Arc<str>>) -> Self {
        Self { account: account.into(), model: None, quotas: Arc::clone(quotas), played: None }
    }

    /// The same, for an agent whose model may have a limit of its own: others of the account can be called then.
    #[must_use]
    pub fn of_model(self, model: &str) -> Self {
        Self { model: Some(format!("{} {model}", self.account).into()), ..self }
    }

    /// As it was.
    #[must_use]
    pub fn played(playback: Arc<Playback>) -> Self {
        Self { played: Some(playback), ..Self::default() }
    }

    /// Whether a call may be made now.
    pub fn admit(&self, now: Timestamp, channel: &Channel) -> Result<QuotaPermit, DriverError> {
        if let Some(playback) = &self.played {
            return match next(playback, channel, |kept| matches!(kept, QuotaFrame::Held { .. })) {
                Some(QuotaFrame::Held { account, provider, resets_at, detail }) => {
                    Err(quota(account, provider, resets_at, detail))
                }
                Some(QuotaFrame::UsedUp { .. }) | None => Ok(QuotaPermit(Vec::new())),
            };
        }
        let mut leave = QuotaPermit(Vec::new());
        for account in self.names() {
            match self.quotas.admit(account, now) {
                Ok(tries) => leave.0.extend(tries.map(|()| (Arc::clone(&self.quotas), Arc::clone(account)))),
                Err(UsedUpAccount { provider, resets_at, detail, .. }) => {
                    let (to_keep, told) = (provider.clone(), detail.clone());
                    let account = account.to_string();
                    keep(
                        channel,
                        &QuotaFrame::Held {
                            account: account.clone(),
                            provider: to_keep,
                            resets_at,
                            detail: told,
                        },
                    );
                    return Err(quota(account, provider, resets_at, detail));
                }
            }
        }
        Ok(leave)
    }

    /// A call was answered.
    pub fn proved(&self, now: Timestamp) {
        self.names().for_each(|account| self.quotas.proved(account, now));
    }

    fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        std::iter::once(&self.account).chain(&self.model)
    }

    /// What a failure means for everybody on the account: nothing, unless it is used up until a moment that is known.
    #[must_use]
    pub fn noted(&self, error: DriverError, channel: &Channel) -> DriverError {
        self.noted_as(&self.account, error, channel)
    }

    /// The same for those who call this model.
    #[must_use]
    pub fn noted_of_model(&self, error: DriverError, channel: &Channel) -> DriverError {
        self.noted_as(self.model.as_ref().unwrap_or(&self.account), error, channel)
    }

    fn noted_as(&self, account: &str, error: DriverError, channel: &Channel) -> DriverError {
        let DriverError::Quota { provider, resets_at: Some(resets_at), detail, account: None } = error else {
            return error;
        };
        if let Some(playback) = &self.played {
            return match next(playback, channel, |kept| matches!(kept, QuotaFrame::UsedUp { .. })) {
                Some(QuotaFrame::UsedUp { account, resets_at }) => {
                    quota(account, provider, resets_at, detail)
                }
                Some(QuotaFrame::Held { .. }) | None => {
                    DriverError::Quota { provider, resets_at: Some(resets_at), detail, account: None }
                }
            };
        }
        self.quotas.hold(account, &provider, resets_at, &detail);
        let account = account.to_owned();
        keep(channel, &QuotaFrame::UsedUp { account: account.clone(), resets_at });
        quota(account, provider, resets_at, detail)
    }
}

fn quota(account: String, provider: String, resets_at: Timestamp, detail: String) -> DriverError {
    DriverError::Quota { provider, resets_at: Some(resets_at), detail, account: Some(account) }
}

fn keep(channel: &Channel, kept: &QuotaFrame) {
    // It always has a text.
    if let Ok(body) = serde_json::to_vec(kept) {
        channel.add(FrameSource::Model, body);
    }
}

fn next(playback: &Playback, channel: &Channel, fits: impl Fn(&QuotaFrame) -> bool) -> Option<QuotaFrame> {
    let read = |body: &[u8]| serde_json::from_slice::<QuotaFrame>(body).ok().filter(&fits);
    let piece = playback.next_if(FrameSource::Model, &channel.name, |body| read(body).is_some())?;
    read(&piece.body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn hold(quotas: &Arc<QuotaRegistry>, account: &str) -> QuotaGate {
        QuotaGate::live(quotas, account)
    }

    fn limit(resets_at: Option<Timestamp>) -> DriverError {
        let (provider, detail) = ("p".to_owned(), "usage limit".to_owned());
        DriverError::Quota { provider, resets_at, detail, account: None }
    }

    #[test]
    fn nobody_calls_before_the_reset_and_then_one_alone_until_it_is_proved() {
        let (quotas, channel) = (Arc::new(QuotaRegistry::default()), Channel::default());
        let (one, two, other) = (hold(&quotas, "a"), hold(&quotas, "a"), hold(&quotas, "b"));
        assert!(matches!(
            one.noted(limit(Some(at(10))), &channel),
            DriverError::Quota { account: Some(account), .. } if account == "a"
        ));
        assert!(two.admit(at(9), &channel).is_err());
        assert!(other.admit(at(9), &channel).is_ok(), "another account is not held");
        two.proved(at(9));
        assert!(two.admit(at(9), &channel).is_err(), "a call from before says nothing");

        let leave = two.admit(at(10), &channel).unwrap();
        assert!(one.admit(at(10), &channel).is_err(), "one alone");
        drop(leave);
        let leave = one.admit(at(10), &channel).unwrap();
        one.proved(at(11));
        drop(leave);
        let both = (one.admit(at(11), &channel), two.admit(at(11), &channel));
        assert!(both.0.is_ok() && both.1.is_ok());
    }

    #[test]
    fn a_model_that_wants_to_be_left_alone_does_not_hold_the_others_of_its_account() {
        let (quotas, channel) = (Arc::new(QuotaRegistry::default()), Channel::default());
        let [one, other] = ["one", "other"].map(|model| hold(&quotas, "a").of_model(model));
        let noted = one.noted_of_model(limit(Some(at(10))), &channel);
        assert!(matches!(noted, DriverError::Quota { account: Some(account), .. } if account == "a one"));
        assert!(one.admit(at(9), &channel).is_err());
        assert!(other.admit(at(9), &channel).is_ok());
        let leave = one.admit(at(10), &channel).unwrap();
        one.proved(at(10));
        drop(leave);
        assert!(one.admit(at(10), &channel).is_ok());

        let noted = one.noted(limit(Some(at(20))), &channel);
        assert!(matches!(noted, DriverError::Quota { account: Some(account), .. } if account == "a"));
        assert!(one.admit(at(19), &channel).is_err() && other.admit(at(19), &channel).is_err());
    }

    #[test]
    fn a_limit_without_a_known_end_holds_nobody_and_a_person_can_lift_one_that_has() {
        let (quotas, channel) = (Arc::new(QuotaRegistry::default()), Channel::default());
        let account = hold(&quotas, "a");
        assert_eq!(account.noted(limit(None), &channel), limit(None));
        assert!(account.admit(at(0), &channel).is_ok());
        quotas.hold("a", "p", at(10), "used up");
        assert!(account.admit(at(0), &channel).is_err());
        quotas.lift("a");
        assert!(account.admit(at(0), &channel).is_ok());
    }
}
