import { Actions } from '@/kit/actions';
import { Colours } from '@/kit/colours';
import { Content } from '@/kit/content';
import { Data } from '@/kit/data';
import { Forms } from '@/kit/forms';
import { Lists } from '@/kit/lists';
import { States } from '@/kit/states';
import { Badge } from '@/ui/badge';
import { CliCommand } from '@/ui/cli-command';
import { PageHeader } from '@/ui/page-header';

/** Development only: every component of `ui/`, for screenshots. The words here are examples. */
export default function KitPage() {
  return (
    <>
      <PageHeader
        title="Kit"
        meta={<Badge mono>dev</Badge>}
        actions={<CliCommand command="amelia approve 0197-3f2a --note 'Looks right'" />}
      />
      <div className="mx-auto grid max-w-300 grid-cols-1 gap-8 p-4 md:p-6 lg:grid-cols-2">
        <Actions />
        <Colours />
        <Forms />
        <Data />
        <Content />
        <Lists />
        <States />
      </div>
    </>
  );
}
