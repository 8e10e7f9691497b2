import type { TaskOutcome } from '@/wire/TaskOutcome';

/** What a person accepted tasks with: failing checks, open findings. A sentence for each task. */
export function acceptedAsIs(tasks: TaskOutcome[]): string[] {
  return tasks.flatMap(({ title, failed_checks, open_findings }) => {
    const names = failed_checks.join(', ');
    const failing =
      failed_checks.length === 0
        ? []
        : [failed_checks.length === 1 ? `the check ${names} fails` : `the checks ${names} fail`];
    const count = open_findings.length;
    const open =
      count === 0 ? [] : [count === 1 ? '1 finding is open' : `${count} findings are open`];
    const left = [...failing, ...open];
    return left.length === 0 ? [] : [`“${title}” was accepted although ${left.join(' and ')}.`];
  });
}
