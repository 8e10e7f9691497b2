import { FileQuestion } from 'lucide-react';
import { useParams } from 'react-router';
import { usePrompts } from '@/api/settings';
import { ItemPage } from '@/features/settings/parts/item-page';
import { PromptEditor } from '@/features/settings/prompts/prompt-editor';

export default function PromptPage() {
  const { name = '' } = useParams();
  const query = usePrompts();
  const prompt = query.data?.find((one) => one.name === name);
  if (prompt) return <PromptEditor key={name} prompt={prompt} />;
  return (
    <ItemPage name={name} kind="prompt" query={query} icon={<FileQuestion />}>
      There is no prompt “{name}”.
    </ItemPage>
  );
}
