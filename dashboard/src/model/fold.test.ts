// Our folds, and the server's, over the same logs.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Event } from '@/wire/log/Event'
import type { RunView } from '@/wire/log/RunView'
import { nameOf } from './event'
import { levelOf } from './level'
import { applyToView, emptyView } from './run-view'
import { summaryOf } from './summary'

type Fold = {
  events: Event[]
  said: { seq: number; name: string; level: string; summary: string }[]
  views: RunView[]
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const fold = (name: string): Fold => JSON.parse(read(`../test/folds/${name}.json`))

function demo(): Event[] {
  const lines = read('../../../crates/amelia/demo/recording.jsonl').trim().split('\n')
  return lines.flatMap((line) => {
    const event: Event | undefined = JSON.parse(line).event
    return event ? [event] : []
  })
}

const cases: [string, () => Event[]][] = [
  ['every-kind', () => fold('every-kind').events],
  ['demo', demo],
]

describe.each(cases)('the log %s', (name, log) => {
  const expected = fold(name)

  it('is said in the same words', () => {
    const said = log().map((event) => ({
      seq: event.seq,
      name: nameOf(event),
      level: levelOf(event),
      summary: summaryOf(event),
    }))
    expect(said).toEqual(expected.said)
  })

  it('stands where the server says it stands', () => {
    const view = emptyView()
    const wanted = new Map(expected.views.map((view) => [view.seq, view]))
    for (const event of log()) {
      applyToView(view, event)
      const there = wanted.get(event.seq)
      if (there) expect(view).toEqual(there)
    }
    expect(view).toEqual(expected.views.at(-1))
  })
})
