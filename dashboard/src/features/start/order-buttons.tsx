import { CirclePlay, ListPlus, NotebookPen } from 'lucide-react';
import type { When } from '@/model/start/order';
import { Button } from '@/ui/button';

type OrderButtonsProps = {
  isReview: boolean;
  sending: When | null;
  /** Nothing can be ordered yet, and why. */
  blocked: string | null;
  onOrder: (when: When) => void;
};

// On a phone all stand in one row, without pictures.
const secondary = 'max-lg:px-3 max-lg:[&_svg]:hidden lg:flex-1';

export function OrderButtons({ isReview, sending, blocked, onOrder }: OrderButtonsProps) {
  const props = (when: When) => ({
    size: 'lg' as const,
    loading: sending === when,
    disabled: blocked !== null || (sending !== null && sending !== when),
    onClick: () => onOrder(when),
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
