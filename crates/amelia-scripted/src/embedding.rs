//! Vectors from text: each word pushes in directions of its own, so texts that share words are near each other.
//!
//! Good enough to test retrieval, and the same for ever. Knows nothing of meaning.

use crate::fingerprint;

pub(crate) const DEFAULT_DIMENSIONS: usize = 256;

/// A word shares a direction with few others.
const PUSHES_PER_WORD: u64 = 8;

/// Of length one.
pub(crate) fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0_f32; dimensions.max(1)];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let seed = fingerprint::of(word.as_bytes());
        for push in 0..PUSHES_PER_WORD {
            let drawn = fingerprint::mixed(seed.wrapping_add(push.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            let direction = usize::try_from(drawn >> 1).unwrap_or(0) % vector.len();
            let sign = if drawn & 1 == 0 { 1.0 } else { -1.0 };
            if let Some(value) = vector.get_mut(direction) {
                *value += sign;
            }
        }
    }
    normalised(vector)
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length == 0.0 {
        if let Some(first) = vector.first_mut() {
            *first = 1.0;
        }
        return vector;
    }
    for value in &mut vector {
        *value /= length;
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(one: &str, other: &str) -> f32 {
        vector(one, 256).iter().zip(vector(other, 256)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn shared_words_make_texts_near() {
        assert!((likeness("The cat sat.", "the CAT sat") - 1.0).abs() < 1e-5);
        assert!(likeness("the cat sat on the mat", "a cat on a mat") > 0.3);
        assert!(likeness("the cat sat on the mat", "quarterly revenue report").abs() < 0.3);
        assert!((likeness("", "") - 1.0).abs() < 1e-6);
    }
}
