use super::*;
use crate::plan::FigureTarget;

fn verdict(ours: Option<f64>, peer: Option<Option<f64>>, target: FigureTarget) -> RowVerdict {
    let measured = |value: Option<f64>| match value {
        Some(value) => Measured::Best { value, others_cpu: Some(0.1) },
        None => Measured::Nothing("pip failed".into()),
    };
    RowVerdict { name: "steps_d2", unit: "steps/s", ours: measured(ours), peer: peer.map(measured), target }
}

#[test]
fn bench_lines() {
    let line = |ours, peer, target| bench_line(&verdict(ours, peer, target));
    let at_least = FigureTarget::AtLeast(8.0);
    assert_eq!(
        line(Some(5600.0), Some(Some(560.0)), at_least),
        "BENCH steps_d2 ours=5600 peer=560 ratio=10 target=>=8 ok"
    );
    assert_eq!(
        line(Some(560.0), Some(Some(560.0)), at_least),
        "BENCH steps_d2 ours=560 peer=560 ratio=1 target=>=8 SHORT"
    );
    assert_eq!(
        line(Some(0.5), Some(Some(9.6)), FigureTarget::AtMostOneOver(10.0)),
        "BENCH steps_d2 ours=0.5 peer=9.6 ratio=0.05208 target=<=1/10 ok"
    );
    assert_eq!(
        line(Some(560.0), Some(None), at_least),
        "BENCH steps_d2 ours=560 peer=absent ratio=- target=>=8 SKIPPED: pip failed"
    );
    assert_eq!(
        line(None, Some(Some(560.0)), at_least),
        "BENCH steps_d2 ours=failed peer=560 ratio=- target=>=8 SHORT"
    );
    assert_eq!(
        line(Some(0.95), None, FigureTarget::AtLeast(0.9)),
        "BENCH steps_d2 ours=0.95 peer=- ratio=- target=>=0.9 ok"
    );
    assert_eq!(
        line(Some(0.2), None, FigureTarget::Under(1.0)),
        "BENCH steps_d2 ours=0.2 peer=- ratio=- target=<1 ok"
    );
}

#[test]
fn figures_have_four_digits_and_no_exponent() {
    for (value, shown) in [
        (2_113_105_920.0, "2113105920"),
        (560.04, "560"),
        (13.5678, "13.57"),
        (0.001_234_5, "0.001234"),
        (0.0, "0"),
        (1000.0, "1000"),
    ] {
        assert_eq!(figure(value), shown);
    }
}

#[test]
fn the_table_is_aligned() {
    let verdicts = [
        verdict(Some(5600.0), Some(Some(560.0)), FigureTarget::AtLeast(8.0)),
        verdict(None, None, FigureTarget::Under(1.0)),
    ];
    let expected = "\
comparison  unit     ours    peer  ratio  target         noise
steps_d2    steps/s  5600    560   10     >=8     ok     0.10 0.10
steps_d2    steps/s  failed  -     -      <1      SHORT  - -
";
    assert_eq!(table(&verdicts), expected);
}
