//! What a model may have meant by a name that does not exist.

/// How alike two names are, at least: from 0 to 1.
const ALIKE: f64 = 0.8;

/// As many names as are worth reading.
const MOST: usize = 3;

/// The known names that are like `word`, the likest first.
pub(crate) fn near<'a>(word: &str, known: &[&'a str]) -> Vec<&'a str> {
    let mut alike: Vec<(f64, &str)> = known
        .iter()
        .map(|name| (strsim::jaro_winkler(word, name), *name))
        .filter(|(how, _)| *how >= ALIKE)
        .collect();
    alike.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    alike.into_iter().take(MOST).map(|(_, name)| name).collect()
}
