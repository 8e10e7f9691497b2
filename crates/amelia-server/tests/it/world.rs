//! A server with everything behind it, on a port of its own, that can be stopped and started again.

use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use amelia_core::clock::SystemClock;
use amelia_core::config::secret::Secret;
use amelia_core::config::server::ServerConfig;
use amelia_core::id::{RunId, Seq};
use amelia_core::run::RunStatus;
use amelia_core::store::Store;
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::prompts::PromptBook;
use amelia_orchestrator::runs::Runs;
use amelia_orchestrator::settings::Profiles;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_server::{RenewToken, ServeError, ServerParts, Ui, serve};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use axum::Router;
use axum::routing::get;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

use crate::counted::CountedStore;
use crate::mcp::Echo;
use crate::toys::{ToyRunService, Toys};

pub(crate) const TOKEN: &str = "a-token-that-nobody-guesses";
/// The one that comes after it.
pub(crate) const NEW_TOKEN: &str = "another-that-nobody-guesses";

pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) config: ServerConfig,
    pub(crate) gate: Arc<Semaphore>,
    /// A permit for every order called `held` that has come.
    pub(crate) held: Arc<Semaphore>,
    pub(crate) all: Orchestrator,
    pub(crate) address: SocketAddr,
    /// What a new token will be; the same again, unless a test says otherwise.
    pub(crate) next_token: Arc<Mutex<&'static str>>,
    /// Events of runs that were read from the store so far.
    pub(crate) events_read: Arc<AtomicUsize>,
    store: Arc<SqliteStore>,
    client: Client,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(ServerConfig::default()).await
    }

    pub(crate) async fn with(config: ServerConfig) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("tree")).unwrap();
        std::fs::write(home.path().join("tree/inside.txt"), "inside").unwrap();
        std::fs::write(home.path().join("secret.txt"), "secret").unwrap();
        Self::on(home, config, Ui::default()).await
    }

    /// With a dashboard.
    pub(crate) async fn with_ui(ui: Ui) -> Self {
        Self::on(tempfile::tempdir().unwrap(), ServerConfig::default(), ui).await
    }

    /// With tokens of its own.
    pub(crate) async fn renewing(renew: RenewToken) -> Self {
        Self::made(tempfile::tempdir().unwrap(), ServerConfig::default(), Ui::default(), Some(renew)).await
    }

    async fn on(home: TempDir, config: ServerConfig, ui: Ui) -> Self {
        Self::made(home, config, ui, None).await
    }

    async fn made(home: TempDir, config: ServerConfig, ui: Ui, renew: Option<RenewToken>) -> Self {
        rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
        let store =
            Arc::new(SqliteStore::open(&home.path().join("amelia.db"), SqliteOptions::default()).unwrap());
        let gate = Arc::new(Semaphore::new(0));
        let events_read = Arc::<AtomicUsize>::default();
        let counted = CountedStore { inner: Arc::clone(&store), read: Arc::clone(&events_read) };
        let runs = Runs::new(Arc::new(counted), Arc::new(SystemClock));
        let all = Orchestrator::new(runs, Arc::new(Toys(Arc::clone(&gate))), 3);
        all.recover().await.unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let worktree = home.path().join("tree");
        let next_token = Arc::new(Mutex::new(TOKEN));
        let held = Arc::new(Semaphore::new(0));
        let service = Arc::new(ToyRunService {
            store: Arc::clone(&store) as Arc<_>,
            worktree,
            held: Arc::clone(&held),
            gate: Arc::clone(&gate),
        });
        let state = ServerParts {
            orchestrator: all.clone(),
            service: Arc::clone(&service) as Arc<_>,
            profiles: Profiles::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            prompts: PromptBook::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            definitions: StoredDefinitions::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            config: config.clone(),
            token: Secret::new(TOKEN),
            renew_token: renew.unwrap_or_else(|| {
                let next = Arc::clone(&next_token);
                Arc::new(move || Ok(Secret::new(*next.lock().unwrap())))
            }),
            home: home.path().to_owned(),
            is_default_home: true,
            is_demo: false,
            machine: Arc::clone(&service) as Arc<_>,
            ui,
            version: "1.2.3".to_owned(),
            clock: Arc::new(SystemClock),
            retention_policy: Arc::new(|| Ok(None)),
            address,
            names: vec!["amelia.test".to_owned()],
            mcp: Some(Arc::new(Echo)),
            beside: Some(Router::new().route("/proxy/open", get(async || "beside"))),
        };
        let (stop, stopped) = oneshot::channel();
        let shutdown = async move { drop(stopped.await) };
        let server = tokio::spawn(serve(listener, state, shutdown));
        let client =
            Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { home, config, gate, held, all, address, next_token, events_read, store, client, stop, server }
    }

    /// Ends the process, as far as anybody can see, and starts the next one on the same home.
    pub(crate) async fn restart(self) -> Self {
        let Self { home, config, all, store, stop, server, .. } = self;
        stop.send(()).unwrap();
        server.await.unwrap().unwrap();
        all.close().await;
        store.close().await.unwrap();
        Self::on(home, config, Ui::default()).await
    }

    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.server.await.unwrap().unwrap();
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Without a token.
    pub(crate) fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path)).timeout(Duration::from_secs(30))
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).bearer_auth(TOKEN)
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> (StatusCode, Value) {
        let request = self.request(method, path);
        answer(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    pub(crate) async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        self.send(Method::POST, path, Some(body)).await
    }

    pub(crate) async fn post_to(&self, run: RunId, what: &str) -> (StatusCode, Value) {
        self.send(Method::POST, &format!("/api/workflows/{run}/{what}"), None).await
    }

    /// What `get` shows, which must be there.
    pub(crate) async fn shown(&self, path: &str) -> Value {
        let (status, body) = self.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        body
    }

    /// An order for a toy of this name.
    pub(crate) fn order(&self, title: &str) -> Value {
        json!({"title": title, "worktree_path": self.home.path()})
    }

    pub(crate) async fn start(&self, title: &str) -> RunId {
        let (status, body) = self.post("/api/workflows", self.order(title)).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        body["id"].as_str().unwrap().parse().unwrap()
    }

    /// Waits for a status by the log, not by the clock.
    pub(crate) async fn until(&self, run: RunId, wanted: fn(RunStatus) -> bool) -> RunRow {
        self.until_row(run, |row| wanted(row.view.status)).await
    }

    async fn until_row(&self, run: RunId, wanted: impl Fn(&RunRow) -> bool) -> RunRow {
        let mut log = self.all.watch(run, Seq::START);
        let found = async {
            loop {
                let row = self.all.runs().store().run(run).await.unwrap().unwrap();
                if wanted(&row) {
                    return row;
                }
                log.next().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(20), found).await.expect("the status was not reached")
    }

    pub(crate) async fn until_it_waits(&self, run: RunId) -> RunRow {
        self.until(run, |status| matches!(status, RunStatus::Waiting(_))).await
    }

    pub(crate) async fn until_it_works(&self, run: RunId) -> RunRow {
        // Entered, too: what comes next in its log is its own doing.
        self.until_row(run, |row| row.view.active_nodes().next().is_some()).await
    }

    pub(crate) async fn finish_both(&self, one: RunId, two: RunId) {
        self.gate.add_permits(2);
        for run in [one, two] {
            self.until(run, |status| status == RunStatus::Completed).await;
        }
    }

    /// A file of a run, as text.
    pub(crate) async fn bare_file(&self, run: RunId, path: &str) -> (StatusCode, String) {
        let path = format!("/api/workflows/{run}/files?path={path}");
        let response = self.request(Method::GET, &path).send().await.unwrap();
        (response.status(), response.text().await.unwrap())
    }

    pub(crate) async fn finish(&self, run: RunId) {
        self.gate.add_permits(1);
        self.until(run, |status| status == RunStatus::Completed).await;
    }
}

/// Status and body; an answer without a body is null.
pub(crate) async fn answer(request: RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.unwrap();
    let status = response.status();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::Null))
}

/// The code of a refusal, which must have the one shape.
pub(crate) fn code(body: &Value) -> &str {
    assert!(body["request_id"].is_string() && body["error"]["message"].is_string(), "{body}");
    body["error"]["code"].as_str().unwrap()
}
