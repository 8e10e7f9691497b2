use amelia_core::human::HumanKind;

use super::*;
use crate::testing::request;

#[test]
fn a_question_of_a_lane_says_which_task_it_is_about() {
    let lane = Lane { id: "2.1".to_owned(), ..Lane::default() };
    for (context, expected) in [
        (Value::Null, json!({"task": "2.1"})),
        (json!({"asks": "x"}), json!({"asks": "x", "task": "2.1"})),
        (json!(["x"]), json!(["x"])),
    ] {
        let asked = named(request(HumanKind::Question, context), &lane);
        assert_eq!((asked.prompt.as_str(), asked.context), ("task 2.1: Which one?", expected));
    }
}
