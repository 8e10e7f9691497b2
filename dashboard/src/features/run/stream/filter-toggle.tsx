import { Search } from 'lucide-react';
import { cn } from '@/lib/cn';
import { IconButton } from '@/ui/icon-button';

type FilterToggleProps = { isOpen: boolean; onToggle: (isOpen: boolean) => void };

/** Shows the search of the stream where there is no room for it all the time. */
export function FilterToggle({ isOpen, onToggle }: FilterToggleProps) {
  return (
    <IconButton
      aria-label="Search and filter the stream"
      aria-expanded={isOpen}
      tooltip={false}
      size="sm"
      className={cn('mr-1', isOpen && 'bg-accent-soft text-accent-text')}
      icon={<Search />}
      onClick={() => onToggle(!isOpen)}
    />
  );
}
