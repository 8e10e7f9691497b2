//! Changes of the outside world, at most once: written down before, looked up at the provider after a crash.

use amelia_core::effect::Effect;
use amelia_core::event::{EffectEvent, Event, EventKind};
use amelia_core::id::{AgentName, EffectId};
use amelia_core::problem::Problem;
use async_trait::async_trait;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::journaled::{Attempt, Interrupted, JournalState, JournaledWork, journaled};
use crate::node::{NodeCx, NodeError};

/// The outside world, for one kind of effect. The effect's id travels with it as a marker.
#[async_trait]
pub trait EffectProvider: Send + Sync {
    /// Does it, and returns the provider's receipt.
    async fn perform(&self, effect: &Effect) -> Result<Value, Problem>;

    /// Looks whether an effect with this id has happened.
    async fn probe(&self, effect: &Effect) -> Result<Option<Value>, Problem>;
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub struct Intent<'a> {
    /// Names the effect within this visit.
    pub key: &'a str,
    pub kind: &'a str,
    pub target: &'a str,
    pub content: &'a [u8],
}

/// Does `intent` at most once, over any number of crashes, and returns the provider's receipt.
pub async fn perform(
    cx: &NodeCx,
    agent: &AgentName,
    intent: Intent<'_>,
    provider: &dyn EffectProvider,
) -> Result<Value, NodeError> {
    let cx = &cx.for_effect(intent.key);
    let entry = EffectWork { agent: agent.clone(), effect: intended(cx, &intent).await? };
    let effect = &entry.effect;
    journaled(cx, &entry, |attempt| async move {
        if attempt == Attempt::InDoubt
            && let Some(receipt) = probe(cx, agent, effect, provider).await?
        {
            return Ok(receipt);
        }
        match provider.perform(effect).await {
            Ok(receipt) => Ok(receipt),
            // An error does not say whether it happened: the answer may have been lost.
            Err(why) => match probe(cx, agent, effect, provider).await? {
                Some(receipt) => Ok(receipt),
                None => Err(NodeError::new(
                    "effect_failed",
                    why.about(format!("{} on {} did not happen", effect.kind, effect.target)),
                )),
            },
        }
    })
    .await
}

/// The effect as it was intended before, or a new one.
async fn intended(cx: &NodeCx, intent: &Intent<'_>) -> Result<Effect, NodeError> {
    let content_hash = format!("sha256:{}", hex(&Sha256::digest(intent.content)));
    let before = cx.past().await?.iter().find_map(|event| match &event.draft.kind {
        EventKind::Effect(EffectEvent::Intended(effect)) if effect.key == intent.key => Some(effect),
        _ => None,
    });
    match before {
        Some(effect) if effect.content_hash != content_hash => Err(NodeError::new(
            "effect_changed",
            format!(
                "{} on {} was started with other content; a person must decide which one to use",
                effect.kind, effect.target
            ),
        )),
        Some(effect) => Ok(effect.clone()),
        None => Ok(Effect {
            id: EffectId(cx.new_id()),
            key: intent.key.to_owned(),
            kind: intent.kind.to_owned(),
            target: intent.target.to_owned(),
            content_hash,
        }),
    }
}

/// Asks the provider; a provider that cannot be asked leaves the effect in doubt, and says so.
async fn probe(
    cx: &NodeCx,
    agent: &AgentName,
    effect: &Effect,
    provider: &dyn EffectProvider,
) -> Result<Option<Value>, NodeError> {
    match provider.probe(effect).await {
        Ok(receipt) => Ok(receipt),
        Err(why) => {
            let doubted = EffectEvent::Doubted { effect: effect.id, why: why.to_text() };
            cx.record(vec![cx.draft(agent, EventKind::Effect(doubted))]).await?;
            Err(NodeError::new(
                "effect_in_doubt",
                Problem::new(format!(
                    "it is unknown whether {} on {} happened ({why})",
                    effect.kind, effect.target
                ))
                .with_hint(why.hint.unwrap_or_else(|| "resume the run when the provider answers".to_owned())),
            ))
        }
    }
}

struct EffectWork {
    agent: AgentName,
    effect: Effect,
}

impl JournaledWork for EffectWork {
    type Value = Value;

    fn agent(&self) -> &AgentName {
        &self.agent
    }

    fn begun(&self) -> Option<EventKind> {
        Some(EventKind::Effect(EffectEvent::Intended(self.effect.clone())))
    }

    fn ended(&self, receipt: &Value) -> Vec<EventKind> {
        let done = EffectEvent::Done { effect: self.effect.id, receipt: receipt.clone() };
        vec![EventKind::Effect(done)]
    }

    fn find(&self, past: &[Event]) -> JournalState<Value> {
        let mut found = JournalState::Nothing;
        for event in past {
            match &event.draft.kind {
                EventKind::Effect(EffectEvent::Intended(effect)) if effect.id == self.effect.id => {
                    found = JournalState::Begun;
                }
                EventKind::Effect(EffectEvent::Done { effect, receipt }) if *effect == self.effect.id => {
                    return JournalState::Ended(receipt.clone());
                }
                _ => {}
            }
        }
        found
    }

    fn interrupted(&self) -> Interrupted<Value> {
        Interrupted::Ask
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
