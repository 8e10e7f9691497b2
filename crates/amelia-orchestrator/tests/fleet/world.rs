//! An orchestrator over a store in memory, whose runs are assembled by the toys of a test.

use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::SystemClock;
use amelia_core::human::HumanReply;
use amelia_core::id::{GraphName, RequestId, RunId, Seq};
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::Store as _;
use amelia_core::view::RunRow;
use amelia_orchestrator::orchestrator::{Assembler, Orchestrator, StartMode};
use amelia_orchestrator::runs::Runs;
use amelia_store::memory::MemoryStore;

pub(crate) struct World<T> {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) toys: Arc<T>,
    pub(crate) all: Orchestrator,
}

impl<T: Assembler + Default + 'static> World<T> {
    pub(crate) fn new(room: usize) -> Self {
        Self::on(Arc::new(MemoryStore::new()), room)
    }

    pub(crate) fn on(store: Arc<MemoryStore>, room: usize) -> Self {
        let toys = Arc::<T>::default();
        let runs = Runs::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock));
        let all = Orchestrator::new(runs, Arc::clone(&toys) as Arc<_>, room);
        Self { store, toys, all }
    }

    pub(crate) fn spec(title: &str) -> RunSpec {
        RunSpec::new(GraphName::new("toy").unwrap(), title)
    }

    pub(crate) async fn start(&self, title: &str) -> RunId {
        self.all.start(Self::spec(title), StartMode::Soon).await.unwrap()
    }

    pub(crate) async fn row(&self, run: RunId) -> RunRow {
        self.store.run(run).await.unwrap().unwrap()
    }

    pub(crate) async fn status(&self, run: RunId) -> RunStatus {
        self.row(run).await.view.status
    }

    /// Waits for a status by the log, not by the clock.
    pub(crate) async fn until(&self, run: RunId, wanted: fn(RunStatus) -> bool) -> RunRow {
        let mut log = self.all.watch(run, Seq::START);
        let found = async {
            loop {
                let row = self.row(run).await;
                if wanted(row.view.status) {
                    return row;
                }
                log.next().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(10), found).await.expect("the status was not reached")
    }

    pub(crate) async fn questions(&self, run: RunId) -> Vec<RequestId> {
        let row = self.until(run, |status| matches!(status, RunStatus::Waiting(_))).await;
        row.view.pending.iter().map(|request| request.id).collect()
    }

    pub(crate) async fn question(&self, run: RunId) -> RequestId {
        self.questions(run).await[0]
    }
}

pub(crate) fn yes(request: RequestId) -> HumanReply {
    HumanReply::go_on(request, jiff::Timestamp::now())
}
