//! Which files are opened, and which are left alone.

use super::*;
use amelia_core::problem::Problem;

#[tokio::test]
async fn what_was_acknowledged_is_there_after_opening_again() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    store
        .commit(
            run,
            Seq(1),
            Commit { drafts: vec![thought("x")], checkpoint: updates(2), ..Commit::default() },
        )
        .await
        .unwrap();
    let events = store.events(run, Seq::START, 9).await.unwrap();
    drop(store);
    let store = home.open().unwrap();
    assert_eq!(store.events(run, Seq::START, 9).await.unwrap(), events);
    assert_eq!(store.load(run, CheckpointAt::Latest).await.unwrap().unwrap().number, 2);
    store.verify().await.unwrap();
    let more = store.commit(
        run,
        Seq(2),
        Commit { drafts: vec![thought("y")], checkpoint: updates(3), ..Commit::default() },
    );
    assert_eq!(more.await.unwrap().checkpoint, Some(3));
}

#[tokio::test]
async fn a_second_process_is_refused_with_the_pid_of_the_first() {
    let home = Home::new();
    let store = home.open().unwrap();
    let refusal = home.refusal();
    assert_eq!(refusal, StoreError::Locked { path: home.file(), pid: std::process::id() });
    drop(store);
    home.open().unwrap();
}

#[tokio::test]
async fn anybody_may_look_while_somebody_writes() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    assert!(SqliteStore::is_owned(&home.file()));
    let looking = [SqliteStore::look(&home.file()).unwrap(), SqliteStore::look(&home.file()).unwrap()];
    store
        .commit(run, Seq(1), Commit { drafts: vec![thought("x")], checkpoint: None, ..Commit::default() })
        .await
        .unwrap();
    for looked in &looking {
        assert_eq!(looked.events(run, Seq::START, 9).await.unwrap().len(), 2);
        let refused = looked
            .commit(run, Seq(2), Commit { drafts: vec![thought("y")], checkpoint: None, ..Commit::default() })
            .await;
        assert_eq!(refused.err(), Some(StoreError::Closed));
    }
    drop(store);
    assert!(!SqliteStore::is_owned(&home.file()), "looking takes no lock");
    home.open().unwrap();
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let home = Home::new();
    fs::write(home.file(), "dear diary, today I wrote a text file and it is long enough").unwrap();
    let message = Problem::from(home.refusal()).to_text();
    assert!(
        message.contains("is damaged: it is not an SQLite database\n  hint: move the file away"),
        "{message}"
    );
    assert!(fs::read_to_string(home.file()).unwrap().starts_with("dear diary"));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let home = Home::new();
    home.tamper("CREATE TABLE songs (title TEXT)");
    let message = home.refusal().to_string();
    assert!(message.contains("it is a database of another program"), "{message}");
}

#[tokio::test]
async fn a_file_that_was_cut_short_is_named() {
    let home = Home::new();
    let store = home.open().unwrap();
    begin(&store).await;
    drop(store);
    let size = fs::metadata(home.file()).unwrap().len();
    fs::OpenOptions::new().write(true).open(home.file()).unwrap().set_len(size - 4096).unwrap();
    let message = home.refusal().to_string();
    assert!(message.contains(&format!("it is truncated: {} bytes of {size}", size - 4096)), "{message}");
}

#[tokio::test]
async fn a_file_with_a_broken_page_is_named() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    drop(store);
    let mut bytes = fs::read(home.file()).unwrap();
    bytes[4096..].fill(0xAB);
    fs::write(home.file(), bytes).unwrap();
    // The schema is on the first page and whole: it opens, and says so when the damage is met.
    let problem = match home.open() {
        Err(problem) => problem,
        Ok(store) => {
            assert!(matches!(store.verify().await, Err(StoreError::Damaged { .. })));
            store.events(run, Seq::START, 9).await.unwrap_err()
        }
    };
    assert!(matches!(problem, StoreError::Damaged { .. }), "{problem}");
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_not_touched() {
    let home = Home::new();
    drop(home.open().unwrap());
    home.tamper("PRAGMA user_version = 99");
    assert_eq!(home.refusal(), StoreError::TooNew { path: home.file(), found: 99, known: 7 });
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let refusal =
        SqliteStore::open(Path::new("/proc/amelia/amelia.db"), SqliteOptions::default()).err().unwrap();
    assert!(matches!(refusal, StoreError::ReadOnly { .. }), "{refusal}");
    let home = Home::new();
    fs::write(home.0.path().join("file"), "").unwrap();
    let below = home.0.path().join("file/amelia.db");
    let refusal = SqliteStore::open(&below, SqliteOptions::default()).err().unwrap();
    assert!(matches!(refusal, StoreError::ReadOnly { .. } | StoreError::Io { .. }), "{refusal}");
}

#[test]
fn the_schema_is_made_from_nothing() {
    let home = Home::new();
    drop(home.open().unwrap());
    let database = Connection::open(home.file()).unwrap();
    let sql = "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name)";
    let names: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(
        names,
        "checkpoints checkpoints_of_run claims claims_of_run documents effects effects_of_run events events_of_run frames frames_of_run memories memories_of_space memories_that_expire memories_with_key memories_without_key memory_changes memory_is_gone memory_sources removed_runs runs runs_unfinished snapshots_of_run sources_of_summary summary_is_gone versions_of_document versions_of_memory"
    );
    let sql = "SELECT 1 FROM pragma_journal_mode WHERE journal_mode = 'wal'";
    assert_eq!(database.query_row(sql, [], |row| row.get::<_, i64>(0)), Ok(1));
}

#[tokio::test]
async fn a_closed_store_can_be_opened_again_at_once() {
    let home = Home::new();
    let store = home.open().unwrap();
    let run = begin(&store).await;
    store.close().await.unwrap();
    assert_eq!(store.run(run).await, Err(StoreError::Closed));
    home.open().unwrap();
}

#[tokio::test]
async fn the_files_are_private_in_a_directory_that_everyone_can_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    fs::set_permissions(home.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let modes = || {
        ["amelia.db", "amelia.db-wal", "amelia.db-shm"].map(|name| {
            let found = fs::metadata(home.0.path().join(name)).unwrap();
            format!("{name} {:o}", found.permissions().mode() & 0o777)
        })
    };
    let private = ["amelia.db 600", "amelia.db-wal 600", "amelia.db-shm 600"];
    let store = home.open().unwrap();
    begin(&store).await;
    assert_eq!(modes(), private);
    drop(store);
    // As an earlier version made them.
    let file = home.file();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let store = home.open().unwrap();
    begin(&store).await;
    assert_eq!(modes(), private);
}
