import { DefinitionPage } from './definition-page';

export default function WorkflowPage() {
  return <DefinitionPage kind="workflow" />;
}
