//! Following a run from the terminal: shown as it happens, answered when somebody is there, until it ends or waits for
//! somebody who is not.

mod conclusion;
mod life;

use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::{RequestId, RunId};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::human::{Respond, ResponseType};
use amelia_wire::rest::order::Accepted;
use anyhow::Result;

use crate::client::Client;
use crate::terminal::{Said, Terminal};
use crate::ui;

pub(crate) use conclusion::conclude;
pub(crate) use life::{Ended, OnInterrupt};

/// How a run stood before it was told to go on, and which of its questions were answered then.
pub(crate) struct Told {
    pub(crate) row: RunRow,
    pub(crate) answered: Vec<RequestId>,
}

impl Told {
    /// Told to go on, without an answer to anything.
    pub(crate) fn to_go_on(row: RunRow) -> Self {
        Self { row, answered: Vec::new() }
    }
}

/// How a run is followed.
pub(crate) struct Follow<'a> {
    pub(crate) client: &'a Client,
    pub(crate) terminal: &'a Terminal,
    pub(crate) on_interrupt: OnInterrupt,
    /// Approve what is asked, and go on.
    pub(crate) auto: bool,
}

impl Follow<'_> {
    /// Shows what happens after a run was told something, until it ends or waits for somebody who is not here.
    pub(crate) async fn go(&self, mut told: Told) -> Result<Ended> {
        loop {
            let ended = self.until_rest(told).await?;
            let Ended::Rested(row) = ended else { return Ok(ended) };
            match self.answer(&row).await? {
                None => return Ok(Ended::Rested(row)),
                Some(answered) => told = Told { row, answered: vec![answered] },
            }
        }
    }

    /// The same, from the beginning of a run.
    pub(crate) async fn whole(&self, run: RunId) -> Result<Ended> {
        let mut row = self.client.row(run).await?;
        row.view = amelia_core::view::RunView::default();
        self.go(Told::to_go_on(row)).await
    }

    /// Answers what a run waits for, if somebody here can.
    async fn answer(&self, row: &RunRow) -> Result<Option<RequestId>> {
        let RunStatus::Waiting(kind) = row.view.status else { return Ok(None) };
        let Some(request) = row.view.pending.iter().find(|request| request.kind == kind) else {
            return Ok(None);
        };
        let yes = Respond { response_type: ResponseType::Approved, response_data: None, message: None };
        let answer = match kind {
            HumanKind::Approval if self.auto && !has_problems(request) => Some(yes),
            HumanKind::Approval if self.terminal.is_interactive() => self.decided(row, request, yes).await?,
            HumanKind::Question if self.terminal.is_interactive() => {
                let words = self.terminal.ask(request).await?;
                words.map(|words| Respond { message: Some(words), ..yes })
            }
            _ => None,
        };
        match answer {
            None => Ok(None),
            Some(answer) => {
                respond(self.client, row.run.id, request, &answer).await?;
                Ok(Some(request.id))
            }
        }
    }

    async fn decided(&self, row: &RunRow, request: &HumanRequest, yes: Respond) -> Result<Option<Respond>> {
        if let Some(plan) = plan(self.client, row.run.id).await? {
            anstream::println!("\n{}\n", ui::clean(&plan));
        }
        Ok(match self.terminal.ask_whether(request).await? {
            Said::Yes => Some(yes),
            Said::Words(words) => {
                Some(Respond { response_type: ResponseType::Rejected, message: Some(words), ..yes })
            }
            Said::Nothing => None,
        })
    }
}

/// Answers one question of a run. Durable when it returns `Ok`.
pub(crate) async fn respond(
    client: &Client,
    run: RunId,
    request: &HumanRequest,
    answer: &Respond,
) -> Result<()> {
    let path = format!("/workflows/{run}/hitl/{}/respond", request.id);
    client.post::<Accepted>(&path, answer).await.map(|_| ())
}

/// The plan of a run in Markdown, when it has one.
pub(crate) async fn plan(client: &Client, run: RunId) -> Result<Option<String>> {
    let shown: serde_json::Value = client.get(&format!("/workflows/{run}")).await?;
    let markdown = shown.pointer("/state/draft/markdown").and_then(serde_json::Value::as_str);
    Ok(markdown.map(str::to_owned))
}

/// A plan that the validator refused is for a person to decide about: saying yes to it would only bring it back.
fn has_problems(request: &HumanRequest) -> bool {
    request
        .context
        .get("problems")
        .and_then(serde_json::Value::as_array)
        .is_some_and(|problems| !problems.is_empty())
}
