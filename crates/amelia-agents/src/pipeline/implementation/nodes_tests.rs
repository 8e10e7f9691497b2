use std::sync::Arc;

use amelia_core::config::profile::Profile;

use super::*;
use crate::testing::place::deps;
use crate::testing::{Log, ScriptedDriver, hears, planned, visit};

fn remark(id: &str, words: &str) -> PersonRemark {
    PersonRemark { id: id.to_owned(), words: words.to_owned(), ..PersonRemark::default() }
}

#[tokio::test]
async fn what_no_developer_has_heard_is_known_at_the_end() {
    let deps = deps(&Arc::default(), &ScriptedDriver::new([]), Profile::default());
    let answered = PersonRemark { asked: "continue?".to_owned(), ..remark("3", "Yes.") };
    let told = vec![remark("id of Use tabs.", "Use tabs."), remark("2", "Rename it."), answered];
    let state = Implementation { told, ..planned(2, "") };
    let log: Arc<Log> = Arc::default();
    assert_eq!(unfollowed(&visit(&log).await, &deps, &state).await.unwrap(), Vec::<String>::new(), "a fork");
    hears(&visit(&log).await.thread("task 2 again"), &deps.roles.developer.name, "Use tabs.").await;
    assert_eq!(unfollowed(&visit(&log).await, &deps, &state).await.unwrap(), ["Rename it."]);
}
