import { ArrowLeft, FileQuestion } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { usePrompts } from '@/api/settings';
import { QueryError } from '@/features/settings/parts/query-error';
import { SettingsSkeleton } from '@/features/settings/parts/settings-skeleton';
import { PromptEditor } from '@/features/settings/prompts/prompt-editor';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

export default function PromptPage() {
  const { name = '' } = useParams();
  const { data, error, isPending, refetch, isFetching } = usePrompts();
  const prompt = data?.find((one) => one.name === name);
  if (prompt) return <PromptEditor key={name} prompt={prompt} />;
  return (
    <>
      <PageHeader title={name} />
      {isPending && <SettingsSkeleton />}
      {error && (
        <QueryError
          title="The prompt could not be read"
          error={error}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {data && (
        <EmptyState
          size="page"
          icon={<FileQuestion />}
          title="There is no such prompt"
          action={
            <Button asChild>
              <Link to="/settings/prompts">
                <ArrowLeft />
                All prompts
              </Link>
            </Button>
          }
        >
          Nothing is called “{name}” here.
        </EmptyState>
      )}
    </>
  );
}
