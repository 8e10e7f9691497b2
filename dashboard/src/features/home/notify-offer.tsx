import { Bell, BellRing } from 'lucide-react';
import {
  notificationsBlocked,
  notificationsPossible,
  turnOffNotifications,
  turnOnNotifications,
  useNotifying,
} from '@/lib/notify';
import { toast } from '@/lib/toast';
import { Button } from '@/ui/button';

/** Offers desktop notifications, once and quietly; later it turns them off again. */
export function NotifyOffer() {
  const wanted = useNotifying((state) => state.wanted);
  if (!notificationsPossible() || (notificationsBlocked() && !wanted)) return null;
  const turnOn = async () => {
    const isOn = await turnOnNotifications();
    toast(
      isOn
        ? { title: 'You will be notified when something needs you or is done', tone: 'success' }
        : {
            title: 'Your browser blocked notifications',
            description: 'Allow them in your browser’s settings for this site.',
            tone: 'warning',
          },
    );
  };
  return (
    <Button
      variant="ghost"
      size="sm"
      aria-pressed={wanted}
      icon={wanted ? <BellRing /> : <Bell />}
      onClick={() => (wanted ? turnOffNotifications() : void turnOn())}
    >
      {wanted ? 'Notifications on' : 'Notify me'}
    </Button>
  );
}
