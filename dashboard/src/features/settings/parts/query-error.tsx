import type { ApiError } from '@/api/http';
import { ErrorState } from '@/ui/error-state';

type QueryErrorProps = {
  title: string;
  error: Error;
  onRetry: () => void;
  retrying: boolean;
};

const isApiError = (error: Error): error is ApiError => error.name === 'ApiError';

/** What could not be read, in the server's words, with a way to try again. */
export function QueryError({ title, error, onRetry, retrying }: QueryErrorProps) {
  const hint = isApiError(error) ? error.hint : null;
  const requestId = isApiError(error) ? error.requestId : null;
  return (
    <ErrorState
      title={title}
      message={error.message}
      {...(hint ? { hint } : {})}
      {...(requestId ? { requestId } : {})}
      onRetry={onRetry}
      retrying={retrying}
    />
  );
}
