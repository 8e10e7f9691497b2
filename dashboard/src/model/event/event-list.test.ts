import { describe, expect, it } from 'vitest';
import { RunLog } from '@/model/run/run-log';
import { entered, eventOf, said } from '@/test/events';
import { type EventFilter, EventList } from './event-list';

const events = [
  eventOf(1, { run: 'started' }),
  entered(2, 'plan', 1),
  said(3, 1, 'architect', 'One character is wrong.'),
  eventOf(4, { system: { warned: { message: 'slow' } } }, { level: 'warning', summary: 'slow' }),
];
const none: EventFilter = { text: '', levels: [], agents: [], names: [] };

function listOf(filter: Partial<EventFilter>) {
  const log = new RunLog('run');
  const list = new EventList(log, { ...none, ...filter });
  for (const event of events) {
    log.append([event]);
    list.update();
  }
  return list;
}

describe('the raw log', () => {
  it.each<[Partial<EventFilter>, number[]]>([
    [{}, [1, 2, 3, 4]],
    [{ levels: ['warning'] }, [4]],
    [{ agents: ['architect'] }, [3]],
    [{ names: ['run.started', 'node.entered'] }, [1, 2]],
    [{ text: 'CHARACTER' }, [3]],
    [{ text: 'node.' }, [2]],
  ])('filtered by %j', (filter, seqs) => {
    const list = listOf(filter);
    expect(list.places.map((_, index) => list.at(index)?.seq)).toEqual(seqs);
  });

  it('knows what can be chosen, and where an event is', () => {
    const list = listOf({ levels: ['info'] });
    expect([...list.agents]).toEqual(['system', 'architect']);
    expect([list.indexOf(0), list.indexOf(3), list.indexOf(99)]).toEqual([-1, 2, 2]);
  });

  it('is written one event on each line', () => {
    const lines = [...listOf({ agents: ['architect'] }).lines()];
    const [event] = lines.map((line) => JSON.parse(line));
    expect(event).toMatchObject({ seq: 3 });
    expect(event).not.toHaveProperty('summary');
  });
});
