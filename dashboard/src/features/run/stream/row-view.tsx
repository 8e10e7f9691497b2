import { HEADER, type Row, type Rows, usageAt } from '@/model/rows';
import type { Item, Section } from '@/model/story';
import { textOf } from '@/model/summary';
import { AgentAvatar } from '@/ui/agent-avatar';
import { agentToken } from '../agent';
import { CallRow } from './call-row';
import { NoteRow } from './note-row';
import { PromptRow, TextRow, ThinkingRow } from './said-row';
import { VisitRow } from './visit-row';

type RowViewProps = {
  rows: Rows;
  row: Row;
  /** The one above, which says whether somebody else spoke before. */
  before: Row | undefined;
  isOpen: boolean;
  isFolded: boolean;
  isMoving: boolean;
  onToggle: () => void;
};

export function RowView(props: RowViewProps) {
  const { rows, row, before, isOpen, onToggle } = props;
  const section = rows.sectionOf(row);
  if (section?.kind === 'visit' && row.item === HEADER) {
    return (
      <div className="px-3">
        <VisitRow
          visit={section}
          isFolded={props.isFolded}
          isLive={props.isMoving && section.toSeq === null}
          onToggle={onToggle}
        />
      </div>
    );
  }
  const item = rows.itemOf(row);
  if (!section || !item) return null;
  const earlier = before && rows.itemOf(before);
  const isNewSpeaker =
    item.kind !== 'note' &&
    (before?.section !== row.section ||
      !earlier ||
      earlier.kind === 'note' ||
      earlier.agent !== item.agent ||
      earlier.session !== item.session);
  return (
    <div className="relative pr-3 pl-11" data-seq={item.seq}>
      {isNewSpeaker && (
        <AgentAvatar
          agent={agentToken(item.agent)}
          name={item.agent}
          size="sm"
          className="absolute top-1 left-4.5"
        />
      )}
      {content(item, section, row.item, isOpen, onToggle)}
    </div>
  );
}

function content(item: Item, section: Section, at: number, isOpen: boolean, onToggle: () => void) {
  switch (item.kind) {
    case 'prompt':
      return <PromptRow text={textOf(item.message)} isOpen={isOpen} onToggle={onToggle} />;
    case 'thinking':
      return <ThinkingRow text={item.text} isOpen={isOpen} onToggle={onToggle} />;
    case 'text':
      return <TextRow text={textOf(item.message)} usage={item.usage} />;
    case 'call': {
      const isVisit = section.kind === 'visit';
      return (
        <CallRow
          call={item.call}
          result={item.result}
          usage={isVisit ? (usageAt(section, at)?.usage ?? null) : null}
          isLost={item.result === null && isVisit && section.toSeq !== null}
          isOpen={isOpen}
          onToggle={onToggle}
        />
      );
    }
    case 'note':
      return <NoteRow event={item.event} isOpen={isOpen} onToggle={onToggle} />;
  }
}
