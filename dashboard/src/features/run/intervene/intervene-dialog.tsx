import { useState } from 'react';
import { useIntervene } from '@/api/actions';
import { ApiError } from '@/api/http';
import { useRunLog } from '@/api/run-log';
import { toast } from '@/lib/toast';
import { editableTeam, type InterventionDraft, interventionOf } from '@/model/team/intervention';
import { membersOf, readRoster, teamOf } from '@/model/team/roster';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { Dialog } from '@/ui/dialog';
import { SegmentedControl } from '@/ui/segmented-control';
import type { RunDetail } from '@/wire/RunDetail';
import { InterventionFields } from './intervention-fields';

type InterveneDialogProps = {
  detail: RunDetail;
  /** Only words can be sent to agents at work. */
  isAtWork: boolean;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

const LOG_INTERVAL_MS = 1_000;

const KINDS = [
  { value: 'instruction', label: 'Instruction' },
  { value: 'agent_override', label: 'Next agent' },
  { value: 'team_modification', label: 'Team' },
] as const;

/** What a person does to a team without being asked. */
export function InterveneDialog({ detail, isAtWork, open, onOpenChange }: InterveneDialogProps) {
  const { log } = useRunLog(detail.id, LOG_INTERVAL_MS);
  const team = teamOf(log.events) ?? {};
  const roster = readRoster(team);
  const send = useIntervene();
  const [draft, setDraft] = useState<InterventionDraft>(() => ({
    kind: 'instruction',
    message: '',
    agent: '',
    nextAgent: '',
    team: editableTeam(team),
  }));
  const intervention = interventionOf(draft, team);
  const mustRest = isAtWork && draft.kind !== 'instruction';
  const submit = () => {
    if (!intervention) return;
    send.mutate(
      { run: detail.id, ...intervention },
      {
        onSuccess: ({ notes = [] }) => {
          toast({ title: 'Intervened', description: notes.join(' '), tone: 'success' });
          onOpenChange(false);
        },
      },
    );
  };
  const { error } = send;
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Intervene"
      description="Change what the team does next. The log records your change."
      size="lg"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button
            variant="primary"
            loading={send.isPending}
            disabled={intervention === null || mustRest}
            onClick={submit}
          >
            Intervene
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SegmentedControl
          label="What to change"
          value={draft.kind === 'plan_update' ? 'instruction' : draft.kind}
          onChange={(kind) => setDraft({ ...draft, kind })}
          segments={KINDS}
          className="self-start"
        />
        <InterventionFields
          draft={draft}
          team={team}
          agents={roster ? membersOf(roster).filter((one) => one.team === null) : []}
          onChange={setDraft}
        />
        {mustRest && (
          <p className="text-sm text-needs-you">
            The run is running. Pause it first, then make this change.
          </p>
        )}
        {error && (
          <p
            role="alert"
            className="text-sm text-pretty whitespace-pre-line wrap-anywhere text-failed"
          >
            <CodedText>{hint ? `${error.message}: ${hint}` : error.message}</CodedText>
          </p>
        )}
      </div>
    </Dialog>
  );
}
