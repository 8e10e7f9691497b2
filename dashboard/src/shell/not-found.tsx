import { MapPinOff } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        size="page"
        icon={<MapPinOff />}
        title="Page not found"
        action={
          <Button asChild variant="primary">
            <Link to="/">Go home</Link>
          </Button>
        }
      >
        The link may be outdated or mistyped.
      </EmptyState>
    </>
  );
}
