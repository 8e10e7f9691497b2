import { textOf } from '@/model/event/words';
import type { Item } from '@/model/stream/transcript';
import type { ToolResult } from '@/wire/log/ToolResult';
import type { Usage } from '@/wire/log/Usage';
import { CallRow } from './call-row';
import { PromptRow, TextRow, ThinkingRow } from './message-row';
import { NoteRow } from './note-row';

type ItemContentProps = {
  item: Item;
  result: ToolResult | null;
  usage: Usage | null;
  isLost: boolean;
  isRunning: boolean;
  isOpen: boolean;
  onToggle: () => void;
};

/** What was said, thought or done. */
export function ItemContent(props: ItemContentProps) {
  const { item, result, usage, isLost, isRunning, isOpen, onToggle } = props;
  const fold = { isOpen, onToggle };
  switch (item.kind) {
    case 'prompt':
      return <PromptRow agent={item.agent} text={textOf(item.message)} {...fold} />;
    case 'thinking':
      return <ThinkingRow text={item.text} {...fold} />;
    case 'text':
      return <TextRow text={textOf(item.message)} usage={item.usage} />;
    case 'call':
      return <CallRow call={item.call} {...{ result, usage, isLost, isRunning }} {...fold} />;
    case 'note':
      return <NoteRow event={item.event} asked={item.asked} {...fold} />;
  }
}
