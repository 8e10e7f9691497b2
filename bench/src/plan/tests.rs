use std::collections::BTreeSet;

use super::*;

#[test]
fn every_figure_names_a_program_of_its_batch_and_every_program_is_used() {
    for batch in BATCHES {
        let programs: BTreeSet<&str> = batch.programs.iter().map(|program| program.name).collect();
        assert_eq!(programs.len(), batch.programs.len());
        for comparison in batch.comparisons {
            let figures = std::iter::once(&comparison.ours).chain(&comparison.peer);
            for name in figures.flat_map(|figure| figure.programs) {
                assert!(programs.contains(name), "{}: {name}", comparison.name);
            }
        }
        for name in programs {
            assert!(batch.comparisons.iter().any(|comparison| comparison.uses(name)), "{name}");
        }
    }
}

#[test]
fn comparisons_have_names_of_their_own() {
    let names: Vec<&str> = BATCHES.iter().flat_map(|batch| batch.comparisons).map(|c| c.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    assert_eq!(names.len(), 73);
}

#[test]
fn every_peer_script_exists() {
    for program in BATCHES.iter().flat_map(|batch| batch.programs) {
        if let Side::Peer { script, .. } = program.side {
            assert!(crate::peers::scripts().join(script).is_file(), "{script}");
        }
    }
}

#[test]
fn targets_are_met_at_their_bound() {
    assert!(FigureTarget::AtLeast(8.0).is_met_by(8.0) && !FigureTarget::AtLeast(8.0).is_met_by(7.99));
    assert!(
        FigureTarget::AtMostOneOver(10.0).is_met_by(0.1)
            && !FigureTarget::AtMostOneOver(10.0).is_met_by(0.11)
    );
    assert!(FigureTarget::AtMost(1.1).is_met_by(1.1) && !FigureTarget::AtMost(1.1).is_met_by(1.11));
    assert!(FigureTarget::Under(1.0).is_met_by(0.99) && !FigureTarget::Under(1.0).is_met_by(1.0));
}
