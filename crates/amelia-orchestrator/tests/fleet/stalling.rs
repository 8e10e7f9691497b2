//! A run whose log cannot be written, and what is said of it once it can.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use amelia_agents::live::Live;
use amelia_core::clock::SystemClock;
use amelia_core::event::run::RunFailure;
use amelia_core::id::{GraphName, RunId, Seq};
use amelia_core::recording::Tape;
use amelia_core::run::{RunSpec, RunStatus};
use amelia_core::store::{Commit, CommitReceipt, Store, StoreError, StoreFuture, StoreLayer};
use amelia_core::view::RunRow;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_orchestrator::orchestrator::{Assembler, Orchestrator, RunnableGraph, StartMode};
use amelia_orchestrator::runs::Runs;
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::toy::{Nothing, Toy};

/// A store on a disk that can be full.
#[derive(Default)]
struct Disk {
    store: MemoryStore,
    is_full: AtomicBool,
}

#[async_trait]
impl StoreLayer for Disk {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    fn commit(&self, run: RunId, after: Seq, commit: Commit) -> StoreFuture<CommitReceipt> {
        match self.is_full.load(Ordering::SeqCst) {
            true => Box::pin(async {
                Err(StoreError::Io { what: "the store".to_owned(), detail: "no space left".to_owned() })
            }),
            false => self.store.commit(run, after, commit),
        }
    }
}

/// Works until the gate lets it through.
struct Works(Arc<Semaphore>);

#[async_trait]
impl Node<Nothing> for Works {
    async fn run(&self, _: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        self.0.acquire().await.unwrap().forget();
        Ok(Outcome::Done(vec![]))
    }
}

struct Toys(Arc<Semaphore>);

#[async_trait]
impl Assembler for Toys {
    async fn assemble(
        &self,
        _: &RunRow,
        _: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        Ok(Toy::boxed(Works(Arc::clone(&self.0))))
    }
}

#[tokio::test]
async fn a_run_is_stalled_only_until_its_log_can_be_written_again() {
    for (is_resumed, expected) in [(true, RunStatus::Completed), (false, RunStatus::Cancelled)] {
        let (disk, gate) = (Arc::new(Disk::default()), Arc::new(Semaphore::new(0)));
        let runs = Runs::new(Arc::clone(&disk) as Arc<_>, Arc::new(SystemClock));
        let all = Orchestrator::new(runs, Arc::new(Toys(Arc::clone(&gate))), 1);
        let mut stalls = all.stalls();
        let spec = RunSpec::new(GraphName::new("toy").unwrap(), "works");
        let run = all.start(spec, StartMode::Soon).await.unwrap();
        let mut log = all.watch(run, Seq::START);
        while disk.store.run(run).await.unwrap().unwrap().view.active_nodes().next().is_none() {
            log.next().await.unwrap();
        }
        disk.is_full.store(true, Ordering::SeqCst);
        gate.add_permits(1);
        let told = stalls.recv().await.unwrap();
        assert!(told.run == run && told.failure.message.contains("no space left"), "{told:?}");
        all.wait_for_rest(run).await;
        assert!(all.stall(run).is_some(), "it stays until something can be written");
        // A command that cannot be written changes nothing about it.
        all.cancel(run).await.unwrap_err();
        assert!(all.stall(run).is_some());

        disk.is_full.store(false, Ordering::SeqCst);
        gate.add_permits(1);
        match is_resumed {
            true => all.launch(run).await.unwrap(),
            false => all.cancel(run).await.unwrap(),
        }
        all.wait_for_rest(run).await;
        assert_eq!(disk.store.run(run).await.unwrap().unwrap().view.status, expected);
        assert!(all.stall(run).is_none(), "its log says where it is: {expected:?}");
    }
}
