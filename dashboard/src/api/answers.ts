// What a person decided about something that needs them: at once on the screen, then at the server.

import { type ActionId, type ActionRequest, requestOf } from '@/model/inbox/actions';
import type { InboxItem } from '@/model/inbox/inbox';
import type { JsonObject } from '@/model/inbox/json';
import {
  useCancel,
  useChecksFromProfile,
  useContinue,
  useRespond,
  useResume,
  useStep,
} from './actions';
import { answering } from './attention';

export type AnswerInput = {
  words?: string;
  limit?: number | null;
  /** By the names of the fields of a form. */
  fields?: JsonObject | null;
};

/** Sends what an action means; says whether it means anything to the server. */
export function useAnswers(): (item: InboxItem, action: ActionId, input?: AnswerInput) => boolean {
  const respond = useRespond();
  const resume = useResume();
  const step = useStep();
  const checks = useChecksFromProfile();
  const goOn = useContinue();
  const cancel = useCancel();

  const send = (run: string, request: ActionRequest): Promise<unknown> => {
    switch (request.type) {
      case 'respond': {
        const { type: _, ...answer } = request;
        return respond.mutateAsync({ run, ...answer });
      }
      case 'checks':
        return checks
          .mutateAsync({ run })
          .then(() => respond.mutateAsync({ run, request: request.request, response: 'approved' }));
      case 'resume': {
        const { type: _, ...limits } = request;
        return resume.mutateAsync({ run, ...limits });
      }
      case 'step':
        return step.mutateAsync({ run });
      case 'continue':
        return goOn.mutateAsync({ run });
      case 'cancel':
        return cancel.mutateAsync({ run });
    }
  };

  return (item, action, input = {}) => {
    const request = requestOf(item, action, input.words, input.limit, input.fields);
    if (request) void answering(item.id, send(item.run, request));
    return request !== null;
  };
}
