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

/** Desktop notifications, only when somebody wants them. */
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
        label="Tell me when something needs me"
        hint={
          possible
            ? 'A desktop notification when a run asks, waits or fails while this page is not in view.'
            : 'This browser cannot show notifications here.'
        }
      />
      {refused && possible && !wanted && (
        <p role="status" className="mt-2 text-xs text-needs-you">
          The browser does not allow notifications from this address. Allow them in its settings of
          the site, then turn this on.
        </p>
      )}
    </Card>
  );
}
