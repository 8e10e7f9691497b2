import { Section } from '@/kit/section';
import { Card } from '@/ui/card';
import { CodeBlock } from '@/ui/code-block';
import { Markdown } from '@/ui/markdown';

const text = `# Keep the session after a restart

The cookie is *signed* with a key that lives in memory only, so a restart **loses** it. See [the issue](https://example.com/42).

## Tasks

1. Write the key to \`state/key\`, mode 0600
2. Read it at the start; make one if there is none
   - never log it
3. Test: restart keeps the session

- [x] reproduced
- [ ] fixed

> The key must not leave the machine.

| File | Change |
| --- | --- |
| \`src/session.rs\` | read the key |
| \`src/main.rs\` | pass it on |

\`\`\`rust
/// Reads the key, or makes one.
pub fn load(path: &Path) -> Result<Key, StoreError> {
    let bytes = fs::read(path)?; // 32 of them
    Key::try_from(bytes.as_slice())
}
\`\`\`
`;

const code = `import { useState } from 'react';

// Counts up to a limit.
export function Counter({ limit = 10 }: { limit?: number }) {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(Math.min(count + 1, limit))}>{\`\${count}\`}</button>;
}`;

export function Content() {
  return (
    <Section title="Content">
      <Card>
        <Markdown text={text} />
      </Card>
      <CodeBlock title="src/counter.tsx" language="tsx" code={code} lineNumbers />
    </Section>
  );
}
