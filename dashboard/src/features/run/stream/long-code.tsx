import { useState } from 'react';
import { plural } from '@/lib/format';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';

type LongCodeProps = { code: string; language?: string; title?: string };

const LINES = 40;
const CHARACTERS = 6_000;

/** Code or output; a long one is cut until it is expanded. */
export function LongCode({ code, language, title }: LongCodeProps) {
  const [isWhole, setWhole] = useState(false);
  const cut = isWhole ? code : head(code);
  const isCut = cut.length < code.length;
  return (
    <div>
      <CodeBlock
        code={cut}
        language={language}
        wrap
        maxHeight={isWhole ? 640 : 360}
        {...(title ? { title } : {})}
      />
      {isCut && (
        <Button size="sm" variant="link" className="mt-1" onClick={() => setWhole(true)}>
          Show all ({plural(lineCount(code), 'line')})
        </Button>
      )}
    </div>
  );
}

function head(code: string): string {
  let end = -1;
  for (let line = 0; line < LINES; line += 1) {
    const next = code.indexOf('\n', end + 1);
    if (next < 0) return code.slice(0, CHARACTERS);
    end = next;
  }
  return code.slice(0, Math.min(end, CHARACTERS));
}

function lineCount(code: string): number {
  let count = 1;
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) count += 1;
  return count;
}
