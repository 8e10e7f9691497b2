import { useState } from 'react';
import { Section } from '@/kit/section';
import { Card } from '@/ui/card';
import { Collapsible } from '@/ui/collapsible';
import { CopyButton } from '@/ui/copy-button';
import { Duration } from '@/ui/duration';
import { KeyValue } from '@/ui/key-value';
import { Meter } from '@/ui/meter';
import { Money } from '@/ui/money';
import { Sparkline } from '@/ui/sparkline';
import { type Sort, Table } from '@/ui/table';
import { TimeAgo } from '@/ui/time-ago';

const rows = [
  { model: 'opus', calls: 42, usd: 1.234, ms: 83_000 },
  { model: 'sonnet', calls: 128, usd: 0.0412, ms: 192_000 },
  { model: 'local', calls: 7, usd: null, ms: 4_200 },
];
const started = Date.now() - 192_000;

export function Data() {
  const [sort, setSort] = useState<Sort>({ column: 'calls', descending: true });
  const sorted = rows.toSorted((a, b) => (a.calls - b.calls) * (sort.descending ? -1 : 1));
  return (
    <Section title="Data">
      <Card
        flush
        title="By model"
        description="This run"
        actions={<Sparkline label="Cost per hour, rising" values={[1, 3, 2, 5, 4, 8, 7, 9]} />}
      >
        <Table
          caption="Cost by model"
          rows={sorted}
          rowKey={(row) => row.model}
          sort={sort}
          onSort={setSort}
          columns={[
            { id: 'model', header: 'Model', cell: (row) => row.model },
            {
              id: 'calls',
              header: 'Calls',
              numeric: true,
              sortable: true,
              cell: (row) => row.calls,
            },
            { id: 'time', header: 'Time', numeric: true, cell: (row) => <Duration ms={row.ms} /> },
            { id: 'cost', header: 'Cost', numeric: true, cell: (row) => <Money usd={row.usd} /> },
          ]}
        />
      </Card>
      <Card title="Budget">
        <div className="flex flex-col gap-3">
          <Meter label="Cost" value={1.2} limit={5} text="$1.20 of $5.00" />
          <Meter label="Tokens" value={86} limit={100} />
          <Meter label="Time" value={12} limit={10} />
          <KeyValue
            items={[
              { label: 'Started', value: <TimeAgo at={started} /> },
              { label: 'Runs for', value: <Duration since={started} /> },
              {
                label: 'Branch',
                mono: true,
                value: (
                  <>
                    amelia/fix-login <CopyButton text="amelia/fix-login" className="size-5" />
                  </>
                ),
              },
            ]}
          />
        </div>
      </Card>
      <Card flush className="p-1">
        <Collapsible
          title={<code className="text-xs">cargo test --workspace</code>}
          meta={<Duration ms={4_200} />}
          defaultOpen
        >
          <p className="text-muted">128 passed.</p>
        </Collapsible>
        <Collapsible title="Thinking" meta={<Money usd={0.0123} />}>
          <p className="text-muted">About the cause.</p>
        </Collapsible>
      </Card>
    </Section>
  );
}
