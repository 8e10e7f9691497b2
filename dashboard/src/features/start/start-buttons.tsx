import { CirclePlay, ListPlus, NotebookPen } from 'lucide-react';
import type { StartMode } from '@/model/start/draft';
import { Button } from '@/ui/button';

type StartButtonsProps = {
  isReview: boolean;
  sending: StartMode | null;
  /** Why no run can be started yet. */
  blocked: string | null;
  onStart: (when: StartMode) => void;
};

// On a phone all stand in one row, without pictures.
const secondary = 'max-lg:px-3 max-lg:[&_svg]:hidden lg:flex-1';

export function StartButtons({ isReview, sending, blocked, onStart }: StartButtonsProps) {
  const props = (when: StartMode) => ({
    size: 'lg' as const,
    loading: sending === when,
    disabled: blocked !== null || (sending !== null && sending !== when),
    onClick: () => onStart(when),
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        {...props('now')}
        variant="primary"
        icon={<CirclePlay />}
        shortcut="mod+enter"
        className="flex-1 lg:w-full lg:flex-none"
      >
        {isReview ? 'Start review' : 'Start now'}
      </Button>
      {!isReview && (
        <>
          <Button {...props('plan')} icon={<NotebookPen />} className={secondary}>
            Plan only
          </Button>
          <Button {...props('later')} icon={<ListPlus />} className={secondary}>
            Queue
          </Button>
        </>
      )}
      {blocked && <p className="w-full text-xs text-muted">{blocked}</p>}
    </div>
  );
}
