//! What every command talks to: a server, over HTTP. It may be in this process, on this machine, or far away.

mod failure;
mod socket;

use std::collections::BTreeMap;
use std::time::Duration;

use amelia_core::config::secret::Secret;
use amelia_core::event::Event;
use amelia_core::human::HumanRequest;
use amelia_core::id::{RunId, RunNumber};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_host::local_server::LocalServer;
use amelia_host::presence::{Presence, known_token};
use amelia_wire::rest::Page;
use amelia_wire::rest::delivery::UndoneWay;
use amelia_wire::rest::estimate::CostEstimate;
use amelia_wire::rest::flat_run::FlatRun;
use amelia_wire::rest::outcome::RunOutcome;
use amelia_wire::rest::request::Accepted;
use amelia_wire::rest::run::{RunDetail, StoredRun};
use amelia_wire::rest::travel::Diff;
use amelia_wire::rest::why::Worker;
use anyhow::{Context, Result};
use parking_lot::Mutex;
use reqwest::header::ACCEPT;
use reqwest::{Method, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cli_error::{CliError, Exit};
use crate::ui;

pub(crate) use socket::Socket;

/// How long an answer may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
/// Runs with the same name that a person must distinguish.
const MOST_CANDIDATES: usize = 20;
/// Events of the past in which a call that has not returned is looked for.
const RECALLED: u64 = 200;
/// More than any answer of ours.
const LARGEST_ANSWER: usize = 256 * 1024 * 1024;

/// The one run that `text` can mean.
pub(crate) fn only(text: &str, mut fits: Vec<RunRow>) -> Result<RunRow, CliError> {
    match (fits.len(), fits.pop()) {
        (1, Some(row)) => Ok(row),
        (0, _) | (_, None) => {
            let refusal = CliError::new(Exit::NotFound, format!("no run is called `{text}`"));
            Err(refusal.with_hint("`amelia status` lists the runs"))
        }
        (_, Some(oldest)) => {
            fits.push(oldest);
            Err(CliError::new(Exit::Usage, ambiguous(text, &fits)).with_hint("name one of them"))
        }
    }
}

/// A message that lists the runs that `text` can mean.
fn ambiguous(text: &str, rows: &[RunRow]) -> String {
    let lines = rows.iter().map(|row| {
        let title = ui::one_line(&row.run.spec.title);
        format!("\n  {:<6} {:<17} {title}", row.run.number.to_string(), row.view.status.to_string())
    });
    format!("`{text}` can mean several runs:{}", lines.collect::<String>())
}

/// A connection to a server.
pub(crate) struct Client {
    http: reqwest::Client,
    /// Without a slash at its end. It changes when a server of this home is started anew.
    base: Mutex<String>,
    token: Mutex<Secret>,
    /// The home whose server it is, unless the server was named.
    home: Option<Home>,
    /// The server itself, when it is in this process.
    local: Option<LocalServer>,
    /// What people call the runs that it has seen: a server names them by their long ids.
    seen: Mutex<BTreeMap<RunId, RunNumber>>,
}

impl Client {
    /// A server by its address.
    pub(crate) fn new(base: &str, token: Secret) -> Result<Self> {
        let base = base.trim_end_matches('/');
        let timeouts = amelia_drivers::model::Timeouts::default();
        Ok(Self {
            http: amelia_drivers::model::client_for(base, timeouts)?,
            base: Mutex::new(base.to_owned()),
            token: Mutex::new(token),
            home: None,
            local: None,
            seen: Mutex::default(),
        })
    }

    /// The server of a home.
    pub(crate) fn of_home(home: &Home, found: &Presence) -> Result<Self> {
        Ok(Self { home: Some(home.clone()), ..Self::new(&found.url, known_token(home))? })
    }

    /// The variables with keys that have another value in this shell than in the server of the home.
    pub(crate) fn changed_keys(&self) -> Vec<String> {
        let found = self.home.as_ref().and_then(Presence::of);
        found.map(|found| found.keys.changed_here()).unwrap_or_default()
    }

    /// Looks where the server is now, and which token counts there.
    pub(crate) fn look_again(&self) {
        let Some(home) = &self.home else { return };
        if let Some(found) = Presence::of(home).or_else(|| Presence::of_command(home)) {
            *self.base.lock() = found.url;
            *self.token.lock() = known_token(home);
        }
    }

    /// A server in this process, which ends with the connection.
    pub(crate) fn of_local(server: LocalServer) -> Result<Self> {
        let client = Self::new(&server.url, server.token.clone())?;
        Ok(Self { local: Some(server), ..client })
    }

    /// Whether the runs end their work with this process.
    pub(crate) fn is_local(&self) -> bool {
        self.local.is_some()
    }

    /// What signs in there.
    pub(crate) fn token(&self) -> Secret {
        self.token.lock().clone()
    }

    /// Where it is.
    pub(crate) fn base(&self) -> String {
        self.base.lock().clone()
    }

    /// Ends what is in this process.
    pub(crate) async fn close(self) -> Result<()> {
        match self.local {
            Some(server) => server.close().await,
            None => Ok(()),
        }
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.answer(self.request(Method::GET, path)).await
    }

    /// The plan of a run, in Markdown.
    pub(crate) async fn plan(&self, run: RunId) -> Result<String> {
        let request = self.request(Method::GET, &format!("/workflows/{run}/plan"));
        let request = request.header(ACCEPT, "text/markdown").timeout(REQUEST_TIMEOUT);
        let text = self.body(self.send(request).await?).await?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// What is no JSON, whole.
    pub(crate) async fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        let request = self.request(Method::GET, path).timeout(REQUEST_TIMEOUT);
        self.body(self.send(request).await?).await
    }

    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.answer(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &impl Serialize) -> Result<Value> {
        self.answer(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<()> {
        self.send(self.request(Method::DELETE, path)).await.map(|_| ())
    }

    /// Creates a run. The same key again is the same run.
    pub(crate) async fn create(
        &self,
        path: &str,
        order: &impl Serialize,
        key: Option<&str>,
    ) -> Result<RunId> {
        let mut request = self.request(Method::POST, path).json(order);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let accepted: Accepted = self.answer(request).await?;
        Ok(RunId(accepted.id))
    }

    /// Tells a run something that needs no words.
    pub(crate) async fn tell(&self, run: RunId, what: &str) -> Result<()> {
        self.post::<Accepted>(&format!("/workflows/{run}/{what}"), &json!({})).await.map(|_| ())
    }

    pub(crate) async fn row(&self, run: RunId) -> Result<RunRow> {
        let row: RunRow = self.get(&format!("/workflows/{run}?format=row")).await?;
        self.seen.lock().insert(run, row.run.number);
        Ok(row)
    }

    /// What has come of a run, if it is completed.
    pub(crate) async fn outcome(&self, row: &RunRow) -> Result<Option<RunOutcome>> {
        if row.view.status != RunStatus::Completed {
            return Ok(None);
        }
        let detail: RunDetail = self.get(&format!("/workflows/{}", row.run.id)).await?;
        Ok(detail.outcome)
    }

    /// What the plan of a run that waits for approval will probably cost.
    pub(crate) async fn estimate(&self, run: RunId) -> Result<Option<CostEstimate>> {
        let detail: RunDetail = self.get(&format!("/workflows/{run}")).await?;
        Ok(detail.estimate)
    }

    /// The same in words, for a person: where the plan has no task, why there is none.
    pub(crate) async fn estimate_words(&self, row: &RunRow) -> Result<Option<String>> {
        if row.view.pending.iter().any(HumanRequest::is_about_empty_plan) {
            return Ok(Some("none, because the plan has no tasks".to_owned()));
        }
        Ok(self.estimate(row.run.id).await?.map(|estimate| estimate.text))
    }

    /// Whether a run has changed no files so far. One whose changes cannot be seen may have.
    pub(crate) async fn has_changed_nothing(&self, run: RunId) -> bool {
        let changes = self.get::<Diff>(&format!("/workflows/{run}/diff?stat=true")).await;
        changes.is_ok_and(|changes| changes.files.is_empty())
    }

    /// The last events of a run that a person has seen.
    pub(crate) async fn events_before(&self, row: &RunRow) -> Result<Vec<Event>> {
        let seq = row.view.seq.0;
        if seq == 0 {
            return Ok(Vec::new());
        }
        let after = seq.saturating_sub(RECALLED);
        let path = format!("/workflows/{}/events?format=log&limit={RECALLED}&after={after}", row.run.id);
        let page: Page<Event> = self.get(&path).await?;
        Ok(page.items.into_iter().filter(|event| event.seq.0 <= seq).collect())
    }

    /// Runs, newest first; `query` goes behind `?format=row&`.
    pub(crate) async fn rows(&self, query: &str) -> Result<Vec<RunRow>> {
        Ok(self
            .stored(query)
            .await?
            .into_iter()
            .map(|StoredRun { run, view, .. }| RunRow { run, view })
            .collect())
    }

    /// The same, and whether a worker runs them.
    pub(crate) async fn stored(&self, query: &str) -> Result<Vec<StoredRun>> {
        let page: Page<StoredRun> = self.get(&format!("/workflows?format=row&{query}")).await?;
        self.seen.lock().extend(page.items.iter().map(|stored| (stored.run.id, stored.run.number)));
        Ok(page.items)
    }

    /// Runs for scripts, newest first.
    pub(crate) async fn flat_runs(&self, query: &str) -> Result<Vec<FlatRun>> {
        let page: Page<FlatRun> = self.get(&format!("/workflows?format=flat&{query}")).await?;
        Ok(page.items)
    }

    /// One run for scripts.
    pub(crate) async fn flat(&self, run: RunId) -> Result<FlatRun> {
        self.get(&format!("/workflows/{run}?format=flat")).await
    }

    /// How the merge of a run was undone.
    pub(crate) async fn undone_merge(&self, run: RunId) -> Result<Option<UndoneWay>> {
        Ok(self.stored_run(run).await?.undone_merge)
    }

    /// A run with what its repository says of its merge.
    pub(crate) async fn stored_run(&self, run: RunId) -> Result<StoredRun> {
        self.get(&format!("/workflows/{run}?format=row")).await
    }

    /// What moves a run.
    pub(crate) async fn worker(&self, run: RunId) -> Result<Worker> {
        let stored: StoredRun = self.get(&format!("/workflows/{run}?format=row")).await?;
        Ok(stored.split().1)
    }

    /// The run that a person means: `r12`, its issue or branch, its id or the beginning of it.
    pub(crate) async fn find(&self, text: &str) -> Result<RunRow> {
        if let Ok(run) = text.trim().parse::<RunId>() {
            return self.row(run).await;
        }
        let reference: String = form_urlencoded::byte_serialize(text.trim().as_bytes()).collect();
        Ok(only(text, self.rows(&format!("limit={MOST_CANDIDATES}&reference={reference}")).await?)?)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}/api{path}", self.base())).bearer_auth(self.token().reveal())
    }

    async fn answer<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T> {
        let body = self.body(self.send(request.timeout(REQUEST_TIMEOUT)).await?).await?;
        serde_json::from_slice(&body).with_context(|| {
            Problem::new(format!("{} sent a response that this version does not understand", self.base()))
                .with_hint("use the same version on both sides")
        })
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response> {
        let response = request.send().await.map_err(|error| failure::unreachable(&self.base(), &error))?;
        if response.status().is_success() || response.status().as_u16() == 101 {
            return Ok(response);
        }
        let status = response.status().as_u16();
        // A body that breaks off leaves the status to tell.
        let body = self.body(response).await.unwrap_or_default();
        let refused = failure::refusal(status, &body, &self.seen.lock());
        // Of another machine's server nothing is known.
        let is_set =
            |name: &str| self.home.is_some() && std::env::var_os(name).is_some_and(|value| !value.is_empty());
        Err(failure::lacks_key_of_shell(refused, is_set).into())
    }

    /// The whole of an answer, unless it has no end.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let piece = response.chunk().await.map_err(|error| failure::unreachable(&self.base(), &error))?;
            let Some(piece) = piece else { return Ok(body) };
            body.extend_from_slice(&piece);
            if body.len() > LARGEST_ANSWER {
                let message = format!("the response of {} is too long", self.base());
                return Err(CliError::new(Exit::Failed, message).with_hint("check --server").into());
            }
        }
    }
}
