import { formatTokens } from '@/lib/format';
import { shown } from '@/lib/visible';
import { type CostRow, knownUsd } from '@/model/usage/cost';
import { Money } from '@/ui/money';
import { type Column, Table } from '@/ui/table';
import type { Spend } from '@/wire/log/Spend';

type CostTableProps = { caption: string; rows: CostRow[]; total: Spend };

export function CostTable({ caption, rows, total }: CostTableProps) {
  // Where money is known it is the measure; else tokens are.
  const measure = (spend: Spend) => (total.usd > 0 ? spend.usd : spend.tokens);
  const whole = measure(total) || 1;
  const columns: Column<CostRow>[] = [
    {
      id: 'what',
      header: 'What',
      className: 'w-full max-w-0',
      cell: (row) => (
        <>
          <span className="block truncate" title={shown(row.label)}>
            {shown(row.label)}
          </span>
          <Bar ratio={measure(row.spend) / whole} />
        </>
      ),
    },
    { id: 'calls', header: 'Calls', numeric: true, cell: (row) => row.spend.calls },
    {
      id: 'tokens',
      header: 'Tokens',
      numeric: true,
      cell: (row) => formatTokens(row.spend.tokens),
    },
    {
      id: 'cost',
      header: 'Cost',
      numeric: true,
      className: 'whitespace-nowrap',
      cell: (row) => <Money usd={knownUsd(row.spend)} />,
    },
  ];
  return <Table caption={caption} columns={columns} rows={rows} rowKey={(row) => row.key} />;
}

function Bar({ ratio }: { ratio: number }) {
  return (
    <span aria-hidden className="mt-1 block h-1 rounded-full bg-pressed">
      <span
        className="block h-full rounded-full bg-accent"
        style={{ width: `${Math.max(1, ratio * 100)}%` }}
      />
    </span>
  );
}
