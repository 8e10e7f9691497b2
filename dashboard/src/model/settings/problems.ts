// What the server refuses in a document: each problem with the path of its field.

export type Problem = { path: string; message: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Out of the `details` of an error. */
export function problemsOf(details: Record<string, unknown>): Problem[] {
  const { problems } = details;
  if (!Array.isArray(problems)) return [];
  return problems
    .filter(isRecord)
    .flatMap(({ path, message }) =>
      typeof message === 'string' ? [{ path: typeof path === 'string' ? path : '', message }] : [],
    );
}

/** At the field itself, or somewhere inside it. */
export function isAt(problem: Problem, path: string): boolean {
  if (problem.path === path) return true;
  const next = problem.path.charAt(path.length);
  return problem.path.startsWith(path) && (next === '.' || next === '[');
}

/** What to write below a field; `undefined` when nothing is wrong there. */
export function messageAt(problems: readonly Problem[], path: string): string | undefined {
  const own = problems.filter((problem) => isAt(problem, path));
  if (own.length === 0) return undefined;
  return own
    .map(({ path: at, message }) =>
      at === path ? message : `${at.slice(path.length).replace(/^\./, '')}: ${message}`,
    )
    .join('; ');
}
