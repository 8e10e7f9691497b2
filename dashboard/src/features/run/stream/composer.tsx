import { SendHorizontal } from 'lucide-react';
import { memo, useState } from 'react';
import { useSay } from '@/api/actions';
import { useMedia } from '@/lib/use-media';
import { CodedText } from '@/ui/coded-text';
import { IconButton } from '@/ui/icon-button';
import { Textarea } from '@/ui/textarea';
import type { Intervention } from '@/wire/log/Intervention';

type ComposerProps = { run: string; id: string; unheard: readonly Intervention[] };

/** Words to the agents at work. Enter sends. */
export const Composer = memo(function Composer({ run, id, unheard }: ComposerProps) {
  const [message, setMessage] = useState('');
  const say = useSay();
  const isTouch = useMedia('(pointer: coarse)');
  const isEmpty = message.trim() === '';
  const send = () => {
    if (isEmpty || say.isPending) return;
    say.mutate({ run, message: message.trim() }, { onSuccess: () => setMessage('') });
  };
  return (
    <div className="shrink-0 border-t border-line bg-panel px-3 py-2">
      {unheard.length > 0 && (
        <div className="mb-2">
          <Unheard messages={unheard} note="not read yet" />
        </div>
      )}
      <div className="flex items-end gap-2">
        <Textarea
          id={id}
          aria-label="Send a message to the agents"
          placeholder="Send a message to the agents"
          minRows={1}
          maxRows={8}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            if (isTouch && !event.ctrlKey) return;
            event.preventDefault();
            if (!event.repeat) send();
          }}
        />
        <IconButton
          aria-label="Send"
          variant="primary"
          icon={<SendHorizontal />}
          loading={say.isPending}
          disabled={isEmpty}
          onClick={send}
        />
      </div>
      {say.error && (
        <p role="alert" className="mt-1 text-xs text-failed">
          <CodedText>{say.error.message}</CodedText>
        </p>
      )}
    </div>
  );
});

/** Messages that came after the last agent had finished. */
export function TooLate({ unheard }: Pick<ComposerProps, 'unheard'>) {
  return (
    <div className="shrink-0 border-t border-line bg-panel px-3 py-2">
      <Unheard messages={unheard} note="arrived after the agents had finished" />
    </div>
  );
}

function Unheard({ messages, note }: { messages: readonly Intervention[]; note: string }) {
  return (
    <ul aria-label={`Messages: ${note}`} className="flex flex-col gap-1">
      {messages.map((words) => (
        <li key={words.id} className="flex items-baseline gap-2 text-xs">
          <span className="shrink-0 text-2xs text-subtle">{note}</span>
          <span className="min-w-0 truncate">{wordsOf(words)}</span>
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ details = {} }: Intervention): string {
  const said = Object.values(details).find((value) => typeof value === 'string');
  return typeof said === 'string' ? said : 'Instruction';
}
