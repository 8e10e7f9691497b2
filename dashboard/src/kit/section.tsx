import type { ReactNode } from 'react';

type SectionProps = { title: string; children: ReactNode };

export function Section({ title, children }: SectionProps) {
  return (
    <section className="flex flex-col gap-3">
      <h2 className="text-xs font-medium text-subtle">{title}</h2>
      {children}
    </section>
  );
}
