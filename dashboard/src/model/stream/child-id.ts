// The id of a conversation that a call starts: it follows from the call, as in `amelia-graph/src/derived_id.rs`. So the page
// knows which call a sub-agent belongs to. The browser's own SHA-256 is asynchronous, and missing on pages without TLS.

/** The session of a sub-agent that was started by a call; `parent` is the session, or else the run, that made the call. */
export function childId(parent: string, step: number, call: string): string {
  const bytes = sha256(new TextEncoder().encode(`${parent}/${step}/${call}`)).slice(0, 16);
  const hex = [...bytes].map((byte, place) => {
    if (place === 6) return ((byte & 0x0f) | 0x80).toString(16);
    if (place === 8) return ((byte & 0x3f) | 0x80).toString(16);
    return byte.toString(16).padStart(2, '0');
  });
  const part = (from: number, to: number) => hex.slice(from, to).join('');
  return [part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 16)].join('-');
}

/** The first 32 bits of the fractional part of a root. */
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let one = 2; primes.length < count; one += 1)
    if (primes.every((prime) => one % prime !== 0)) primes.push(one);
  return primes;
}

const PRIMES = firstPrimes(64);
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const FIRST = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** Each small; only used for names. */
function sha256(message: Uint8Array): Uint8Array {
  const length = Math.ceil((message.length + 9) / 64) * 64;
  const padded = new DataView(new ArrayBuffer(length));
  message.forEach((byte, place) => {
    padded.setUint8(place, byte);
  });
  padded.setUint8(message.length, 0x80);
  padded.setUint32(length - 4, message.length * 8);
  const hash = Int32Array.from(FIRST);
  const words = new Int32Array(64);
  for (let block = 0; block < length; block += 64) {
    for (let at = 0; at < 64; at += 1)
      words[at] = at < 16 ? padded.getInt32(block + at * 4) : spread(words, at);
    mix(hash, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  hash.forEach((word, place) => {
    digest.setInt32(place * 4, word);
  });
  return new Uint8Array(digest.buffer);
}

function spread(words: Int32Array, at: number): number {
  const [near = 0, far = 0] = [words[at - 2], words[at - 15]];
  const a = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
  const b = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
  return (a + (words[at - 7] ?? 0) + b + (words[at - 16] ?? 0)) | 0;
}

function mix(hash: Int32Array, words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let at = 0; at < 64; at += 1) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + high + chosen + (ROUNDS[at] ?? 0) + (words[at] ?? 0)) | 0;
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, place) => {
    hash[place] = ((hash[place] ?? 0) + word) | 0;
  });
}
