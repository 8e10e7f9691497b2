import { useArmedGuard } from '@/lib/use-key-guard';
import { useShortcut } from '@/lib/use-shortcut';

type PlanKeys = {
  /** The question that is decided. */
  request: string;
  /** The editor is open: letters are meant for it, also when it has lost the focus. */
  isEditing: boolean;
  onApprove: () => void;
  onRequestChanges: () => void;
  /** Opens the editor, or closes it. */
  onSwitch: () => void;
};

/** The keys that decide about a plan. None of them decides while the plan is edited, or in the moment after. */
export function usePlanKeys(keys: PlanKeys): void {
  const { request, isEditing, onApprove, onRequestChanges, onSwitch } = keys;
  const guard = useArmedGuard(`${request} ${isEditing}`);
  const deciding = { group: 'Plan', when: !isEditing };
  useShortcut({ keys: 'a', label: 'Approve the plan', ...deciding }, () => {
    if (guard.allows()) onApprove();
  });
  useShortcut({ keys: 'r', label: 'Request changes', ...deciding }, () => {
    if (guard.allows()) onRequestChanges();
  });
  useShortcut({ keys: 'e', label: 'Switch between editing and reading', group: 'Plan' }, () => {
    // The editor shows a moment later; what is typed until then decides nothing.
    guard.arm();
    onSwitch();
  });
}
