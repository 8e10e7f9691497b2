import { Card } from '@/ui/card';
import { DocumentDrop } from './document-drop';
import { type Form, idOf } from './form';

/** Papers that go along: dropped here or chosen. */
export function DocumentsCard({ draft, change, errorOf }: Form) {
  return (
    <Card title="Documents" description="Optional. Drop a text file on its place, or choose one.">
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <DocumentDrop
          id={idOf('design')}
          label="Design"
          hint="The Architect plans from it."
          value={draft.design}
          onChange={(design) => change({ design })}
          error={errorOf('design')}
        />
        <DocumentDrop
          id={idOf('plan')}
          label="Plan"
          hint="Nobody has to write one."
          value={draft.plan}
          onChange={(plan) => change({ plan })}
          error={errorOf('plan')}
        />
      </div>
    </Card>
  );
}
