import { Card } from '@/ui/card';
import { DocumentDrop } from './document-drop';
import { type Form, idOf } from './form';

/** Documents to attach: dropped here or chosen. */
export function DocumentsCard({ draft, change, errorOf }: Form) {
  return (
    <Card title="Documents" description="Optional. Drop a text file, or choose one.">
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <DocumentDrop
          id={idOf('design')}
          label="Design"
          hint="The Architect bases the plan on it."
          value={draft.design}
          onChange={(design) => change({ design })}
          error={errorOf('design')}
        />
        <DocumentDrop
          id={idOf('plan')}
          label="Plan"
          hint="The Architect writes no plan if you provide one."
          value={draft.plan}
          onChange={(plan) => change({ plan })}
          error={errorOf('plan')}
        />
      </div>
    </Card>
  );
}
