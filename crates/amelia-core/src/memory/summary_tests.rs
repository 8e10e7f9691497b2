//! Which entries become a summary, when, and what it says without a model.

use super::*;

fn entry(number: u64, key: &str, text: &str) -> MemoryEntry {
    MemoryEntry {
        number,
        version: 1,
        space: MemorySpace::of_all(),
        kind: MemoryKind::LongTerm,
        key: Some(key.to_owned()),
        text: text.to_owned(),
        by: "scout".to_owned(),
        run: None,
        at: at(i64::try_from(number).unwrap()),
        expires_at: None,
        consolidation: ConsolidationState::Open,
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn rivers() -> Vec<MemoryEntry> {
    vec![
        entry(3, "rivers/elbe", "The Elbe is 1094 km long. It ends in the North Sea."),
        entry(1, "rivers", "Rivers flow to the sea."),
        entry(2, "rivers/rhine", "\nIs the Rhine v1.5 km wide? No.\nmore"),
    ]
}

fn names(topics: &[MemoryTopic]) -> Vec<(&str, Vec<u64>)> {
    let numbers = |topic: &MemoryTopic| topic.sources.iter().map(|source| source.number).collect();
    topics.iter().map(|topic| (topic.topic.as_str(), numbers(topic))).collect()
}

#[test]
fn entries_whose_keys_begin_alike_are_a_topic_from_three_on() {
    let mut all = rivers();
    all.push(entry(4, "lakes/como", "deep"));
    all.push(MemoryEntry { key: None, ..entry(5, "", "no key") });
    let asked = ConsolidationTrigger::Asked;
    assert_eq!(names(&topics_of(all.clone(), None, asked)), [("rivers", vec![1, 2, 3])]);
    all.push(MemoryEntry {
        space: MemorySpace::of_run(RunId(uuid::Uuid::from_u128(1))),
        ..entry(6, "lakes/a", "x")
    });
    all.extend([entry(7, "lakes/b", "x"), entry(8, "lakes", "x")]);
    let both = topics_of(all.clone(), None, asked);
    assert_eq!(names(&both), [("lakes", vec![4, 7, 8]), ("rivers", vec![1, 2, 3])], "spaces are apart");
    assert_eq!(names(&topics_of(all, Some("rivers"), asked)), [("rivers", vec![1, 2, 3])]);
    let deep = (1..=3).map(|number| entry(number, &format!("a/b/{number}"), "x")).collect::<Vec<_>>();
    assert_eq!(names(&topics_of(deep.clone(), Some("a/b"), asked)), [("a/b", vec![1, 2, 3])]);
    assert!(topics_of(deep, Some("a/bc"), asked).is_empty());
}

#[test]
fn what_ends_by_itself_or_is_in_a_summary_is_left_out() {
    let changed = |change: &dyn Fn(&mut MemoryEntry)| {
        let mut all = rivers();
        change(&mut all[0]);
        all
    };
    let (asked, schedule) = (ConsolidationTrigger::Asked, ConsolidationTrigger::Schedule);
    let expiring = changed(&|entry| entry.expires_at = Some(at(99)));
    assert!(topics_of(expiring, None, asked).is_empty());
    for state in [ConsolidationState::PartOf(9), ConsolidationState::Summary(SummaryMethod::Model)] {
        let all = changed(&|entry| entry.consolidation = state);
        assert!(topics_of(all, None, asked).is_empty(), "{state:?}");
    }
    let restored = changed(&|entry| entry.consolidation = ConsolidationState::Restored);
    assert!(topics_of(restored.clone(), None, schedule).is_empty(), "a person has restored it");
    assert_eq!(topics_of(restored, None, asked).len(), 1);
    let summaries: Vec<_> = (1..=3).map(|number| entry(number, &summary_key("x"), "x")).collect();
    assert!(topics_of(summaries, None, asked).is_empty());
    let long = "t".repeat(MAX_TOPIC_BYTES + 1);
    assert_eq!((topic_of(&long), topic_of("/x"), topic_of("a/b")), (None, None, Some("a")));
}

#[test]
fn one_summary_takes_only_so_much_at_once_oldest_first() {
    let many: Vec<_> = (1..=150).map(|number| entry(number, &format!("a/{number}"), "x")).collect();
    let topics = topics_of(many, None, ConsolidationTrigger::Asked);
    assert_eq!(topics[0].sources.len(), MAX_SUMMARISED);
    assert_eq!(topics[0].sources[0].number, 1);
    let large = "x".repeat(MAX_MEMORY_BYTES);
    let large: Vec<_> = (1..=9).map(|number| entry(number, &format!("a/{number}"), &large)).collect();
    assert_eq!(topics_of(large, None, ConsolidationTrigger::Asked)[0].sources.len(), 4);
}

#[test]
fn a_summary_is_due_an_interval_after_the_last_one_or_the_first_entry() {
    let topic = &topics_of(rivers(), None, ConsolidationTrigger::Schedule)[0];
    assert!(!topic.is_due(60, None, at(60)) && topic.is_due(60, None, at(61)));
    assert!(!topic.is_due(60, Some(at(50)), at(109)) && topic.is_due(60, Some(at(50)), at(110)));
    assert!(!topic.is_due(u64::MAX, None, at(1_000_000)));
}

#[test]
fn without_a_model_the_first_sentences_are_the_summary_after_the_earlier_one() {
    let mut topic = topics_of(rivers(), None, ConsolidationTrigger::Asked).remove(0);
    let lines = "- rivers: Rivers flow to the sea.\n- rivers/rhine: Is the Rhine v1.5 km wide?\n\
                 - rivers/elbe: The Elbe is 1094 km long.";
    assert_eq!(topic.extract(), lines);
    topic.previous = Some("- rivers/main: short".to_owned());
    assert_eq!(topic.extract(), format!("- rivers/main: short\n{lines}"));
    let asked = topic.question();
    assert!(asked.contains("The summary so far") && asked.contains("m3 rivers/elbe, by scout"), "{asked}");
    let run = RunId(uuid::Uuid::from_u128(1));
    let new =
        topic.summary(&"x".repeat(2 * MAX_MEMORY_BYTES), SummaryMethod::Extractive, "memory", run, at(9));
    assert_eq!(new.entry.check(), Ok(()));
    assert_eq!(
        (new.entry.key.as_deref(), new.sources),
        (Some("consolidated/rivers"), vec![(1, 1), (2, 1), (3, 1)])
    );
}
