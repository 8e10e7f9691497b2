import { DefinitionPage } from './definition-page';

export default function TeamPage() {
  return <DefinitionPage kind="team" />;
}
