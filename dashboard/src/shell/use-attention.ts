import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useAttention } from '@/api/attention';
import { notify } from '@/lib/notify';
import { setAttentionCount } from '@/lib/title';
import { announcementOf } from '@/model/inbox/inbox';
import type { Counts } from '@/shell/nav';

/** On every page: the count in the tab and at Home, and a word when something new needs a person. */
export function useAttentionSignals(): { counts: Counts; announcement: string } {
  const { items, isPending } = useAttention();
  const navigate = useNavigate();
  const known = useRef<Set<string> | null>(null);
  const [announcement, setAnnouncement] = useState('');

  useEffect(() => setAttentionCount(items.length), [items.length]);

  useEffect(() => {
    if (isPending) return;
    const before = known.current;
    known.current = new Set([...(before ?? []), ...items.map((item) => item.id)]);
    // What was there when the page opened is no news.
    const fresh = before ? items.filter((item) => !before.has(item.id)) : [];
    if (fresh.length === 0) return;
    setAnnouncement(announcementOf(fresh));
    for (const item of fresh) {
      notify({
        title: `${item.what}: ${item.title}`,
        body: item.why,
        tag: item.run,
        onClick: () => void navigate('/'),
      });
    }
  }, [items, isPending, navigate]);

  return { counts: { home: items.length }, announcement };
}
