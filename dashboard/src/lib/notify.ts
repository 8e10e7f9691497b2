// Desktop notifications, only after the person has asked for them, and only when the page is not seen.
import { create } from 'zustand';
import { isBoolean, remember, remembered } from '@/lib/storage';

type NotifyState = { wanted: boolean };
const key = 'notifications';

export const useNotifying = create<NotifyState>(() => ({
  wanted: remembered(key, isBoolean, false),
}));

export const notificationsPossible = () => 'Notification' in window;
export const notificationsBlocked = () =>
  notificationsPossible() && Notification.permission === 'denied';

/** Asks the browser for permission. Returns whether notifications are now on. */
export async function turnOnNotifications(): Promise<boolean> {
  const allowed = notificationsPossible() && (await Notification.requestPermission()) === 'granted';
  remember(key, allowed);
  useNotifying.setState({ wanted: allowed });
  return allowed;
}

export function turnOffNotifications(): void {
  remember(key, false);
  useNotifying.setState({ wanted: false });
}

type Notice = {
  title: string;
  body?: string;
  /** A later notice with the same tag replaces this one. */
  tag: string;
  onClick: () => void;
};

export function notify({ title, body, tag, onClick }: Notice): void {
  if (!useNotifying.getState().wanted || !notificationsPossible()) return;
  if (Notification.permission !== 'granted' || document.visibilityState === 'visible') return;
  const notice = new Notification(title, { ...(body ? { body } : {}), tag });
  notice.onclick = () => {
    window.focus();
    notice.close();
    onClick();
  };
}
