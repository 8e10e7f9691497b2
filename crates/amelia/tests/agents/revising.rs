//! A plan that a person sends back: the program that wrote it is shown it again. It was ended by handing it in, and has
//! dropped the call from its conversation.

use crate::crew::{By, Cast};
use crate::world::{text, until};

#[test]
fn claude_sees_the_plan_that_it_is_to_revise() {
    let Some(cast) = Cast::new([By::Claude; 3], "") else { return };
    let world = &cast.world;
    let mut server = cast.serving();
    let order = world.amelia(&["start", "S-1", "--title", "It does not add", "--no-autostart"]);
    assert!(order.status.success(), "{}", text(&order.stderr));
    let is_asked = || cast.status()["waiting"] == "approval";
    until("the plan is there", is_asked);
    let sent_back = world.amelia(&["reject", "--feedback", "Make it smaller.", "--no-autostart"]);
    assert!(sent_back.status.success(), "{}", text(&sent_back.stderr));
    let told = || world.server.requests().into_iter().map(|request| request.body.to_string());
    let told = || told().find(|body| body.contains("Make it smaller."));
    until("the Architect was asked again", || told().is_some() && is_asked());
    server.kill().unwrap();
    server.wait().unwrap();
    let told = told().unwrap();
    let quoted = told.matches("Replace the minus").count();
    assert_eq!(quoted, 1, "{told}");
}
