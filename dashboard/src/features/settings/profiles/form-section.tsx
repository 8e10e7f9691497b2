import type { ReactNode } from 'react';

type FormSectionProps = {
  id: string;
  title: string;
  help: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** A group of fields under a title. */
export function FormSection({ id, title, help, actions, children }: FormSectionProps) {
  return (
    <section
      id={id}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      className="scroll-mt-4 rounded-lg border border-line bg-panel shadow-low outline-none max-md:scroll-mt-14"
    >
      <div className="flex items-start gap-3 px-4 pt-3 pb-3">
        <div className="min-w-0 flex-1">
          <h2 id={`${id}-title`} className="text-sm font-semibold">
            {title}
          </h2>
          <p className="text-xs text-pretty text-muted">{help}</p>
        </div>
        {actions}
      </div>
      <div className="border-t border-line px-4 py-4">{children}</div>
    </section>
  );
}
