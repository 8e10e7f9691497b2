import { cli } from '@/model/cli/cli';
import { budgetOf, type Draft, personasOf, reviewOf, workflowOf } from '@/model/start/draft';
import { problemsOf } from '@/model/start/draft-problems';

export type Command = {
  line: string;
  /** What the command line cannot say, or what has to be known to use it. */
  notes: string[];
};

/** The draft as a command for the terminal. */
export function commandOf(
  draft: Draft,
  files: readonly { name: string }[],
  /** The profile that the command would choose. */
  usual: string | undefined,
): Command {
  const wrong = new Set(problemsOf(draft).map((problem) => problem.field));
  const notes: string[] = [];
  const profile = draft.profile === usual ? null : draft.profile;
  const directory = draft.repository?.trim() ?? '';
  const isPlain = (['usd', 'tokens', 'calls', 'minutes'] as const).every(
    (name) => !wrong.has(name),
  );
  const budget = isPlain ? budgetOf(draft) : null;
  if (draft.kind === 'review') {
    const { base, mode, pull_request } = reviewOf(draft);
    const line = cli.review({
      directory,
      base,
      pullRequest: wrong.has('pull') ? null : pull_request,
      fix: mode === 'review_fix',
      personas: personasOf(draft.personas),
      profile,
      budget,
    });
    return { line, notes };
  }
  if (draft.design || draft.plan || files.length > 0) notes.push('Use full paths for the files.');
  notes.push('Add --queue --plan for Plan only, or --queue for Queue.');
  const workflow = workflowOf(draft, 'now');
  const line = cli.start({
    directory,
    issue: workflow.issue_id,
    title: workflow.title,
    description: workflow.description,
    attach: files.map(({ name }) => name),
    profile,
    planFile: draft.plan?.name,
    design: draft.design?.name,
    branch: workflow.branch,
    base: workflow.base,
    inPlace: draft.inPlace,
    budget,
  });
  return { line, notes };
}
