use super::*;

#[test]
fn every_choice_can_be_decided_and_nothing_else_is_taken_for_a_yes() {
    let yes = || answer(ResponseType::Approved, None);
    let said = |response, words| Ok(Decision::Answer(answer(response, Some(words))));
    for (choice, words, expected) in [
        (HumanChoice::Plan, "Yes", Ok(Decision::Answer(yes()))),
        (HumanChoice::Plan, "approve", Ok(Decision::Answer(yes()))),
        (HumanChoice::Approval { can_change: true }, "OK ", Ok(Decision::Answer(yes()))),
        (
            HumanChoice::Approval { can_change: true },
            "reject",
            Ok(Decision::Answer(answer(ResponseType::Rejected, None))),
        ),
        (HumanChoice::Plan, "yes, but smaller", said(ResponseType::Rejected, "yes, but smaller")),
        (
            HumanChoice::Plan,
            "no",
            Err("what should change? Describe it in a few words, or write c to cancel the run"),
        ),
        (HumanChoice::Plan, "c", Ok(Decision::Cancel)),
        (
            HumanChoice::Approval { can_change: true },
            "no",
            Ok(Decision::Answer(answer(ResponseType::Rejected, None))),
        ),
        (HumanChoice::Approval { can_change: true }, "too long", said(ResponseType::Rejected, "too long")),
        (
            HumanChoice::Approval { can_change: true },
            "m shorter, please",
            said(ResponseType::Modified, "shorter, please"),
        ),
        (
            HumanChoice::Approval { can_change: true },
            "y looks good",
            said(ResponseType::Approved, "looks good"),
        ),
        (
            HumanChoice::Approval { can_change: true },
            "Yes, go ahead",
            said(ResponseType::Approved, "go ahead"),
        ),
        (HumanChoice::Approval { can_change: true }, "n shorter", said(ResponseType::Rejected, "shorter")),
        (HumanChoice::Approval { can_change: true }, "no, shorter", said(ResponseType::Rejected, "shorter")),
        (HumanChoice::Permission, "n use make", said(ResponseType::Rejected, "use make")),
        (HumanChoice::Plan, "y looks good", Err("write only y to approve, or only what should be different")),
        (HumanChoice::Approval { can_change: true }, "modify it", said(ResponseType::Modified, "it")),
        (
            HumanChoice::Approval { can_change: false },
            "m shorter",
            Err("only yes and no are answers here: write y or n, alone or with a message"),
        ),
        (HumanChoice::Plan, "m shorter", said(ResponseType::Rejected, "m shorter")),
        (HumanChoice::Permission, "n", Ok(Decision::Answer(answer(ResponseType::Rejected, None)))),
        (HumanChoice::Question, "no", said(ResponseType::Approved, "no")),
        (HumanChoice::Rounds { can_accept: true }, "y", Ok(Decision::Answer(yes()))),
        (HumanChoice::Rounds { can_accept: false }, "stop", Ok(Decision::Cancel)),
        (HumanChoice::Rounds { can_accept: true }, "no", Ok(Decision::Cancel)),
        (HumanChoice::Visit, "y", Ok(Decision::Answer(yes()))),
        (HumanChoice::Visit, "no", Ok(Decision::Cancel)),
        (HumanChoice::Interrupted, "y", Ok(Decision::Answer(yes()))),
        (HumanChoice::Interrupted, "n", Ok(Decision::Answer(answer(ResponseType::Rejected, None)))),
        (HumanChoice::Interrupted, "done", Ok(accepted())),
        (HumanChoice::Interrupted, "no, do not", said(ResponseType::Rejected, "no, do not")),
        (
            HumanChoice::Interrupted,
            "yes, it is done",
            Err("write only y to run the tool again, or a if it has done its work"),
        ),
        (HumanChoice::Setup, "y", Ok(Decision::Answer(yes()))),
        (HumanChoice::Setup, "s", Ok(Decision::Cancel)),
        (HumanChoice::Setup, "hm", Err("write y to run the checks again, or s to cancel the run")),
        (HumanChoice::Limit, "c", Ok(Decision::Cancel)),
        (
            HumanChoice::UnknownPrice,
            "y",
            Ok(Decision::Resume(Limits { budget: Budget::default(), off: vec![LimitName::Usd] })),
        ),
        (HumanChoice::UnknownPrice, "c", Ok(Decision::Cancel)),
        (HumanChoice::Step, "y", Ok(Decision::Step)),
        (HumanChoice::Step, "c", Ok(Decision::Continue)),
        (HumanChoice::Resume, "y", Ok(Decision::Resume(Limits::default()))),
        (HumanChoice::Resume, "yo", Err("write y, or nothing to decide later")),
    ] {
        assert_eq!(choice.decide_in_words(words), expected, "{choice:?} {words}");
    }
    assert!(HumanChoice::Plan.is_for_auto() && !HumanChoice::Permission.is_for_auto());
    // A letter that is no command is asked about: as words for an agent it would cost a model call.
    for letter in ["r", "a", "q", "x"] {
        for choice in [HumanChoice::Plan, HumanChoice::Permission, HumanChoice::Rounds { can_accept: false }]
        {
            assert!(choice.decide_in_words(letter).is_err(), "{choice:?} {letter}");
        }
        assert!(HumanChoice::Question.decide_in_words(letter).is_ok(), "it may be an answer");
    }
    let accepted = HumanChoice::Rounds { can_accept: true }.decide_in_words("accept");
    assert!(matches!(accepted, Ok(Decision::Answer(Respond { response_data: Some(_), .. }))));
}

