import { Clapperboard } from 'lucide-react';
import { useSession } from '@/api/session';

/** In a demo, before a person types a task of their own. */
export function DemoNotice() {
  const { data: session } = useSession();
  if (!session?.is_demo) return null;
  return (
    <section
      aria-label="What this demo can do"
      className="flex items-start gap-2.5 rounded-lg border border-line bg-panel px-4 py-3"
    >
      <Clapperboard aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      <p className="min-w-0 text-pretty">
        <strong className="font-medium">This demo can only solve one issue</strong>, “calc.sh does
        not add”. Its agents follow a script, so they plan and build that issue for any input. To
        run your own issues, set up a model: <code className="text-xs">amelia init</code> in your
        repository.
      </p>
    </section>
  );
}
