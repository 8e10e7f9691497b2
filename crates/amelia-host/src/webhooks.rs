//! Notifications to other programs: a request when a run needs a person, has completed or has failed. Each is sent at
//! least once, also over restarts of the server, and may be given up after some tries.

mod config;
mod message;
mod sending;

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::service::{RunService, RunWorktree};
use amelia_wire::rest::flat_run::FlatRun;
use amelia_wire::rest::why::Worker;
use anyhow::Result;

use self::config::Webhook;
use self::message::{Notice, body};
use self::sending::Sender;
use crate::home::Home;
use crate::keys::Keys;

/// The webhooks of a home, ready to be served.
pub struct Webhooks {
    hooks: Vec<(Webhook, Sender)>,
    /// Where is noted what each has been sent.
    notes: PathBuf,
}

impl Webhooks {
    /// Those in `config/webhooks.yaml`, with their keys.
    pub fn read(home: &Home) -> Result<Self> {
        let hooks = config::read(&home.path().join("config").join("webhooks.yaml"))?;
        let named: Vec<&str> = hooks.iter().flat_map(Webhook::variables).collect();
        let keys = Keys::gather(home, &named)?;
        let senders = hooks.iter().map(|hook| Sender::new(hook, &keys)).collect::<Result<Vec<_>>>()?;
        Ok(Self { hooks: hooks.into_iter().zip(senders).collect(), notes: home.path().join("webhooks") })
    }

    /// Sends notifications for as long as it is polled, and never ends: the server outlives its webhooks. `dashboard` is
    /// the address of the pages.
    pub async fn serve(
        self,
        orchestrator: &Orchestrator,
        service: &Arc<dyn RunService>,
        dashboard: &str,
    ) -> Infallible {
        if let Err(error) = self.follow(orchestrator, service, dashboard).await {
            tracing::error!("no more notifications are sent until the server starts again: {error:#}");
        }
        std::future::pending().await
    }

    async fn follow(
        &self,
        orchestrator: &Orchestrator,
        service: &Arc<dyn RunService>,
        dashboard: &str,
    ) -> Result<()> {
        if self.hooks.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(&self.notes)?;
        let each = self.hooks.iter().map(|(hook, sender)| {
            let note = self.notes.join(sender.name());
            Follower { hook, sender, note, orchestrator, service, dashboard }.follow()
        });
        futures_util::future::try_join_all(each).await.map(drop)
    }
}

/// One webhook at work. A slow one does not hold up the others.
struct Follower<'a> {
    hook: &'a Webhook,
    sender: &'a Sender,
    note: PathBuf,
    orchestrator: &'a Orchestrator,
    service: &'a Arc<dyn RunService>,
    dashboard: &'a str,
}

impl Follower<'_> {
    async fn follow(self) -> Result<()> {
        let store = Arc::clone(self.orchestrator.runs().store());
        let noted = std::fs::read_to_string(&self.note).ok().and_then(|text| text.trim().parse().ok());
        let cursor = match noted {
            Some(cursor) => cursor,
            // A new one hears of what happens from now on.
            None => store.end().await?,
        };
        let mut feed = self.orchestrator.feed(cursor);
        loop {
            let (cursor, event) = feed.next().await?;
            let Some(notice) = Notice::of(&event).filter(|notice| self.hook.wants(notice.kind)) else {
                continue;
            };
            if let Some(row) = store.run(event.run).await? {
                let RunWorktree { worktree, branch } = self.service.whereabouts(&row);
                let worktree = worktree.map(|path| path.display().to_string());
                let run = FlatRun::new(&row, &Worker::None, worktree, branch);
                let url = format!("{}/ui/runs/{}", self.dashboard, row.run.id);
                self.sender.send(&notice, &body(self.hook.format, &notice, &row, &run, &url)).await;
            }
            // After it was sent: a kill in between sends it once more, with the same delivery id.
            if let Err(error) = std::fs::write(&self.note, cursor.to_string()) {
                tracing::warn!(
                    "{} cannot be written, so a notification may come twice: {error}",
                    self.note.display()
                );
            }
        }
    }
}
