import { useState } from 'react';
import {
  notificationsBlocked,
  notificationsPossible,
  turnOffNotifications,
  turnOnNotifications,
  useNotifying,
} from '@/lib/notify';
import { Card } from '@/ui/card';
import { Switch } from '@/ui/switch';

/** Desktop notifications, off until they are turned on. */
export function NotificationsCard() {
  const wanted = useNotifying((state) => state.wanted);
  const [refused, setRefused] = useState(notificationsBlocked);
  const possible = notificationsPossible();
  const change = async (on: boolean) => {
    if (on) setRefused(!(await turnOnNotifications()));
    else turnOffNotifications();
  };
  return (
    <Card title="Notifications">
      <Switch
        checked={wanted && possible}
        disabled={!possible}
        onChange={(on) => void change(on)}
        label="Notify me when something needs me or is done"
        hint={
          possible
            ? 'Show a desktop notification when a run asks, waits, fails or is completed while this page is hidden.'
            : 'This browser does not support notifications on this page.'
        }
      />
      {refused && possible && !wanted && (
        <p role="status" className="mt-2 text-xs text-needs-you">
          Your browser blocks notifications from this site. Allow them in its site settings, then
          turn this on.
        </p>
      )}
    </Card>
  );
}
