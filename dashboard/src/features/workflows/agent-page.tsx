import { DefinitionPage } from './definition-page';

export default function AgentPage() {
  return <DefinitionPage kind="agent" />;
}
