import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { usePageSlot } from '@/lib/page-slot';
import { setPageTitle } from '@/lib/title';
import { shown } from '@/lib/visible';

type PageHeaderProps = {
  /** Names the tab and the page's one `h1`. */
  title: string;
  /** Before the title: a way back, a status. */
  leading?: ReactNode;
  /** Beside the title: badges, a key. */
  meta?: ReactNode;
  /** On the right: the page's own buttons. */
  actions?: ReactNode;
};

/** Fills the top bar of the shell from inside a page. Exactly one per page. */
export function PageHeader({ leading, meta, actions, ...props }: PageHeaderProps) {
  const title = shown(props.title);
  const slot = usePageSlot((state) => state.element);
  useEffect(() => setPageTitle(title), [title]);
  if (!slot) return null;
  return createPortal(
    <div className="flex min-w-0 flex-1 items-center gap-2">
      {leading}
      <h1 className="truncate text-base font-semibold tracking-tight" title={title}>
        {title}
      </h1>
      {meta && <div className="flex shrink-0 items-center gap-2 text-muted">{meta}</div>}
      {actions && <div className="ml-auto flex shrink-0 items-center gap-2 pl-3">{actions}</div>}
    </div>,
    slot,
  );
}
