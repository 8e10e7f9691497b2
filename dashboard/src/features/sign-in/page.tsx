import { EmptyState } from '@/ui/empty-state';

export default function SignInPage() {
  return (
    <EmptyState size="page" title="Sign in">
      Open the link that `amelia dashboard` prints.
    </EmptyState>
  );
}
