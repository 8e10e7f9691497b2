import { ErrorState } from '@/ui/error-state';

/** In the place of a part of the page whose code could not be fetched: the server was away, or is another one now. */
export function LoadFailure() {
  return (
    <ErrorState
      title="Could not load this part of the page"
      message="The server could not be reached. The run itself is not affected."
      onRetry={() => location.reload()}
    />
  );
}
