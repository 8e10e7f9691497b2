import { useState } from 'react';
import { useRespond } from '@/api/actions';
import { Button } from '@/ui/button';
import { Textarea } from '@/ui/textarea';
import type { Pending } from '@/wire/Pending';
import type { ResponseType } from '@/wire/ResponseType';

type AnswerFormProps = { run: string; question: Pending };

/** An answer to what an agent or a stage asks. */
export function AnswerForm({ run, question }: AnswerFormProps) {
  const [message, setMessage] = useState('');
  const respond = useRespond();
  const send = (response: ResponseType) =>
    respond.mutate({
      run,
      request: question.request_id,
      response,
      ...(message.trim() === '' ? {} : { message: message.trim() }),
    });
  const isQuestion = question.kind === 'question';
  return (
    <div className="mt-2 flex flex-wrap items-end gap-2 md:pl-4.5">
      <div className="min-w-56 flex-1">
        <Textarea
          aria-label="Your answer"
          placeholder={isQuestion ? 'Your answer' : 'What should be done (optional)'}
          minRows={1}
          maxRows={8}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onSubmit={() => send('approved')}
        />
      </div>
      <Button
        size="md"
        variant="primary"
        loading={respond.isPending}
        disabled={isQuestion && message.trim() === ''}
        onClick={() => send('approved')}
      >
        {isQuestion ? 'Answer' : 'Yes, go on'}
      </Button>
      {!isQuestion && (
        <Button disabled={respond.isPending} onClick={() => send('rejected')}>
          No
        </Button>
      )}
    </div>
  );
}
