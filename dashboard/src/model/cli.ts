// Every action on a screen is a command in a terminal, too: what to paste there.

/** A word that a POSIX shell takes as it is. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const command = (...words: string[]) => ['amelia', ...words.map(quoted)].join(' ');

export const cli = {
  approve: (run: string, feedback?: string) =>
    feedback ? command('approve', run, '--feedback', feedback) : command('approve', run),
  reject: (run: string, feedback: string) => command('reject', run, '--feedback', feedback),
  answer: (run: string, request: string, ...words: string[]) =>
    command('answer', run, request, ...words),
  pause: (run: string) => command('pause', run),
  resume: (run: string) => command('resume', run),
  resumeWithBudget: (run: string, usd: number) => command('resume', run, '--budget', String(usd)),
  cancel: (run: string) => command('cancel', run),
  step: (run: string) => command('step', run),
  continue: (run: string) => command('continue', run),
  breakpoints: (run: string, nodes: string[]) => command('breakpoint', run, ...nodes),
  say: (run: string, text: string) => command('say', run, text),
  show: (run: string) => command('status', run),
  logs: (run: string) => command('logs', run),
  follow: (run: string) => command('logs', run, '--follow'),
  plan: (run: string) => command('plan', 'show', run),
  diff: (run: string) => command('diff', run),
  exportRecord: (run: string, file: string) => command('record', 'export', run, '-o', file),
  replay: (run: string) => command('replay', run),
  checkpoints: (run: string) => command('checkpoints', run),
  fork: (run: string, checkpoint: number) => command('fork', run, '--at', String(checkpoint)),
  compare: (a: string, b: string) => command('compare', a, b),
  usage: () => command('usage'),
  doctor: () => command('doctor'),
};
