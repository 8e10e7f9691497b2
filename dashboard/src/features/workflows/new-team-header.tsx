import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { PageHeader } from '@/ui/page-header';
import { allOf, listOf } from './page-of';

export function NewTeamHeader({ repository }: { repository: string }) {
  return (
    <PageHeader
      title="New team"
      leading={
        <Link
          to={listOf('team', repository)}
          aria-label={allOf('team')}
          className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg"
        >
          <ArrowLeft className="size-4" />
        </Link>
      }
    />
  );
}
