import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { NotFound } from '@/shell/not-found';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';

/** What stands in the place of a page that broke. The rest of the shell keeps working. */
export function RouteError() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const message = error instanceof Error ? error.message : 'Something unexpected happened.';
  const stale = /dynamically imported module|Importing a module/.test(message);
  return (
    <>
      <PageHeader title="Something went wrong" />
      <ErrorState
        size="page"
        title={stale ? 'Amelia was updated' : 'This page failed to load'}
        message={stale ? 'This tab still runs the old version.' : message}
        hint={stale ? 'Reload the page to continue.' : 'Your runs are not affected.'}
        onRetry={() => window.location.reload()}
      />
      <div className="-mt-12 flex justify-center">
        <Button asChild variant="link">
          <Link to="/">Go home</Link>
        </Button>
      </div>
    </>
  );
}
