import { ErrorState } from '@/ui/error-state';

/** In the place of a part of the page whose code could not be fetched: the server was away, or is another one now. */
export function LostPart() {
  return (
    <ErrorState
      title="This part could not be fetched"
      message="The server was away when it was asked for. The run goes on without this page."
      onRetry={() => location.reload()}
    />
  );
}
