import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ProfileMenu } from '@/features/settings/profiles/profile-menu';
import { settingsCli } from '@/model/cli/cli-settings';
import { Badge } from '@/ui/badge';
import { CliCommand } from '@/ui/cli-command';
import { PageHeader } from '@/ui/page-header';

type ProfileHeaderProps = {
  name: string;
  isActive: boolean;
  /** The switch between form and JSON; on narrow screens it is below the header. */
  views: ReactNode;
};

export function ProfileHeader({ name, isActive, views }: ProfileHeaderProps) {
  return (
    <PageHeader
      title={name}
      leading={
        <Link
          to="/settings/profiles"
          aria-label="All profiles"
          className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg"
        >
          <ArrowLeft className="size-4" />
        </Link>
      }
      meta={isActive && <Badge tone="done">active</Badge>}
      actions={
        <>
          <span className="max-md:hidden">{views}</span>
          <span className="max-md:hidden">
            <CliCommand command={settingsCli.editProfile(name)} />
          </span>
          <ProfileMenu name={name} isActive={isActive} />
        </>
      }
    />
  );
}
