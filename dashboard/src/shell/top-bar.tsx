import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { setPaletteOpen } from '@/lib/commands';
import { offerPageSlot } from '@/lib/page-slot';
import { ThemeMenu } from '@/shell/theme-menu';
import { Button } from '@/ui/button';
import { IconButton } from '@/ui/icon-button';
import { Kbd } from '@/ui/kbd';

type TopBarProps = {
  /** The state of the connection. */
  status: ReactNode;
};

export function TopBar({ status }: TopBarProps) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 md:px-5">
      <div ref={offerPageSlot} className="flex min-w-0 flex-1 items-center" />
      <div className="flex shrink-0 items-center gap-1">
        {status}
        <Button
          icon={<Search className="text-subtle" />}
          size="sm"
          onClick={() => setPaletteOpen(true)}
          className="mx-1 gap-2 font-normal text-muted max-md:hidden"
        >
          Search
          <span className="max-xl:hidden">
            <Kbd keys="mod+k" />
          </span>
        </Button>
        <IconButton
          aria-label="Search and commands"
          tooltip={false}
          icon={<Search />}
          className="md:hidden"
          onClick={() => setPaletteOpen(true)}
        />
        <ThemeMenu />
      </div>
    </header>
  );
}