#[test]
fn a_change_is_offered_only_where_it_leads_somewhere() {
    let offered = |context: Value| {
        let request: HumanRequest = serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "kind": "approval", "by": "system", "at": "2026-01-01T00:00:00Z",
            "prompt": "", "context": context,
        }))
        .unwrap();
        let choice = HumanChoice::of(&request).unwrap();
        let ways = choice.ways(&request, false);
        assert_eq!(ways.contains("m TEXT"), choice.explanation().contains("m TEXT"));
        ways.contains("m TEXT")
    };
    assert!(offered(json!({"state": {"metadata": {}}})), "a node of a workflow");
    assert!(!offered(json!({"state": {"metadata": {}}, "modify": false})), "no edge for it");
    assert!(!offered(json!({"asks": "handoff"})), "a team has no edges");
}

#[test]
fn a_node_without_an_agent_offers_no_message_to_one() {
    for (kind, asks) in [("escalation", asks::INTERRUPTED_CALL), ("rounds", asks::VISIT_LIMIT)] {
        let request: HumanRequest = serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "kind": kind, "by": "system", "at": "2026-01-01T00:00:00Z",
            "prompt": "", "context": {"asks": asks},
        }))
        .unwrap();
        let choice = HumanChoice::of(&request).unwrap();
        let shown = format!("{}\n{}", choice.ways(&request, false), choice.explanation());
        assert!(!shown.contains("agent"), "{shown}");
    }
}

#[test]
fn a_tool_call_is_allowed_once_in_the_run_or_always_and_other_words_are_for_the_agent() {
    let request = |command: &str| -> HumanRequest {
        let context = json!({PERMISSION: {"tool": "Bash", "args": {"command": command}, "call": "c"}});
        serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "kind": "approval", "by": "developer", "at": "2026-01-01T00:00:00Z",
            "prompt": "", "context": context,
        }))
        .unwrap()
    };
    let asked = request("cargo test");
    let decide = |words: &str| HumanChoice::of(&asked).unwrap().decide(words, &asked);
    let granted = |lasts, rule: Option<&str>| {
        let grant = Some(GrantChoice { lasts, rule: rule.map(str::to_owned) });
        Ok(Decision::Answer(Respond { grant, ..answer(ResponseType::Approved, None) }))
    };
    assert_eq!(decide("y"), Ok(Decision::Answer(answer(ResponseType::Approved, None))));
    assert_eq!(decide("r"), granted(AllowedFor::Run, None));
    assert_eq!(decide("Always"), granted(AllowedFor::Always, None));
    assert_eq!(decide("r Bash(cargo *)"), granted(AllowedFor::Run, Some("Bash(cargo *)")));
    assert_eq!(decide("a Bash"), granted(AllowedFor::Always, Some("Bash")));
    let misfit = decide("r Bash(npm *)").unwrap_err();
    assert!(misfit.contains("does not match the call"), "{misfit}");
    let other_tool = decide("r shell(cargo *)").unwrap_err();
    assert!(other_tool.contains("does not match the call"), "{other_tool}");
    for words in ["run make test instead", "always use make"] {
        let said = Ok(Decision::Answer(answer(ResponseType::Rejected, Some(words))));
        assert_eq!(decide(words), said, "{words}");
    }
    assert_eq!(decide("c"), Ok(Decision::Cancel));
    assert!(HumanChoice::Permission.explanation().contains("\nn: the call is not made"));
    let ways = HumanChoice::Permission.ways(&asked, true);
    assert!(ways.contains("[n]o") && ways.contains("[c]ancel"), "{ways}");
    assert!(
        ways.contains("allows Bash(cargo test) in this run") && ways.contains("`r Bash(cargo *)`"),
        "{ways}"
    );
    let lines: Vec<&str> = ways.lines().collect();
    assert_eq!(
        (lines[0], lines[3], lines.last()),
        (
            "[y]es allows it once",
            "[a]lways allows it in later runs, too",
            Some(&"press Enter to decide later, ? for help")
        )
    );
    let secret = request("curl [redacted]");
    let ways = HumanChoice::Permission.ways(&secret, true);
    assert!(!ways.contains("redacted"), "{ways}");
    assert!(HumanChoice::Permission.decide("r", &secret).is_err(), "no rule is offered");
}

#[test]
fn a_limit_is_a_number_and_its_unit() {
    let none = Budget::default();
    for (words, expected) in [
        ("5", Some(Budget { usd: Some(5.0), ..none })),
        ("$2.50", Some(Budget { usd: Some(2.5), ..none })),
        ("2.5 USD", Some(Budget { usd: Some(2.5), ..none })),
        ("200000 tokens", Some(Budget { tokens: Some(200_000), ..none })),
        ("50calls", Some(Budget { calls: Some(50), ..none })),
        ("600 s", Some(Budget { wall_seconds: Some(600), ..none })),
        ("0", None),
        ("-1", None),
        ("1.5 tokens", None),
        ("many", None),
        ("5 euros", None),
        ("1.2.3", None),
    ] {
        assert_eq!(limit(words), expected, "{words}");
    }
}
