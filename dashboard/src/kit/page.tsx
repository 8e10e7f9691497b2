import { PageHeader } from '@/ui/page-header';

/** Development only: every component of `ui/`, for screenshots. */
export default function KitPage() {
  return <PageHeader title="Kit" />;
}
