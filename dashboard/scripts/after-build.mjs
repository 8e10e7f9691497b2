// Runs at the end of `npm run build`: writes a `.gz` beside every compressible file, so that the
// server need not compress, and refuses a build whose first JavaScript is too heavy.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const compressible = /\.(html|js|css|svg|json|txt|map)$/;
const limit = 250_000;
const sizes = new Map();

for (const entry of readdirSync(dist, { recursive: true })) {
  const path = join(dist, entry);
  if (!statSync(path).isFile() || !compressible.test(entry)) continue;
  const packed = gzipSync(readFileSync(path), { level: 9 });
  writeFileSync(`${path}.gz`, packed);
  sizes.set(entry, packed.length);
}

const html = readFileSync(join(dist, 'index.html'), 'utf8');
const initial = [...html.matchAll(/(?:src|href)="\/ui\/([^"]+\.js)"/g)].map((found) => found[1]);
const total = initial.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);

for (const file of initial)
  console.log(`  ${file}  ${(sizes.get(file) / 1000).toFixed(1)} kB gzip`);
console.log(`initial JavaScript: ${(total / 1000).toFixed(1)} kB gzip (limit ${limit / 1000} kB)`);
if (total > limit) {
  console.error('the initial JavaScript is over the limit: make something lazy');
  process.exit(1);
}
