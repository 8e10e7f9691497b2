// What a question's detail has to show before a decision.

import type { Detail } from './detail';

export type EvidencePart =
  | { type: 'lines'; lines: string[]; isCode: boolean }
  | { type: 'code'; code: string; title?: string; language?: string; wrap?: boolean };

export function evidenceOf(detail: Detail): EvidencePart[] {
  switch (detail.type) {
    case 'call':
      return ofCall(detail);
    case 'elicitation':
      return detail.fields === null ? lines(detail.about, false) : [];
    case 'asked':
      return [
        ...lines(detail.questions, false),
        ...code(detail.about, { title: 'Context', wrap: true }),
      ];
    case 'findings':
      return lines(detail.open, false);
    case 'output': {
      const title = detail.command === null ? {} : { title: detail.command };
      return [{ type: 'code', code: detail.output, ...title }];
    }
    case 'conflict':
      return [...lines(detail.files, true), ...code(detail.text, { language: 'diff' })];
    default:
      return [];
  }
}

function ofCall({ tool, command, rest }: Extract<Detail, { type: 'call' }>): EvidencePart[] {
  return [
    ...code(command, { title: tool, language: 'bash', wrap: true }),
    ...code(rest, {
      title: command === null ? tool : 'Other arguments',
      language: 'json',
      wrap: true,
    }),
  ];
}

function lines(all: string[], isCode: boolean): EvidencePart[] {
  return all.length > 0 ? [{ type: 'lines', lines: all, isCode }] : [];
}

type PartOptions = { title?: string; language?: string; wrap?: boolean };

function code(text: string | null, look: PartOptions): EvidencePart[] {
  return text ? [{ type: 'code', code: text, ...look }] : [];
}
