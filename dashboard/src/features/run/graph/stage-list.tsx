import { cn } from '@/lib/cn';
import type { GraphProps } from './pipeline-graph';
import { StageChip } from './stage-chip';
import { stageState } from './stage-state';

type StageListProps = GraphProps & { direction: 'row' | 'column' };

/** The stages one after the other: a strip on narrow screens, and a plain list in place of the picture. */
export function StageList(props: StageListProps) {
  const { pipeline, canBreak, onShow, onBreak, direction } = props;
  return (
    <ol
      aria-label="Stages"
      className={cn(
        'flex',
        direction === 'row'
          ? 'gap-1 scroll-quiet relative h-11 shrink-0 items-center overflow-x-auto border-b border-line px-3 [scrollbar-width:none]'
          : 'flex-col gap-2 px-4 py-3',
      )}
    >
      {pipeline.nodes.map((node) => (
        <li key={node} className={direction === 'row' ? 'shrink-0' : ''}>
          <StageChip
            node={node}
            state={stageState(node, props)}
            canBreak={canBreak}
            onShow={() => onShow(node)}
            onBreak={() => onBreak(node)}
            className={direction === 'row' ? 'h-7' : ''}
          />
        </li>
      ))}
    </ol>
  );
}
