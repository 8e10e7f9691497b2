import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router/dom';
import { ApiError } from '@/api/http';
import { refusalOf } from '@/api/refusal';
import { toast } from '@/lib/toast';
import { router } from '@/routes';
import { Toaster } from '@/ui/toaster';

// What the server pushes keeps the data fresh; a read is repeated only on request, or when it failed because
// the server was not there. What was refused is not repeated.
const queries = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      if (!mutation.meta?.isHandledByPage) toast(refusalOf(error));
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && error instanceof ApiError && error.status === 0,
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
});

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toaster />
    </QueryClientProvider>
  );
}
