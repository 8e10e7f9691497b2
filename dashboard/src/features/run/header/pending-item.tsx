import { useState } from 'react';
import { useNavigate } from 'react-router';
import { type AnswerInput, useAnswers } from '@/api/answers';
import { useRefusals } from '@/api/attention';
import { useCommands } from '@/lib/commands';
import { useKeyGuard } from '@/lib/use-key-guard';
import { withoutHint } from '@/model/board/waiting';
import { hintText } from '@/model/event/hint';
import { formOf } from '@/model/inbox/action-form';
import type { Action } from '@/model/inbox/actions';
import { evidenceOf } from '@/model/inbox/evidence';
import type { InboxItem } from '@/model/inbox/inbox';
import { ActionBar } from '@/ui/action-bar';
import { AskForm } from '@/ui/ask-form';
import { Badge } from '@/ui/badge';
import { ChoiceList } from '@/ui/choice-list';
import { CodedText } from '@/ui/coded-text';
import { Deadline } from '@/ui/deadline';
import { Evidence } from '@/ui/evidence';
import { TimeAgo } from '@/ui/time-ago';
import type { StatusToken } from '@/ui/tones';
import { WhyLine } from './why-line';

type PendingItemProps = {
  item: InboxItem;
  tone: StatusToken;
  /** All that is known about how it failed, where the item has only its first line. */
  failure: string | null;
  /** Keys mean the first question. */
  hasKeys: boolean;
};

/** One thing that needs a person, with the same answers as in the inbox. */
export function PendingItem({ item, tone, failure, hasKeys }: PendingItemProps) {
  const navigate = useNavigate();
  const answer = useAnswers();
  const refusal = useRefusals().get(item.id);
  const [asking, setAsking] = useState<Action | null>(null);
  // Also when the keys come to it because the question above was answered.
  const isInScope = useKeyGuard(`${item.id} ${hasKeys}`);
  // The run is open already, and what is true of it cannot be put away on its own page.
  const actions = item.actions.filter(({ id }) => id !== 'open' && id !== 'dismiss');
  const act = (action: Action, input?: AnswerInput) => {
    if (action.wants !== 'nothing' && !input) return setAsking(action);
    setAsking(null);
    if (!answer(item, action.id, input)) void navigate(`/runs/${item.run}/${action.id}`);
  };
  useCommands(
    actions.map((action) => ({
      id: `${item.id}-${action.id}`,
      label: action.label,
      group: 'Needs you',
      ...(action.key && hasKeys ? { hint: action.key } : {}),
      run: () => act(action),
    })),
  );
  const words = actions.find(({ id }) => id === 'answer');
  const decline = actions.find(({ id }) => id === 'decline');
  const pieces = evidenceOf(item.detail);
  const choices = item.detail.type === 'options' ? item.detail.options : [];
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <WhyLine
          tone={tone}
          title={`${item.what}.`}
          message={failure === null ? item.why : withoutHint(failure)}
        >
          {item.hint && (
            <span className="text-muted">
              {' '}
              <CodedText>{hintText(item.hint)}</CodedText>
            </span>
          )}
          {item.since && <TimeAgo at={item.since} className="ml-1.5 text-xs text-muted" />}
        </WhyLine>
        {item.deadline && <Deadline {...item.deadline} />}
        {item.continues && <Badge>{item.continues}</Badge>}
        {!asking && (
          <ActionBar
            size="sm"
            actions={actions}
            hasKeys={hasKeys}
            isInScope={isInScope}
            onAct={act}
          />
        )}
      </div>
      {(pieces.length > 0 || choices.length > 0 || asking || refusal) && (
        <div className="flex flex-col gap-2 md:pl-4.5">
          <Evidence pieces={pieces} />
          {words && !asking && hasKeys && (
            <ChoiceList
              choices={choices}
              isInScope={isInScope}
              onChoose={(choice) => act(words, { words: choice })}
            />
          )}
          {refusal && (
            <p role="alert" className="text-sm text-failed">
              Not done: <CodedText>{refusal}</CodedText>
            </p>
          )}
          {asking && (
            <AskForm
              key={asking.id}
              {...formOf(item, asking)}
              onSend={(input) => act(asking, input)}
              onDecline={() => decline && act(decline)}
              onLeave={() => setAsking(null)}
            />
          )}
        </div>
      )}
    </div>
  );
}
