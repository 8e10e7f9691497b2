import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useDeleteTeam } from '@/api/teams';
import { Button } from '@/ui/button';
import { CodedText } from '@/ui/coded-text';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { listOf } from './page-of';

type DeleteTeamProps = { name: string; repository: string };

/** Removes a team that is saved on the server. */
export function DeleteTeam({ name, repository }: DeleteTeamProps) {
  const [isOpen, setOpen] = useState(false);
  const remove = useDeleteTeam();
  const navigate = useNavigate();
  const confirm = () =>
    remove.mutate(name, { onSuccess: () => void navigate(listOf('team', repository)) });
  return (
    <>
      <Button size="sm" variant="danger-quiet" icon={<Trash2 />} onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title={`Delete team ${name}?`}
        description="New runs can no longer use this team. Runs that have started keep it."
        confirmLabel="Delete"
        danger
        busy={remove.isPending}
        onConfirm={confirm}
      >
        {remove.error && (
          <p role="alert" className="text-sm text-failed">
            <CodedText>{remove.error.message}</CodedText>
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
