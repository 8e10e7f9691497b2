//! What a run meets: the world, or a recording of it. The only difference between a run and its replay.

use std::sync::Arc;

use amelia_core::budget::{BudgetGate, BudgetScope};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::recording::{Channel, Playback, Tape};
use amelia_core::redact::Redactor;
use amelia_core::tool::{ToolBox, ToolSpec, WorkArea};
use amelia_core::tracker::Tracker;
use amelia_core::workplace::{Rights, Workplace};
use amelia_drivers::attached_images::{AttachedImages, AttachingLauncher, AttachingTransport};
use amelia_drivers::model::{ModelTransport, Network, PlayedTransport, TapedTransport};
use amelia_drivers::program::{Launcher, Played, Taped};
use amelia_drivers::quota::{QuotaGate, QuotaRegistry};
use amelia_drivers::user_messages::{LiveUserMessages, PlayedUserMessages, UserMessageSource};

use crate::recording::place::TapedPlace;
use crate::recording::played_place::{PlayedPlace, PlayedWorld};
use crate::recording::tools::PlayedTools;
use crate::recording::tracker::{PlayedTracker, TapedTracker};
use crate::workplace::GitWorkplace;

/// The world, or a recording.
#[derive(Clone, Default)]
pub enum RunEnvironment {
    #[default]
    Live,
    Replay(Arc<PlayedWorld>),
}

impl RunEnvironment {
    pub fn clock(&self) -> Arc<dyn Clock> {
        match self {
            Self::Live => Arc::new(SystemClock),
            Self::Replay(stage) => Arc::clone(&stage.clock),
        }
    }

    /// Starts nothing, asks nothing and needs no key.
    pub fn is_played(&self) -> bool {
        matches!(self, Self::Replay(_))
    }

    /// What is played.
    pub(crate) fn playback(&self) -> Option<Arc<Playback>> {
        match self {
            Self::Live => None,
            Self::Replay(stage) => Some(Arc::clone(&stage.playback)),
        }
    }

    /// The way to models. What goes over it is kept, without the data of images.
    pub fn transport(
        &self,
        client: &reqwest::Client,
        redactor: &Arc<Redactor>,
        images: &AttachedImages,
    ) -> Arc<dyn ModelTransport> {
        match self {
            Self::Live => {
                let (inner, images) = (Network::transport(client.clone()), images.clone());
                let inner = Arc::new(AttachingTransport { inner, images });
                Arc::new(TapedTransport::new(inner, Arc::clone(redactor)))
            }
            Self::Replay(stage) => Arc::new(PlayedTransport::new(Arc::clone(&stage.playback))),
        }
    }

    /// How people are heard between the turns of a model.
    pub fn user_messages(&self, redactor: &Arc<Redactor>) -> Arc<dyn UserMessageSource> {
        match self {
            Self::Live => Arc::new(LiveUserMessages(Arc::clone(redactor))),
            Self::Replay(stage) => Arc::new(PlayedUserMessages(Arc::clone(&stage.playback))),
        }
    }

    /// Who pays. What limits refuse is kept.
    pub fn budget_gate(&self, budget_scope: BudgetScope) -> BudgetGate {
        match self {
            Self::Live => BudgetGate::live(budget_scope),
            Self::Replay(stage) => BudgetGate::played(Arc::clone(&stage.playback)),
        }
    }

    /// Whether an account is used up. What is held back is kept.
    pub fn quota(&self, quotas: &Arc<QuotaRegistry>, account: String) -> QuotaGate {
        match self {
            Self::Live => QuotaGate::live(quotas, account),
            Self::Replay(stage) => QuotaGate::played(Arc::clone(&stage.playback)),
        }
    }

    /// What starts programs. What they say is kept, and what they get without the data of images.
    pub fn launcher(
        &self,
        live: Arc<dyn Launcher>,
        redactor: &Arc<Redactor>,
        images: &AttachedImages,
    ) -> Arc<dyn Launcher> {
        match self {
            Self::Live => {
                let inner = Arc::new(AttachingLauncher { inner: live, images: images.clone() });
                Arc::new(Taped { inner, redactor: Arc::clone(redactor) })
            }
            Self::Replay(stage) => Arc::new(Played { playback: Arc::clone(&stage.playback) }),
        }
    }

    /// The place of work. `live` makes the real one.
    pub(crate) async fn place<E>(
        &self,
        tape: &Arc<dyn Tape>,
        redactor: &Arc<Redactor>,
        live: impl Future<Output = Result<GitWorkplace, E>>,
    ) -> Result<Arc<dyn Workplace>, E> {
        let channel = Channel::new(Arc::clone(tape), "place");
        Ok(match self {
            Self::Live => Arc::new(TapedPlace::new(live.await?, channel, Arc::clone(redactor))),
            Self::Replay(stage) => Arc::new(PlayedPlace::open(Arc::clone(stage), channel).await),
        })
    }

    /// Tools of MCP servers and programs of the user's. `live` makes the real ones.
    pub(crate) fn foreign_tools<E>(
        &self,
        specs: &[ToolSpec],
        place: &dyn Workplace,
        live: impl FnOnce() -> Result<Arc<dyn ToolBox>, E>,
    ) -> Result<Arc<dyn ToolBox>, E> {
        match self {
            Self::Live => live(),
            Self::Replay(stage) => {
                let work_area = WorkArea::new(place.path().to_owned(), Rights::Work);
                let results = Arc::clone(&stage.results);
                Ok(Arc::new(PlayedTools { specs: specs.to_vec(), work_area, results }))
            }
        }
    }

    /// The tracker. `live` makes the real one.
    pub async fn tracker<E>(
        &self,
        tape: &Arc<dyn Tape>,
        redactor: &Arc<Redactor>,
        live: impl Future<Output = Result<Arc<dyn Tracker>, E>>,
    ) -> Result<Arc<dyn Tracker>, E> {
        let channel = Channel::new(Arc::clone(tape), "tracker");
        Ok(match self {
            Self::Live => {
                Arc::new(TapedTracker { inner: live.await?, channel, redactor: Arc::clone(redactor) })
            }
            Self::Replay(stage) => Arc::new(PlayedTracker { playback: Arc::clone(&stage.playback), channel }),
        })
    }
}
